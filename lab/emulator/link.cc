#include "lab/emulator/link.h"

#include <algorithm>
#include <utility>

#include "lab/emulator/flow.h"
#include "lab/emulator/uniform.h"

namespace qvid::lab {
namespace {

constexpr std::uint64_t kOthers = 0x9ae16a3b2f90404f;
constexpr double kUdpBurst = 0.05;    // s of its rate
constexpr double kLeastBurst = 3000;  // bytes: two packets

}  // namespace

Link::Link(const DirectionSpec& spec, std::unique_ptr<PacketQueue> queue, Timestamp start)
    : schedule_(spec.schedule),
      delay_(spec.delay),
      loss_(spec.loss),
      disorder_(spec.disorder),
      udp_(spec.udp),
      policer_(spec.policer),
      aggregate_(spec.aggregate),
      longer_ways_(spec.longer_ways),
      queue_(std::move(queue)),
      random_(spec.seed),
      others_(spec.seed ^ kOthers),
      start_(start),
      clock_(start),
      outage_until_(start),
      last_due_(start) {
  tell_capacity();
}

Link::Segment Link::segment() const {
  if (clock_ < outage_until_) return {DataRate(), outage_until_};
  const auto [rate, until] = schedule_.at(clock_ - start_);
  return {rate, until == Duration::max() ? kNever : start_ + until};
}

void Link::tell_capacity() {
  const DataRate capacity = schedule_.capacity(clock_ - start_);
  if (capacity == capacity_) return;
  capacity_ = capacity;
  queue_->set_capacity(capacity, clock_);
}

void Link::begin_next() {
  tell_capacity();
  sending_ = queue_->pop(clock_);
  if (!sending_) {
    credit_ = 0;
    return;
  }
  stats_.waiting.add(clock_ - sending_->arrived);
  work_ = sending_->size().value() * 8 * std::nano::den - credit_;
}

void Link::finish() {
  Packet packet = std::move(*sending_);
  // One draw for every packet, so that the losses of a seed do not depend on the rate of loss.
  if (uniform(random_) < loss_) {
    ++stats_.lost;
  } else {
    if (disorder_.twice > 0 && uniform(others_) < disorder_.twice) {
      ++stats_.duplicated;
      hand_on(packet);
    }
    hand_on(std::move(packet));
  }
  begin_next();
}

void Link::hand_on(Packet packet) {
  if (pipe_bytes_ + packet.size() > kMaxPipe) {
    ++stats_.pipe_overflow;
    return;
  }
  pipe_bytes_ += packet.size();
  Duration since = clock_ + delay_ - start_;
  if (aggregate_ > Duration::zero()) {
    since = (since + aggregate_ - Duration(1)) / aggregate_ * aggregate_;
  }
  packet.due = std::max(start_ + since, last_due_);
  Duration later = longer_way(packet);
  if (disorder_.later > 0 && uniform(others_) < disorder_.later) {
    ++stats_.reordered;
    later += disorder_.by;
  }
  if (later > Duration::zero()) {
    packet.due += later;
    later_.emplace(packet.due, std::move(packet));
    return;
  }
  last_due_ = packet.due;
  pipe_.push_back(std::move(packet));
}

void Link::advance(Timestamp to) {
  while (clock_ < to) {
    if (!sending_) {
      clock_ = to;
      return;
    }
    const auto [rate, until] = segment();
    const Timestamp end = std::min(until, to);
    if (rate == DataRate()) {
      clock_ = end;
      continue;
    }
    const std::int64_t needed = std::max<std::int64_t>(0, (work_ + rate.bps() - 1) / rate.bps());
    if (Duration(needed) > end - clock_) {
      work_ -= rate.bps() * (end - clock_).count();
      clock_ = end;
    } else {
      clock_ += Duration(needed);
      credit_ = rate.bps() * needed - work_;
      finish();
    }
  }
}

bool Link::filtered(const std::vector<std::byte>& bytes) {
  const bool filters_udp = udp_.drop || udp_.most || !udp_.outages.empty();
  if (!filters_udp && flow_rules_.empty()) return false;
  const Flow flow = flow_of(bytes);
  if (flow.transport == Transport::kUdp && refuses_udp(bytes.size())) {
    ++stats_.udp_drops;
    return true;
  }
  std::erase_if(flow_rules_, [&](const FlowRule& rule) { return rule.until <= clock_; });
  const bool dropped = std::any_of(flow_rules_.begin(), flow_rules_.end(),
                                   [&](const FlowRule& rule) { return flow.has_port(rule.port); });
  if (dropped) ++stats_.flow_drops;
  return dropped;
}

bool Link::refuses_udp(std::size_t size) {
  const Duration since = clock_ - start_;
  for (const Outage& outage : udp_.outages) {
    if (since >= outage.at && since < outage.at + outage.length) return true;
  }
  if (!udp_.most) return udp_.drop;
  const double bytes = static_cast<double>(udp_.most->bps()) / 8;  // a second
  if (!udp_bucket_.any({.per_second = bytes, .burst = std::max(kUdpBurst * bytes, kLeastBurst)},
                       clock_)) {
    return true;
  }
  udp_bucket_.take(static_cast<double>(size));
  return false;
}

bool Link::policed(std::size_t size) {
  if (!policer_) return false;
  const TokenRate rate{.per_second = static_cast<double>(policer_->rate.bps()) / 8,
                       .burst = static_cast<double>(policer_->burst.value())};
  if (!policer_bucket_.any(rate, clock_)) return true;
  policer_bucket_.take(static_cast<double>(size));
  return false;
}

Duration Link::longer_way(const Packet& packet) const {
  if (longer_ways_.empty()) return {};
  const auto found = longer_ways_.find(flow_of(packet.bytes).target_port);
  return found == longer_ways_.end() ? Duration{} : found->second;
}

void Link::push(std::vector<std::byte> bytes, Timestamp now) {
  advance(now);
  ++stats_.packets;
  stats_.bytes += bytes.size();
  if (filtered(bytes)) return;
  if (policed(bytes.size())) {
    ++stats_.policed;
    return;
  }
  tell_capacity();
  queue_->push(Packet{.bytes = std::move(bytes), .arrived = clock_}, clock_);
  if (!sending_) begin_next();
  stats_.max_queue = std::max(stats_.max_queue, queue_->bytes());
}

std::optional<Packet> Link::pop(Timestamp now) {
  advance(now);
  const bool late = !later_.empty() && (pipe_.empty() || later_.begin()->first < pipe_.front().due);
  if (!late && pipe_.empty()) return std::nullopt;
  if ((late ? later_.begin()->first : pipe_.front().due) > now) return std::nullopt;
  Packet packet = std::move(late ? later_.begin()->second : pipe_.front());
  if (late) {
    later_.erase(later_.begin());
  } else {
    pipe_.pop_front();
  }
  pipe_bytes_ -= packet.size();
  ++stats_.delivered;
  stats_.delivered_bytes += packet.bytes.size();
  stats_.lateness.add(now - packet.due);
  return packet;
}

Timestamp Link::next_event() const {
  Timestamp due = later_.empty() ? kNever : later_.begin()->first;
  if (!pipe_.empty()) return std::min(due, pipe_.front().due);
  if (!sending_) return due;
  const auto [rate, until] = segment();
  if (until == kNever && rate == DataRate()) return due;
  // Where the rate changes before the packet is out it is looked at again then.
  Timestamp end = until;
  if (rate > DataRate()) {
    end = std::min(end, clock_ + Duration(work_ / rate.bps() + 1));
  }
  return std::min(due, end + delay_);
}

void Link::set_rate(DataRate rate, Timestamp now) {
  advance(now);
  schedule_ = schedule_.with_rate(rate);
  tell_capacity();
}

void Link::set_delay(Duration delay, Timestamp now) {
  advance(now);
  delay_ = delay;
}

void Link::set_loss(double share, Timestamp now) {
  advance(now);
  loss_ = share;
}

void Link::outage(Duration length, Timestamp now) {
  advance(now);
  outage_until_ = std::max(outage_until_, clock_ + length);
}

void Link::drop_flow(std::uint16_t port, Duration length, Timestamp now) {
  advance(now);
  if (flow_rules_.size() == kMaxFlowRules) flow_rules_.erase(flow_rules_.begin());
  flow_rules_.push_back({port, clock_ + length});
}

LinkStats Link::stats() const {
  LinkStats stats = stats_;
  stats.queue_drops = queue_->dropped() - drops_before_;
  stats.queue_marks = queue_->marked() - marks_before_;
  return stats;
}

void Link::reset_stats(Timestamp now) {
  advance(now);
  stats_ = {};
  stats_.max_queue = queue_->bytes();
  drops_before_ = queue_->dropped();
  marks_before_ = queue_->marked();
}

}  // namespace qvid::lab
