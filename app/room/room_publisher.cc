#include "app/room/room_publisher.h"

#include <algorithm>
#include <utility>

#include "app/protocol/video_about.h"
#include "app/room/frame_items.h"
#include "media/sound/sound_rate.h"
#include "transport/rate/receiver_rate.h"

namespace qvid::app {

RoomPublisher::RoomPublisher(boost::asio::io_context& io, qps::RoomClient& client,
                             std::string track, bool apart, Feed& feed, int window,
                             media::Preference prefer, std::function<void(Feed*)> release,
                             Others others, std::function<void(const std::string&)> on_ended)
    : FeedSender(io, feed, window, prefer, std::move(release)),
      client_(client),
      track_(std::move(track)),
      rate_(feed.options().source_options.rate),
      others_(std::move(others)),
      on_ended_(std::move(on_ended)) {
  // What every subscriber must know at least; frames say what they are of.
  client_.publish(
      serialise({.codec = std::string(media::kPlainCodec), .rate = rate_, .apart = apart}), track_,
      true);
  pause(true);
  join();
  feed.expect_newcomers();
}

RoomPublisher::~RoomPublisher() { client_.unpublish(track_); }

void RoomPublisher::on_losses_told(bool on) {
  losses_told_ = on;
  if (feed() != nullptr) feed()->on_telling_changed();
}

void RoomPublisher::on_begin() {
  if (feed() != nullptr) feed()->request_sync_point();
}

// Followed at once: less, which may be the transport's word that a viewer's path has slowed, and that a
// competitor has come, beside which bases must be worth showing.
void RoomPublisher::on_demand(const qps::Demand& demand) {
  const bool less = demand.most < demand_.most || demand.least < demand_.least;
  const bool competitor = demand.contended && !demand_.contended;
  demand_ = demand;
  if ((less || competitor) && !paused() && feed() != nullptr) feed()->on_rates_changed();
}

// Neither way tells of more than the pictures have of it, or than ReceiverRate says at the most.
DataRate RoomPublisher::path_of(DataRate up) const {
  const DataRate all = feed() == nullptr ? DataRate() : feed()->options().bitrate;
  const DataRate down = demand_.least;
  const bool down_takes_all =
      down == DataRate() || down >= std::max(all, paceline::ReceiverRate::kBegin);
  if (up >= all && down_takes_all) return media::kAnySound;
  return down_takes_all ? up : std::min(up, down);
}

void RoomPublisher::measure(Timestamp now, std::vector<DataRate>& rates) {
  std::vector<DataRate> uplink;
  FeedSender::measure(now, uplink);
  for (const DataRate up : uplink) {
    path_ = path_of(up);
    if (demand_.most == DataRate()) {
      rates.push_back(up);
      continue;
    }
    rates.push_back(std::min(up, demand_.most));
    rates.push_back(std::min(up, demand_.least));
  }
}

void RoomPublisher::on_feed_ended(const std::string& reason) {
  FeedSender::on_feed_ended(reason);
  on_ended_(reason);
}

void RoomPublisher::on_lost(const qps::PartId& id) {
  const auto layer =
      id.part == 0 ? std::nullopt : std::optional(static_cast<std::uint8_t>(id.part - 1));
  on_lost_behind(FrameNumber(id.item), layer);
}

// An encoder that is told of what is lost goes on without it: then it is not waited for.
Duration RoomPublisher::useful_for(int frames) const {
  if (losses_told_ && informed()) frames = std::min(frames, media::LiveTimeline::kPatience);
  return std::clamp(rate_.time_of(std::max(frames, 0)), Duration::zero(), qps::kMaxUsefulFor);
}

std::optional<std::uint64_t> RoomPublisher::put(const media::LiveSender::Send& send) {
  const qps::PartId id = part_of(send);
  const auto useful = [this](int frames) { return useful_for(frames); };
  if (!client_.send(id, envelope_of(send, useful), send.payload, send.deadline, track_)) {
    return std::nullopt;
  }
  return number_of(id);
}

bool RoomPublisher::drop(std::uint64_t message) { return client_.cancel(part_of(message), track_); }

void RoomPublisher::on_part_ended(const qps::PartId& id, bool delivered, ByteCount sent) {
  on_message_ended(number_of(id), sent, delivered);
}

}  // namespace qvid::app
