#include "transport/send/redundant_lanes.h"

#include "transport/wire/record.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

// Without an acknowledgement, beyond a quarter of the round trip: packets of sound are acknowledged
// every 20 ms, large segments of others delay them by some 40 ms on a slow line.
constexpr Duration kStall = std::chrono::milliseconds(100);
constexpr Duration kStallAtFirst = std::chrono::seconds(1);
constexpr int kCollectPart = 4;  // of a round trip
constexpr Duration kMostCollected = std::chrono::milliseconds(60);

}  // namespace

const RedundantLanes::Track* RedundantLanes::find(ChannelId channel) const {
  const auto it = std::ranges::find(tracks_, channel, &Track::channel);
  return it == tracks_.end() ? nullptr : &*it;
}

bool RedundantLanes::has_lane() const {
  return std::ranges::any_of(lanes_, [](const Lane& l) { return l.channel.has_value(); });
}

bool RedundantLanes::is_lane(ChannelId channel) const {
  return std::ranges::find(lanes_, channel, &Lane::channel) != lanes_.end();
}

std::size_t RedundantLanes::Track::up_to(std::uint64_t number) const {
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].number == number) return i + 1;
  }
  return 0;
}

bool RedundantLanes::stalls(ChannelId channel, Timestamp now) const {
  const Track* track = find(channel);
  if (track == nullptr || track->written.empty()) return false;
  const Duration age = now - track->written.front().at;
  if (!rtt_.valid()) return age > kStallAtFirst;
  const Duration patience = rtt_.rtt() / 4 + kStall;
  return age > rtt_.rtt() + patience && now - track->progress > patience;
}

void RedundantLanes::move(std::size_t index, ChannelId channel) {
  Lane& lane = lanes_[index];
  if (!lane.channel) lane.next = next_number();
  lane.channel = channel;
  if (find(channel) == nullptr) {
    // Of channels that are no lanes any more, those remain that still bring something.
    std::erase_if(tracks_,
                  [this](const Track& t) { return t.written.empty() && !is_lane(t.channel); });
    tracks_.push_back(
        {.channel = channel, .written = {}, .under_way = {}, .progress = {}, .wrote = {}});
  }
}

void RedundantLanes::on_closed(ChannelId channel) {
  for (Lane& lane : lanes_) {
    if (lane.channel == channel) lane = {};
  }
  Track* track = find(channel);
  if (track == nullptr) return;
  for (; !track->written.empty(); track->written.pop_front()) {
    Waiting* w = find(track->written.front().number);
    if (w == nullptr || w->state == State::kEnded || --w->channels > 0) continue;
    w->state = State::kAgain;
    again_ = true;
  }
  std::erase_if(tracks_, [&](const Track& t) { return t.channel == channel; });
}

void RedundantLanes::add(OutgoingChunk chunk) {
  next_deadline_ = std::min(next_deadline_, chunk.deadline);
  waiting_.push_back({.chunk = std::move(chunk)});
}

void RedundantLanes::forget_ended() {
  while (!waiting_.empty() && waiting_.front().state == State::kEnded) {
    waiting_.pop_front();
    ++first_;
  }
}

bool RedundantLanes::has_something(const Lane& lane, const Track& track) const {
  return track.under_way < kMostUnderWay && (again_ || lane.next < next_number());
}

// A part of the time behind the other lanes, so that one loss does not meet all.
Timestamp RedundantLanes::opens_at(const Lane& lane) const {
  const Duration collect = std::min(rtt_.rtt() / kCollectPart, Duration(kMostCollected));
  Timestamp opens{};
  for (const Lane& other : lanes_) {
    const Track* track = other.channel ? find(*other.channel) : nullptr;
    if (track != nullptr)
      opens = std::max(
          opens, track->wrote + (&other == &lane ? collect : collect / static_cast<int>(kLanes)));
  }
  return opens;
}

Timestamp RedundantLanes::next_write() const {
  Timestamp next = qvid::kNever;
  for (const Lane& lane : lanes_) {
    const Track* track = lane.channel ? find(*lane.channel) : nullptr;
    if (track != nullptr && has_something(lane, *track)) next = std::min(next, opens_at(lane));
  }
  return next;
}

void RedundantLanes::produce(ChannelId channel, WriteBatch& batch, Timestamp now) {
  const auto lane = std::ranges::find(lanes_, channel, &Lane::channel);
  if (lane == lanes_.end()) return;
  Track& track = *find(channel);
  if (!has_something(*lane, track) || now < opens_at(*lane)) return;
  if (std::exchange(again_, false)) {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (waiting_[i].state != State::kAgain) continue;
      if (track.under_way < kMostUnderWay) {
        write(first_ + i, track, batch, now);
      } else {
        again_ = true;
      }
    }
  }
  lane->next = std::max(lane->next, first_);
  for (; lane->next < next_number() && track.under_way < kMostUnderWay; ++lane->next) {
    const Waiting& w = *find(lane->next);
    const bool wanted = w.state == State::kNew || w.state == State::kWritten;
    if (wanted && w.chunk.deadline > now) write(lane->next, track, batch, now);
  }
}

void RedundantLanes::write(std::uint64_t number, Track& track, WriteBatch& batch, Timestamp now) {
  Waiting& w = *find(number);
  const std::size_t before = batch.size();
  const LaneMessage message{.number = number,
                            .stream = w.chunk.stream,
                            .importance = w.chunk.importance,
                            .position = w.chunk.position,
                            .bytes = w.chunk.bytes.bytes()};
  batch.add_header([&](auto& out) { write_lane_header(message, out); });
  batch.add_payload(w.chunk.bytes);
  const ByteCount bytes = ByteCount::of(batch.size() - before);
  track.written.push_back({.number = number, .at = now, .bytes = bytes});
  track.under_way += bytes;
  track.wrote = now;
  w.state = State::kWritten;
  ++w.channels;
  ++sent_;
}

}  // namespace paceline
