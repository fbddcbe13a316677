#include "lab/bed/goddard_client.h"

#include <algorithm>

namespace qvid::lab {
namespace {

const GoddardScale& scale_of(int scale) { return kGoddardScales[static_cast<std::size_t>(scale)]; }

}  // namespace

GoddardClient::GoddardClient(Timestamp begin, bool by_losses, const GoddardRules& rules)
    : begin_(begin), rules_(rules), scaling_(rules, by_losses) {}

void GoddardClient::open(Timestamp now) {
  if (state_ != State::kIdle) return;
  measures_.opened(now);
  state_ = State::kAsking;
  ask_for_pair(now);
}

void GoddardClient::on_pair(ByteCount packet, Duration dispersion, Timestamp now) {
  if (state_ != State::kAsking) return;
  // Two that came at once: as fast as a clock can tell.
  scaling_.begin(DataRate::of(packet, std::max(dispersion, Duration(1us))), now);
  result_.capacity_kbps = scaling_.capacity().kbps();
  ask_again_ = kNever;
  state_ = State::kBuffering;
  ask_for_scale();
}

void GoddardClient::on_frame(std::uint32_t number, int scale, Timestamp now) {
  if (scale < 0 || scale >= static_cast<int>(kGoddardScales.size())) return;
  turn(now);
  if (state_ != State::kBuffering && state_ != State::kPlaying) return;
  measure(number, scale, now);
  hold(number, scale);
  if (scaling_.on_frame(number, scale_of(scale).frame, now)) ask_for_scale();
  if (state_ == State::kBuffering && held_time_ >= rules_.reserve) {
    state_ = State::kPlaying;
    ask_for_scale();
    measures_.resumed(now);
    next_ = held_.begin()->first;
    due_ = now;
    turn(now);
  }
}

void GoddardClient::turn(Timestamp now) {
  if (ask_again_ <= now) ask_for_pair(now);
  while (state_ == State::kPlaying && due_ <= now) play(due_);
}

Timestamp GoddardClient::next_turn() const { return state_ == State::kPlaying ? due_ : ask_again_; }

GoddardResult GoddardClient::result(Timestamp now) const {
  GoddardResult result = result_;
  result.measures = measures_.summary(now);
  return result;
}

void GoddardClient::ask_for_pair(Timestamp now) {
  request_ = {.kind = GoddardRequest::Kind::kPair};
  ask_again_ = now + rules_.pair_timeout;
}

void GoddardClient::ask_for_scale() {
  request_ = {.kind = GoddardRequest::Kind::kStream,
              .scale = scaling_.scale(),
              .buffering = state_ == State::kBuffering};
}

void GoddardClient::hold(std::uint32_t number, int scale) {
  if (number < next_ || held_.size() >= kMostHeld) return;
  if (held_.emplace(number, scale).second) held_time_ += scale_of(scale).rate.frame_time();
}

void GoddardClient::play(Timestamp at) {
  const auto first = held_.begin();
  if (first == held_.end()) {
    state_ = State::kBuffering;
    due_ = kNever;
    measures_.stalled(at);
    result_.rebuffered.push_back(to_seconds(at - begin_));
    scaling_.on_rebuffering(at);
    return ask_for_scale();
  }
  const int scale = first->second;
  const Duration frame_time = scale_of(scale).rate.frame_time();
  due_ = at + frame_time;
  if (first->first > next_++) return measures_.lost(frame_time);
  measures_.shown(frame_time, scale, at);
  held_time_ -= frame_time;
  held_.erase(first);
}

void GoddardClient::measure(std::uint32_t number, int scale, Timestamp now) {
  if (last_received_ && number <= *last_received_) return;
  measures_.received(FrameNumber(number), now);
  if (result_.scales.empty() || result_.scales.back().second != scale) {
    result_.scales.emplace_back(to_seconds(now - begin_), scale);
  }
  if (last_received_ && result_.intervals_ms.size() < kMostIntervals) {
    result_.intervals_ms.push_back(static_cast<float>(
        to_ms(now - last_reception_) / static_cast<double>(number - *last_received_)));
  }
  last_received_ = number;
  last_reception_ = now;
}

}  // namespace qvid::lab
