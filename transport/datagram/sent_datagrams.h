// Datagrams that were sent: which have arrived, which are lost, and when that is decided.
// Source: RFC 9002 section 6.
//
//   lost    one that was sent kReordering before one that has arrived, or 9/8 of a round trip
//           before it; where one comes after all, reordering is taken to be as wide as that, and
//           as long, two round trips at the most; with each loss a sixteenth of that is forgotten
//   probe   nothing arrives for a round trip and what it varies: something is sent again. Where that was
//           given up and came after all, a round trip is as long as that
//   failed  nothing arrives for two such time-outs, 120 ms at the least, and kLeastUnanswered have gone, the
//           last of them a time-out ago: where little is sent, each probe is one of them
//
// Some numbers are never used: who acknowledges one of them acknowledges what it did not get
// (RFC 9000 section 21.4). Bound: kMost datagrams; while `full`, nothing that is acknowledged is sent, and
// beyond twice that nothing at all.
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/sliding_minimum.h"
#include "transport/control/rtt_estimator.h"
#include "transport/datagram/datagram_frame.h"

namespace paceline {

class SentDatagrams {
 public:
  static constexpr std::size_t kMost = 8192;
  static constexpr std::size_t kMostPieces = 4;

  // A part of a message.
  struct Piece {
    std::uint64_t message = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Datagram {
    Timestamp at;
    bool asks = false;          // for an acknowledgement
    std::size_t mtu_probe = 0;  // its size, where it tries a larger one
    std::size_t size = 0;       // bytes on the line
    ByteCount content{};        // bytes of pieces, and of a parity
    std::array<Piece, kMostPieces> pieces{};
    std::size_t count = 0;   // of pieces
    std::size_t copies = 0;  // of these, the first: what they are of has gone before

    // kRestored: the peer has what was in it, and it is lost, or late.
    enum class State : std::uint8_t { kUnderWay, kRestored, kLost, kGivenUp, kSettled, kNeverSent };
    State state = State::kUnderWay;
  };

  std::uint64_t next() const { return first_ + sent_.size(); }
  // That number is not used.
  void skip() { sent_.push_back({.at = {}, .state = Datagram::State::kNeverSent}); }
  // Its number is next().
  void on_sent(const Datagram& datagram) {
    if (datagram.asks) {
      ++asking_;
      under_way_ += ByteCount::of(datagram.size);
      content_ += datagram.content;
    }
    sent_.push_back(datagram);
    forget_settled();
  }
  bool full() const { return sent_.size() >= kMost; }
  // Not even what asks for nothing may be sent: it is remembered behind what asks.
  bool stuffed() const { return sent_.size() >= 2 * kMost; }

  struct Acked {
    bool any = false;  // of those that asked
    Duration rtt{};    // zero: no sample
  };
  // Calls arrived(datagram) for each that is acknowledged for the first time, also after it was
  // taken for lost. Empty: it acknowledges what was never sent.
  template <class F>
  [[nodiscard]] std::optional<Acked> on_ack(const DatagramAck& ack, Timestamp now, F&& arrived) {
    if (ack.ranges[0].last >= next()) return std::nullopt;
    Acked acked;
    for (std::size_t i = 0; i < ack.count; ++i) {
      const auto [first, last] = ack.ranges[i];
      if (last < first_) break;
      for (std::uint64_t n = last + 1; n-- > std::max(first, first_);) {
        Datagram& d = sent_[n - first_];
        if (d.state == Datagram::State::kNeverSent) return std::nullopt;
        if (d.state == Datagram::State::kSettled) continue;
        if (d.state == Datagram::State::kGivenUp) {
          d.state = Datagram::State::kSettled;
          if (!acked.any && n >= highest_) late_ = now - d.at;
          acked.any = true;
          continue;
        }
        if (d.state == Datagram::State::kLost) {
          reordering_ = std::min(std::max(reordering_, highest_ - std::min(n, highest_) + 1),
                                 kMostReordering);
          late_for_ = std::max(late_for_, now - d.at);
        } else if (waits(d)) {
          leaves(d);
        }
        if (d.asks) acked.any = true;
        if (n >= highest_ && d.asks && d.state == Datagram::State::kUnderWay) {
          acked.rtt = now - d.at;
          latest_ = acked.rtt;
          last_[samples_++ % last_.size()] = acked.rtt;
          least_.add(acked.rtt, now);
          late_ = {};
          sampled_at_ = now;
          rtt_.add(acked.rtt);
        }
        highest_ = std::max(highest_, n);
        d.state = Datagram::State::kSettled;
        arrived(std::as_const(d));
      }
    }
    if (acked.any) progress_ = now;
    if (acked.any) probes_ = 0;
    forget_settled();
    return acked;
  }

