#include "transport/send/redundant_lanes.h"

#include "transport/wire/record.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

// Without an acknowledgement, beyond a quarter of the round trip: packets of sound are acknowledged
// every 20 ms, large segments of others delay them by some 40 ms on a slow line.
constexpr Duration kStall = std::chrono::milliseconds(100);
constexpr Duration kStallAtFirst = std::chrono::seconds(1);
constexpr int kCollectPart = 2;  // of a round trip
constexpr Duration kMostCollected = std::chrono::milliseconds(60);
// Copies take up to a quarter of what the path takes; at once, what is collected.
constexpr int kCopyPart = 4;
constexpr ByteCount kCopyBurst(512);
// Around a write: headers of IP and of TCP with timestamps, TLS's record.
constexpr ByteCount kAround(80);

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
  track_of(channel);
}

RedundantLanes::Track& RedundantLanes::track_of(ChannelId channel) {
  if (Track* track = find(channel)) return *track;
  // Of channels that are no lanes any more, those remain that still bring something.
  std::erase_if(tracks_,
                [this](const Track& t) { return t.written.empty() && !is_lane(t.channel); });
  return tracks_.emplace_back(
      Track{.channel = channel, .written = {}, .under_way = {}, .progress = {}, .wrote = {}});
}

void RedundantLanes::on_closed(ChannelId channel) {
  for (Lane& lane : lanes_) {
    if (lane.channel == channel) lane = {};
  }
  for (Waiting& w : waiting_) {
    if (w.alone == channel && w.state == State::kNew) w.state = State::kAgain;
  }
  Track* track = find(channel);
  if (track == nullptr) return;
  for (; !track->written.empty(); track->written.pop_front()) {
    Waiting* w = find(track->written.front().number);
    if (w == nullptr || w->state == State::kEnded || --w->channels > 0) continue;
    write_again(*w);
  }
  std::erase_if(tracks_, [&](const Track& t) { return t.channel == channel; });
}

void RedundantLanes::add(OutgoingChunk chunk, Timestamp now) {
  next_deadline_ = std::min(next_deadline_, chunk.deadline);
  ++copied_;
  waiting_.push_back({.chunk = std::move(chunk), .since = now});
}

std::uint64_t RedundantLanes::add_alone(OutgoingChunk chunk, ChannelId channel, Timestamp now) {
  const bool elsewhere = channel == kDatagrams;
  if (!elsewhere) {
    alone_ += chunk.message_size;
    ++alone_unwritten_;
  }
  waiting_.push_back({.chunk = std::move(chunk),
                      .state = elsewhere ? State::kWritten : State::kNew,
                      .alone = channel,
                      .since = now});
  return next_number() - 1;
}

void RedundantLanes::leave_datagrams() {
  for (Waiting& w : waiting_) leave(w);
}

void RedundantLanes::leave(Waiting& w) {
  if (w.alone != kDatagrams || w.state == State::kEnded) return;
  w.state = State::kAgain;
  w.alone = kFirstChannel;  // any: it is on none
  w.left_path = true;
  next_deadline_ = std::min(next_deadline_, w.chunk.deadline);
  alone_ += w.chunk.message_size;
  ++alone_unwritten_;
}

Timestamp RedundantLanes::oldest_alone() const {
  if (alone_ == ByteCount()) return qvid::kNever;
  for (const Waiting& w : waiting_) {
    if (w.alone && w.alone != kDatagrams && w.state != State::kEnded) return w.since;
  }
  return qvid::kNever;
}

void RedundantLanes::leave_stalled(Timestamp now) {
  if (alone_ == ByteCount()) return;
  for (const Track& track : tracks_) {
    if (track.written.empty() || !stalls(track.channel, now)) continue;
    for (std::size_t i = 0; i < track.written.size(); ++i) {
      Waiting* w = find(track.written[i].number);
      if (w == nullptr || w->alone != track.channel || w->channels != 1) continue;
      if (w->state == State::kWritten) write_again(*w);
    }
  }
}

void RedundantLanes::write_again(Waiting& w) {
  const State before = std::exchange(w.state, State::kAgain);
  if (!w.alone) {
    again_ = true;
  } else if (before == State::kWritten) {
    ++alone_unwritten_;
  }
}

void RedundantLanes::forget_ended() {
  while (!waiting_.empty() && waiting_.front().state == State::kEnded) {
    waiting_.pop_front();
    ++first_;
  }
}

