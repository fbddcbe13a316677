#include "transport/session/channel_choice.h"

#include <algorithm>
#include <utility>

namespace paceline {

void ChannelChoice::begin(ChannelId channel, Timestamp now) {
  channels_.set_active(channel);
  sender_.touch(now);
  sender_.start_epoch(false, now);
  sender_.ping();  // at once: the first sample of the round trip
}

const Channel* ChannelChoice::standby() const {
  const auto better = [this](const Channel& a, const Channel& b) {
    if (a.abandoned != b.abandoned) return b.abandoned;
    if (a.small() != b.small()) return a.small() == segments_.small();
    const bool a_shared = channels_.receiving() == a.id;
    const bool b_shared = channels_.receiving() == b.id;
    if (a_shared != b_shared) return b_shared;
    const bool a_lane = sender_.lanes().is_lane(a.id);
    const bool b_lane = sender_.lanes().is_lane(b.id);
    if (a_lane != b_lane) return b_lane;
    return a.last_heard > b.last_heard;
  };
  const Channel* best = nullptr;
  for (const Channel& c : std::as_const(channels_).all()) {
    if (!c.open || c.id == channels_.active()) continue;
    if (best == nullptr || better(c, *best)) best = &c;
  }
  return best;
}

std::optional<ChannelId> ChannelChoice::fail_over(const std::string& reason, Timestamp now) {
  const Channel* next = standby();
  if (!stall_) {
    const Timestamp oldest = sender_.acks().oldest_in_flight();
    stall_ =
        Stall{oldest == qvid::kNever ? now : std::max(oldest, sender_.last_progress()), reason};
  }
  if (next == nullptr) return std::nullopt;
  std::optional<ChannelId> failed = channels_.active();
  channels_.set_active(next->id);
  channels_.find(next->id)->abandoned = false;
  if (failed && hardly_any_left()) {
    channels_.find(*failed)->abandoned = true;
    failed.reset();
  }
  segments_.tell();
  sender_.start_epoch(true, now);
  sender_.ping();
  return failed;
}

Timestamp ChannelChoice::fails_at() const {
  if (!config_.failover || !channels_.active() || standby() == nullptr) return qvid::kNever;
  return sender_.failover_at();
}

std::optional<FailedOver> ChannelChoice::on_progress(Timestamp now) {
  if (!stall_) return std::nullopt;
  const Stall stall = *std::exchange(stall_, std::nullopt);
  return FailedOver{.sending = true,
                    .gap = now - stall.since,
                    .counter = sender_.failovers(),
                    .reason = stall.reason};
}

const Channel* ChannelChoice::better_channel() const {
  const auto active = channels_.active();
  const Channel* current = active ? channels_.find(*active) : nullptr;
  if (current == nullptr) return nullptr;
  const Channel* other = standby();
  if (other == nullptr || other->abandoned) return nullptr;
  if (other->small() != current->small()) {
    return other->small() == segments_.small() ? other : nullptr;
  }
  // Where both directions have met on one channel, the server's moves.
  const bool shared = side_ == Side::kServer && channels_.receiving() == active;
  return shared && channels_.receiving() != other->id ? other : nullptr;
}

void ChannelChoice::move_if_better(Timestamp now) {
  if (stall_) return;
  const Channel* better = better_channel();
  sender_.hold_back(better != nullptr);
  if (better == nullptr || !sender_.acks().empty()) return;
  channels_.set_active(better->id);
  sender_.start_epoch(false, now);
  sender_.ping();
}

}  // namespace paceline
