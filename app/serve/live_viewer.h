// One viewer of a feed: what feed_sender.h sends, as messages of the viewer's session, and beside
// it the source's sound, on a stream of its own: packets numbered without gaps, cancelled at the
// time that the player would have played them.
//
// Queue: the session's send queue (bounded; a unit that it refuses counts as cancelled). Thread:
// the io_context's.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/feed/feed_sender.h"
#include "app/feed/sound_feed.h"
#include "app/serve/viewer.h"
#include "transport/session/session.h"

namespace qvid::app {

class LiveViewer : public Viewer, private FeedSender, private SoundListener {
 public:
  // `feed` and `release`: as in FeedSender. `sound` may be null.
  LiveViewer(boost::asio::io_context& io, paceline::Session& session, Feed& feed,
             std::shared_ptr<SoundFeed> sound, const PlayRequest& request, Tell tell,
             std::function<void(Feed*)> release);
  ~LiveViewer() override;

  void start() override;
  bool on_request(const ClientMessage& request) override;
  void on_message_ended(const paceline::MessageEnded& ended) override;
  void on_path_rate(const paceline::PathRate& path) override { FeedSender::on_path_rate(path); }
  ViewerStats stats() const override;

 private:
  std::optional<std::uint64_t> put(const media::LiveSender::Send& send) override;
  bool drop(std::uint64_t message) override {
    return session_.cancel(paceline::MessageId(message));
  }
  paceline::SessionSignals signals() const override { return session_.signals(); }
  void on_status(const media::SourceStatus& status) override;
  void on_limited(const std::string& reason) override;
  void on_feed_ended(const std::string& reason) override;
  void measure(Timestamp now, std::vector<DataRate>& rates) override;
  bool tells_all_losses() const override { return true; }
  bool decodes(std::string_view codec) const override {
    return std::ranges::find(decodes_, codec) != decodes_.end();
  }
  void on_sound(const media::SoundPacket& packet, const Payload& wire) override;

  paceline::Session& session_;
  int window_;
  std::vector<std::string> decodes_;
  Tell tell_;
  paceline::StreamId stream_;
  std::shared_ptr<SoundFeed> sound_;
  SoundWanted sound_wanted_;
  paceline::StreamId sound_stream_;
  std::uint64_t next_packet_ = 0;
  ViewerStats stats_;
};

}  // namespace qvid::app
