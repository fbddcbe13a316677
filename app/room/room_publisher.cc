#include "app/room/room_publisher.h"

#include <algorithm>
#include <utility>

#include "app/protocol/video_about.h"

namespace qvid::app {
namespace {

bool all_sync_points(const media::CodedFrame& frame) {
  return std::ranges::all_of(frame.units,
                             [](const media::CodedUnit& unit) { return unit.is_sync_point(); });
}

}  // namespace

RoomPublisher::RoomPublisher(boost::asio::io_context& io, qps::RoomClient& client, Feed& feed,
                             int window, media::Preference prefer,
                             std::function<void(Feed*)> release,
                             std::function<void(const std::string&)> on_ended)
    : FeedSender(io, feed, window, prefer, std::move(release)),
      client_(client),
      rate_(feed.options().source_options.rate),
      on_ended_(std::move(on_ended)) {
  client_.publish(serialise({.codec = feed.options().codec, .rate = rate_}));
  pause(true);
  join();
}

RoomPublisher::~RoomPublisher() { client_.unpublish(); }

void RoomPublisher::on_begin() {
  if (feed() != nullptr) feed()->request_sync_point();
}

// What is less is followed at once: it may be the transport's word that a viewer's path has slowed.
void RoomPublisher::on_demand(const qps::Demand& demand) {
  const bool less = demand.most < demand_.most || demand.least < demand_.least;
  demand_ = demand;
  if (less && !paused() && feed() != nullptr) feed()->on_rates_changed();
}

void RoomPublisher::on_frame(const std::shared_ptr<const media::WireFrame>& frame) {
  recent_[frame->frame.number] = frame;
  if (recent_.size() > kMostFrames) recent_.erase(recent_.begin());
  FeedSender::on_frame(frame);
}

void RoomPublisher::measure(Timestamp now, std::vector<DataRate>& rates) {
  std::vector<DataRate> uplink;
  FeedSender::measure(now, uplink);
  for (const DataRate up : uplink) {
    path_ = demand_.least == DataRate() ? up : std::min(up, demand_.least);
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

Duration RoomPublisher::useful_for(int frames) const {
  return std::clamp(rate_.time_of(std::max(frames, 0)), Duration::zero(), qps::kMaxUsefulFor);
}

qps::Envelope RoomPublisher::envelope_of(const media::LiveSender::Send& send) const {
  qps::Envelope envelope;
  envelope.importance = send.importance;
  const auto it = recent_.find(send.frame);
  if (it == recent_.end()) return envelope;
  const media::CodedFrame& frame = it->second->frame;
  envelope.due = frame.due;
  if (!send.unit) {
    // The units are of no use without it: it lives as long as the longest of them.
    int longest = 0;
    for (const media::CodedUnit& unit : frame.units) longest = std::max(longest, unit.needed_for);
    envelope.begins = all_sync_points(frame);
    envelope.vital = true;
    envelope.useful_for = useful_for(longest);
    return envelope;
  }
  envelope.depends_on.push_back({.items_back = 0, .part = 0});
  for (const media::CodedUnit& unit : frame.units) {
    if (unit.layer != send.unit->layer) continue;
    envelope.vital = unit.layer == 0;
    envelope.useful_for = useful_for(unit.needed_for);
    for (const media::UnitDependency& d : unit.depends_on) {
      if (envelope.depends_on.size() == qps::kMaxDependencies) break;
      envelope.depends_on.push_back(
          {.items_back = d.frames_back, .part = static_cast<std::uint8_t>(d.unit + 1)});
    }
  }
  return envelope;
}

bool RoomPublisher::put(media::LiveSender::Send&& send) {
  const auto number = static_cast<std::int64_t>(send.position / media::kPlacesPerFrame);
  const qps::PartId id{
      .item = number,
      .part = send.unit ? static_cast<std::uint8_t>(send.unit->layer + 1) : std::uint8_t{0}};
  if (!client_.send(id, envelope_of(send), send.payload, send.deadline)) return false;
  if (send.unit) {
    part_of_[*send.unit] = id;
    unit_of_[id] = *send.unit;
  }
  return true;
}

bool RoomPublisher::drop(const media::UnitKey& unit) {
  const auto it = part_of_.find(unit);
  return it != part_of_.end() && client_.cancel(it->second);
}

void RoomPublisher::on_part_ended(const qps::PartId& id, bool delivered, ByteCount sent) {
  const auto it = unit_of_.find(id);
  if (it == unit_of_.end()) return;
  const media::UnitKey unit = it->second;
  unit_of_.erase(it);
  part_of_.erase(unit);
  on_unit_ended(unit, sent, delivered);
}

}  // namespace qvid::app
