// What holds the content of a direction, the controller or the other end's limit, until when, and what
// is told of it to who makes the content.
#include <algorithm>
#include <utility>

#include "transport/send/sender.h"

namespace paceline {
namespace {

// What urgent messages, and what goes more than once, take of the share is smoothed over some eight
// reports; where it is most of it, so much is left to the others.
constexpr double kOverheadWeight = 1. / 8;
constexpr double kLeastLeft = .25;
// The other end's limit is told for so long after content waited for it: a source that keeps to it
// makes none wait, and would else try every second whether there is more.
constexpr Duration kLimitHolds = std::chrono::seconds(5);

}  // namespace

bool Sender::gated(Timestamp now) const {
  return wants_to_write() && controller_->allowance(now) <= ByteCount();
}

Timestamp Sender::opens_at(Timestamp now) const {
  if (!wants_to_write() || allowance(now) > ByteCount()) return qvid::kNever;
  const Timestamp limit = limiter_.allowance(now) > ByteCount() ? now : limiter_.opens_at(now);
  if (!gated(now)) return limit;
  const Timestamp active = controller_->opens_at(now);
  const Timestamp stripes = stripes_.empty() ? qvid::kNever : controller_->elsewhere_at(now);
  // else only an ack opens it
  return std::max(limit, stripes > now ? std::min(active, stripes) : active);
}

// Who is held by the other end's limit tells nothing of the path, as who has nothing to send.
void Sender::note_closed_gate(bool content_waits, Timestamp now) {
  if (!content_waits) return;
  const bool by_path = controller_->allowance(now) <= ByteCount();
  gate_limited_ |= by_path;
  if (limiter_.allowance(now) <= ByteCount()) {
    limited_until_ = now + kLimitHolds;
  } else if (by_path) {
    limited_until_ = {};
  }
}

void Sender::tell_rate(Timestamp now) {
  const qvid::DataRate rate = controller_->drain_rate();
  const bool news =
      rate > qvid::DataRate() &&
      (slowed_to_ == qvid::DataRate() || rate < qvid::DataRate::from_bps(slowed_to_.bps() / 5 * 4));
  if (rate == qvid::DataRate() || news) slowed_to_ = rate;
  if (news) events_.push_back(PathRate{rate, PathRate::Reason::kSlowed});
  if (now < share_told_at_ + PathRate::kShareEvery) return;
  const qvid::DataRate share = controller_->signals().share;
  const bool limited =
      now < limited_until_ && (share == qvid::DataRate() || limiter_.rate() < share);
  const qvid::DataRate all = limited ? limiter_.rate() : share;
  if (all == qvid::DataRate()) return;
  const ByteCount overhead = lanes_.spent() + overhead_;
  const auto took =
      qvid::DataRate::of(overhead - std::exchange(overhead_told_, overhead), now - share_told_at_);
  overhead_rate_ = overhead_rate_ + (took - overhead_rate_) * kOverheadWeight;
  share_told_at_ = now;
  const qvid::DataRate left = std::max(all - overhead_rate_, all * kLeastLeft);
  events_.push_back(PathRate{left, limited ? PathRate::Reason::kLimit : PathRate::Reason::kShare});
}

}  // namespace paceline
