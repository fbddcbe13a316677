#include "app/room/room_publisher.h"

#include <algorithm>
#include <utility>

#include "app/protocol/video_about.h"
#include "media/sound/sound_rate.h"
#include "transport/rate/receiver_rate.h"

namespace qvid::app {
namespace {

bool all_sync_points(const media::CodedFrame& frame) {
  return std::ranges::all_of(frame.units,
                             [](const media::CodedUnit& unit) { return unit.is_sync_point(); });
}

// A part as a FeedSender's message: the parts in order, in one number.
std::uint64_t number_of(const qps::PartId& id) {
  return static_cast<std::uint64_t>(id.item) * qps::kMaxParts + id.part;
}
qps::PartId part_of(std::uint64_t number) {
  return {.item = static_cast<std::int64_t>(number / qps::kMaxParts),
          .part = static_cast<std::uint8_t>(number % qps::kMaxParts)};
}

}  // namespace

RoomPublisher::RoomPublisher(boost::asio::io_context& io, qps::RoomClient& client,
                             std::string track, bool apart, Feed& feed, int window,
                             media::Preference prefer, std::function<void(Feed*)> release,
                             std::function<bool(std::string_view codec)> others_decode,
                             std::function<void(const std::string&)> on_ended)
    : FeedSender(io, feed, window, prefer, std::move(release)),
      client_(client),
      track_(std::move(track)),
      rate_(feed.options().source_options.rate),
      others_decode_(std::move(others_decode)),
      on_ended_(std::move(on_ended)) {
  // What every subscriber must know at least; frames say what they are of.
  client_.publish(
      serialise({.codec = std::string(media::kPlainCodec), .rate = rate_, .apart = apart}), track_,
      true);
  pause(true);
  join();
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

qps::Envelope RoomPublisher::envelope_of(const media::LiveSender::Send& send) const {
  const media::CodedFrame& frame = send.wire->frame;
  qps::Envelope envelope;
  envelope.importance = send.importance;
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
  const media::CodedUnit& unit = frame.units[send.index];
  envelope.vital = unit.layer == 0;
  envelope.useful_for = useful_for(unit.needed_for);
  envelope.depends_on.push_back({.items_back = 0, .part = 0});
  for (const media::UnitDependency& d : unit.depends_on) {
    if (envelope.depends_on.size() == qps::kMaxDependencies) break;
    envelope.depends_on.push_back(
        {.items_back = d.frames_back, .part = static_cast<std::uint8_t>(d.unit + 1)});
  }
  return envelope;
}

std::optional<std::uint64_t> RoomPublisher::put(const media::LiveSender::Send& send) {
  const qps::PartId id{
      .item = send.number.value(),
      .part = send.unit ? static_cast<std::uint8_t>(send.unit->layer + 1) : std::uint8_t{0}};
  if (!client_.send(id, envelope_of(send), send.payload, send.deadline, track_)) {
    return std::nullopt;
  }
  return number_of(id);
}

bool RoomPublisher::drop(std::uint64_t message) { return client_.cancel(part_of(message), track_); }

void RoomPublisher::on_part_ended(const qps::PartId& id, bool delivered, ByteCount sent) {
  on_message_ended(number_of(id), sent, delivered);
}

}  // namespace qvid::app
