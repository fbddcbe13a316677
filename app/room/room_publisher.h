// A feed as a member of a room publishes it: what feed_sender.h sends, as items of a broker.
//
// Frames are items as frame_items.h has it. What the broker says of those who watch (Demand) goes to
// the encoder beside what the way to the broker takes. Nobody watches: nothing is encoded.
//
// Thread: the io_context's.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/feed/feed_sender.h"
#include "pubsub/client/room_client.h"

namespace qvid::app {

class RoomPublisher : private FeedSender {
 public:
  // Of who else is in the room; on_members_changed says when that may have changed.
  struct Others {
    std::function<bool(std::string_view codec)> all_decode;
    // FeedListener::lines; by default all that there are.
    std::function<std::optional<int>()> lines = [] { return std::optional<int>(); };
  };

  // `client` outlives this, and has joined: publishes on the track at once, and waits to be wanted.
  // `apart`: VideoAbout's.
  RoomPublisher(boost::asio::io_context& io, qps::RoomClient& client, std::string track, bool apart,
                Feed& feed, int window, media::Preference prefer,
                std::function<void(Feed*)> release, Others others,
                std::function<void(const std::string&)> on_ended);
  ~RoomPublisher() override;

  // What the broker says to the publisher.
  void on_wanted(bool wanted) {
    if (!wanted) path_ = {};  // nothing measures it
    if (!wanted) demand_ = {};
    pause(!wanted);
  }
  void on_begin();
  void on_members_changed() {
    if (feed() != nullptr) feed()->on_receivers_changed();
  }
  void on_demand(const qps::Demand& demand);
  // One receiver is behind the broker, and what that loses is told by on_lost.
  void on_losses_told(bool on);
  void on_lost(const qps::PartId& id);
  void on_part_ended(const qps::PartId& id, bool delivered, ByteCount sent);

  // What its way to the broker, and of those who watch the weakest, take; zero: not known.
  DataRate path() const { return path_; }

  using FeedSender::frames;
  using FeedSender::offered;
  using FeedSender::on_path_rate;
  using FeedSender::paused;

 private:
  std::optional<std::uint64_t> put(const media::LiveSender::Send& send) override;
  bool drop(std::uint64_t message) override;
  paceline::SessionSignals signals() const override { return client_.signals(); }
  void measure(Timestamp now, std::vector<DataRate>& rates) override;
  bool contended(Timestamp now) const override {
    return demand_.contended || FeedSender::contended(now);
  }
  bool tells_all_losses() const override { return losses_told_; }
  bool decodes(std::string_view codec) const override { return others_.all_decode(codec); }
  std::optional<int> lines() const override { return others_.lines(); }
  void on_status(const media::SourceStatus&) override {}
  void on_limited(const std::string&) override {}
  void on_feed_ended(const std::string& reason) override;
  Duration useful_for(int frames) const;
  DataRate path_of(DataRate up) const;

  qps::RoomClient& client_;
  const std::string track_;
  const FrameRate rate_;
  const Others others_;
  std::function<void(const std::string&)> on_ended_;
  qps::Demand demand_;
  bool losses_told_ = false;
  DataRate path_;
};

}  // namespace qvid::app