  // No peer can have that one.
  bool never_sent(std::uint64_t number) const {
    if (number >= next()) return true;
    return number >= first_ && sent_[number - first_].state == Datagram::State::kNeverSent;
  }
  // The peer has what was in that one by a parity: gives it, and there is nothing in it any more. Whether it
  // was lost, or is only late, is found out as ever. Empty: nothing is known of it any more, or it was given
  // up.
  std::optional<Datagram> on_restored(std::uint64_t number) {
    if (number < first_ || number >= next()) return std::nullopt;
    Datagram& d = sent_[number - first_];
    const bool under_way = d.state == Datagram::State::kUnderWay && d.asks;
    if (!under_way && d.state != Datagram::State::kLost) return std::nullopt;
    const Datagram was = d;
    d.count = 0;
    if (under_way) {
      leaves_the_way(d);
      d.state = Datagram::State::kRestored;
    }
    return was;
  }

  // Calls lost(datagram) for each that is taken for lost now.
  template <class F>
  void find_lost(Timestamp now, F&& lost) {
    lost_at_ = qvid::kNever;
    const Duration round_trip = std::max(rtt_.rtt(), latest_);
    const Duration patience =
        std::max({round_trip * 9 / 8, std::min(late_for_ * 9 / 8, 2 * round_trip), kLeastPatience});
    const std::uint64_t below = std::min(highest_, next());
    for (std::uint64_t n = waiting_from_; n < below; ++n) {
      Datagram& d = sent_[n - first_];
      if (!waits(d)) continue;
      if (n + reordering_ <= highest_ || d.at + patience <= now) {
        late_for_ -= late_for_ / kForget;
        leaves(d);
        d.state = Datagram::State::kLost;
        lost(std::as_const(d));
      } else {
        lost_at_ = std::min(lost_at_, d.at + patience);
      }
    }
    forget_settled();
  }
  // When find_lost has more to find; kNever: only an acknowledgement tells.
  Timestamp lost_at() const { return lost_at_; }

  // --- when nothing arrives ---
  Duration probe_timeout() const {
    if (!rtt_.valid()) return std::max(kFirstTimeout, 3 * expected_);
    return std::min(
        std::max(rtt_.rtt() + std::max(2 * rtt_.variation(), kLeastVariation), late_ * 9 / 8),
        kLongestTimeout);
  }
  // A round trip as another way has it; before the first sample nothing else is known.
  void expect(Duration rtt) { expected_ = rtt; }
  // As long as is known by either way; zero: not known.
  Duration round_trip() const { return std::max(rtt_.rtt(), expected_); }
  // By how much half of the last few round trips were longer than the shortest of late. They are of what was
  // sent around one that is found to be lost now.
  Duration queue() const {
    if (least_.empty()) return {};
    auto last = last_;
    std::ranges::nth_element(last, last.begin() + kLast / 2);
    return std::max(last[kLast / 2] - least_.least(), Duration());
  }
  // When the last sample came.
  Timestamp sampled_at() const { return sampled_at_; }
  // When something is to be sent again although nothing says that it is lost.
  Timestamp probe_at() const {
    return asking_ == 0 ? qvid::kNever : waits_since() + probe_timeout() * (probes_ + 1);
  }
  void on_probe() { ++probes_; }
  // When the path has failed. Of two alone, an end that only acknowledges loses both now and then by chance.
  Timestamp fails_at() const {
    if (asking_ < kLeastUnanswered && !full()) return qvid::kNever;
    const Datagram* last = among_oldest(kLeastUnanswered);
    if (last == nullptr) return qvid::kNever;
    return std::max(waits_since() + std::max<Duration>(2 * probe_timeout(), kSoonestFailure),
                    last->at + probe_timeout());
  }
  bool any_under_way() const { return asking_ > 0; }
  // Bytes on the line of those that ask for an acknowledgement: what goes twice and parities, too.
  ByteCount under_way() const { return under_way_; }
  ByteCount content_under_way() const { return content_; }
  // The oldest that may still arrive, for a probe; nullptr: none.
  const Datagram* oldest_under_way() const { return among_oldest(1); }
  // What is under way is given up; the numbers go on. Where it comes after all, an acknowledgement
  // says no more than that something has come.
  void give_up() {
    for (Datagram& d : sent_) {
      if (d.state != Datagram::State::kUnderWay && d.state != Datagram::State::kRestored) continue;
      d.state = d.asks ? Datagram::State::kGivenUp : Datagram::State::kSettled;
    }
    asking_ = 0;
    under_way_ = content_ = {};
    probes_ = 0;
    lost_at_ = qvid::kNever;
    forget_settled();
  }
  const RttEstimator& rtt() const { return rtt_; }