RedundantLanes::Role RedundantLanes::role(std::size_t lane) const {
  const auto before = std::count_if(lanes_.begin(), lanes_.begin() + static_cast<long>(lane),
                                    [](const Lane& l) { return l.channel.has_value(); });
  return before == 0 ? Role::kFirst : before == 1 ? Role::kCopy : Role::kRepair;
}

Duration RedundantLanes::collected() const {
  return std::min(rtt_.rtt() / kCollectPart, Duration(kMostCollected));
}

// A part of the time behind the other that brings all, so that one loss does not meet both.
Timestamp RedundantLanes::opens_at(std::size_t lane) const {
  Timestamp opens{};
  if (role(lane) == Role::kRepair) return opens;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const Track* track = lanes_[i].channel ? find(*lanes_[i].channel) : nullptr;
    if (track == nullptr || role(i) == Role::kRepair) continue;
    opens = std::max(opens, track->wrote + collected() / (i == lane ? 1 : 2));
  }
  return opens;
}

qvid::TokenRate RedundantLanes::copy_rate() const {
  return {.per_second = static_cast<double>(path_.bps()) / 8 / kCopyPart,
          .burst = static_cast<double>(kCopyBurst.value())};
}

Timestamp RedundantLanes::due(Role role, const Waiting& w) const {
  switch (role) {
    case Role::kFirst: return {};
    case Role::kCopy: return path_ > qvid::DataRate() ? copies_.any_at(copy_rate()) : Timestamp{};
    case Role::kRepair: break;
  }
  return w.since + collected() + (rtt_.valid() ? rtt_.rtt() * 5 / 4 : Duration(kStallAtFirst));
}

Timestamp RedundantLanes::next_write() const {
  Timestamp next = qvid::kNever;
  if (empty()) return next;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const Track* track = lanes_[i].channel ? find(*lanes_[i].channel) : nullptr;
    if (track == nullptr || track->under_way >= kMostUnderWay) continue;
    const Timestamp opens = opens_at(i);
    if (again_) next = std::min(next, opens);
    for (std::uint64_t n = std::max(lanes_[i].next, first_); n < next_number(); ++n) {
      const Waiting& w = waiting_[n - first_];
      if (!for_lanes(w)) continue;
      next = std::min(next, std::max(opens, due(role(i), w)));
      break;
    }
  }
  return next;
}

// What is new for that channel, and what is to be written again, wherever it was.
void RedundantLanes::write_alone(ChannelId channel, WriteBatch& batch, Timestamp now) {
  if (alone_unwritten_ == 0) return;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    Waiting& w = waiting_[i];
    if (!w.alone) continue;
    const bool its = w.state == State::kNew && w.alone == channel;
    const bool again = w.state == State::kAgain && (w.alone != channel || w.channels == 0);
    if (!its && !again) continue;
    --alone_unwritten_;
    w.alone = channel;
    write(first_ + i, track_of(channel), batch, now);
  }
}

void RedundantLanes::write_all_again(Track& track, WriteBatch& batch, Timestamp now) {
  if (!std::exchange(again_, false)) return;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].state != State::kAgain || waiting_[i].alone) continue;
    if (track.under_way < kMostUnderWay) {
      write(first_ + i, track, batch, now);
    } else {
      again_ = true;
    }
  }
}

void RedundantLanes::produce(ChannelId channel, WriteBatch& batch, Timestamp now) {
  write_alone(channel, batch, now);
  const auto lane = std::ranges::find(lanes_, channel, &Lane::channel);
  if (lane == lanes_.end()) return;
  const auto index = static_cast<std::size_t>(lane - lanes_.begin());
  const Role its_role = role(index);
  Track& track = *find(channel);
  if (now < opens_at(index)) return;
  const std::size_t before = batch.size();
  write_all_again(track, batch, now);
  for (lane->next = std::max(lane->next, first_);
       lane->next < next_number() && track.under_way < kMostUnderWay; ++lane->next) {
    const Waiting& w = *find(lane->next);
    if (!for_lanes(w) || w.chunk.deadline <= now) continue;
    if (now < due(its_role, w)) break;
    write(lane->next, track, batch, now);
  }
  if (batch.size() == before) return;
  const ByteCount spent = ByteCount::of(batch.size() - before) + kAround;
  spent_ += spent;
  if (its_role == Role::kFirst || path_ == qvid::DataRate()) return;
  copies_.any(copy_rate(), now);
  copies_.take(static_cast<double>(spent.value()));
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
