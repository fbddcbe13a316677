// One viewer of a feed: its own numbering, timeline and cancellations over a shared, once-encoded
// stream. Source: 000 section 5.1.
//
// Frames are sent at their output events, each header and unit as a message of its own; at its
// expire event what is left of a unit is cancelled. Queue: the session's send queue (bounded; a
// unit that it refuses counts as cancelled). Thread: the io_context's.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "app/feed.h"
#include "app/viewer.h"
#include "media/live_timeline.h"
#include "transport/session.h"

namespace qvid::app {

class LiveViewer : public Viewer, private FeedListener {
 public:
  // `feed` outlives the viewer, or on_feed_ended comes first; otherwise `release` is called when
  // the viewer goes and has taken itself off the feed.
  LiveViewer(boost::asio::io_context& io, paceline::Session& session, Feed& feed, int window,
             Tell tell, std::function<void(Feed*)> release);
  ~LiveViewer() override;

  void start() override;
  bool on_request(const ClientMessage& request) override;
  void on_message_ended(const paceline::MessageEnded& ended) override;
  void on_resumed() override;
  ViewerStats stats() const override;

 private:
  void on_frame(const std::shared_ptr<const media::WireFrame>& frame) override;
  void on_status(const media::SourceStatus& status) override;
  void on_feed_ended(const std::string& reason) override;
  void poll();
  void send(const media::LiveTimeline::Output& output);
  bool send_message(std::uint8_t importance, std::uint64_t position, Timestamp deadline,
                    Payload payload, std::optional<std::pair<FrameNumber, std::uint8_t>> unit);

  paceline::Session& session_;
  Feed* feed_;
  int window_;
  Tell tell_;
  std::function<void(Feed*)> release_;
  media::LiveTimeline timeline_;
  boost::asio::steady_timer timer_;
  Timestamp armed_ = kNever;
  paceline::StreamId stream_;
  std::optional<FrameNumber> first_;  // the feed's number of this viewer's frame 0
  // Units that are still to be delivered; as many as the timeline remembers.
  std::map<std::pair<FrameNumber, std::uint8_t>, paceline::MessageId> pending_;
  std::map<paceline::MessageId, std::pair<FrameNumber, std::uint8_t>> unit_of_;
  ViewerStats stats_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace qvid::app