 private:
  static constexpr std::uint64_t kReordering = 3;
  static constexpr std::uint64_t kMostReordering = 64;
  static constexpr Duration kLeastPatience = std::chrono::milliseconds(1);
  static constexpr Duration kFirstTimeout = std::chrono::milliseconds(250);
  static constexpr Duration kLeastVariation = std::chrono::milliseconds(20);
  static constexpr Duration kLongestTimeout = std::chrono::seconds(5);
  static constexpr std::size_t kLeastUnanswered = 5;
  // A radio that pauses for 100 ms has not failed.
  static constexpr Duration kSoonestFailure = std::chrono::milliseconds(120);
  static constexpr std::size_t kLast = 6;
  // With each loss that part of what was learnt of lateness (RFC 8985 forgets it after 16 recoveries).
  static constexpr int kForget = 16;
  // Behind what was lost or given up, and may come after all; of challenges and answers, 5 s.
  static constexpr std::size_t kRemembered = 512;

  Timestamp oldest() const {
    const Datagram* d = oldest_under_way();
    return d == nullptr ? qvid::kNever : d->at;
  }
  // The last of the `most` oldest that may still arrive, or of fewer; nullptr: none.
  const Datagram* among_oldest(std::size_t most) const {
    std::size_t left = std::min(asking_, most);
    if (left == 0) return nullptr;
    for (std::uint64_t n = waiting_from_; n < next(); ++n) {
      const Datagram& d = sent_[n - first_];
      if (waits(d) && --left == 0) return &d;
    }
    return nullptr;
  }
  void leaves(const Datagram& d) {
    --asking_;
    if (d.state != Datagram::State::kRestored) leaves_the_way(d);
  }
  void leaves_the_way(const Datagram& d) {
    under_way_ -= ByteCount::of(d.size);
    content_ -= d.content;
  }
  Timestamp waits_since() const { return std::max(oldest(), progress_); }
  // It may still arrive.
  static bool waits(const Datagram& d) {
    using enum Datagram::State;
    return d.asks && (d.state == kUnderWay || d.state == kRestored);
  }
  void forget_settled() {
    while (waiting_from_ < next() && !waits(sent_[waiting_from_ - first_])) ++waiting_from_;
    while (!sent_.empty()) {
      const Datagram& d = sent_.front();
      const bool gone = d.state == Datagram::State::kLost || d.state == Datagram::State::kGivenUp;
      const bool may_come = gone && sent_.size() <= kRemembered;
      const bool trap = d.state == Datagram::State::kNeverSent && sent_.size() <= kRemembered;
      if (waits(d) || may_come || trap) return;
      sent_.pop_front();
      ++first_;
    }
  }

  std::deque<Datagram> sent_;
  std::uint64_t first_ = 0;  // number of sent_.front()
  // None below waits. At least first_.
  std::uint64_t waiting_from_ = 0;
  std::uint64_t highest_ = 0;  // that has arrived
  std::uint64_t reordering_ = kReordering;
  // The longest that one took that was taken for lost and came after all.
  Duration late_for_{};
  std::size_t asking_ = 0;  // under way
  ByteCount under_way_;     // these
  ByteCount content_;
  int probes_ = 0;  // since something arrived
  Timestamp progress_{};
  Timestamp lost_at_ = qvid::kNever;
  Duration latest_{};
  std::array<Duration, kLast> last_{};
  qvid::SlidingMinimum<Duration> least_{std::chrono::seconds(10), 3};
  std::size_t samples_ = 0;
  Duration late_{};  // the round trip of what was given up and came after all, with no sample since
  Duration expected_{};
  Timestamp sampled_at_{};
  RttEstimator rtt_;
};

}  // namespace paceline
