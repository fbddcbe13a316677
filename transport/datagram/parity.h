// Forward error correction: of several datagrams one parity, by which whichever of them is lost is made
// again without a round trip. (The exclusive or of RFC 5109, over what is sealed in the datagrams.)
//
//   sender    ParityMaker adds up the frames of the datagrams with content that it sends
//   receiver  ParityTaker keeps what has come; with a parity, and all but one of those that it is of,
//             it has that one
//
// Bounds: a maker covers kMostCovered datagrams among kSpan numbers; a taker keeps kKept datagrams, for as
// long as parities come (kKeepFor): who sends none costs nothing. Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transport/datagram/datagram_frame.h"
#include "transport/datagram/packet_window.h"

namespace paceline {

inline void add_without_carry(std::vector<std::byte>& sum, std::span<const std::byte> bytes) {
  if (sum.size() < bytes.size()) sum.resize(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) sum[i] ^= bytes[i];
}

class ParityMaker {
 public:
  static constexpr std::uint64_t kSpan = 32;  // numbers: bits of Parity::mask
  static constexpr std::size_t kMostCovered = 12;

  void add(std::uint64_t number, std::span<const std::byte> frames, Timestamp now) {
    if (covered_ == 0 || number - first_ >= kSpan) {
      begin_anew();
      first_ = number;
      began_ = now;
    }
    ended_ = now;
    ++covered_;
    mask_ |= 1u << (number - first_);
    length_ ^= static_cast<std::uint16_t>(frames.size());
    add_without_carry(sum_, frames);
  }
  std::size_t covered() const { return covered_; }
  // When the first and the last that it covers went.
  Timestamp began() const { return began_; }
  Timestamp ended() const { return ended_; }
  // It takes no more, or hardly.
  bool full(std::uint64_t next) const {
    return covered_ >= kMostCovered || (covered_ > 0 && next - first_ >= kSpan);
  }
  // Precondition: covered() > 0. Points into this.
  Parity parity() const {
    return {.first = first_, .mask = mask_, .length = length_, .bytes = sum_};
  }
  void begin_anew() {
    covered_ = 0;
    mask_ = 0;
    length_ = 0;
    sum_.clear();
  }

 private:
  std::uint64_t first_ = 0;
  std::uint32_t mask_ = 0;
  std::uint16_t length_ = 0;
  std::vector<std::byte> sum_;
  std::size_t covered_ = 0;
  Timestamp began_{};
  Timestamp ended_{};
};

class ParityTaker {
 public:
  static constexpr std::size_t kKept = 64;
  static constexpr Duration kKeepFor = std::chrono::seconds(10);

  struct Restored {
    std::uint64_t number = 0;
    std::vector<std::byte> frames;
  };

  // A datagram has come.
  void on_frames(std::uint64_t number, std::span<const std::byte> frames, Timestamp now) {
    if (now >= keep_until_) return;
    Kept& kept = kept_[number % kKept];
    kept.number = number;
    kept.frames.assign(frames.begin(), frames.end());
  }
  // What it restores; empty: all have come, more than one has not, or one is not kept any more. `came`:
  // those that have.
  std::optional<Restored> on_parity(const Parity& parity, const PacketWindow& came, Timestamp now) {
    keep_until_ = now + kKeepFor;
    std::optional<std::uint64_t> lost;
    std::vector<std::byte> sum(parity.bytes.begin(), parity.bytes.end());
    std::size_t length = parity.length;
    for (std::uint64_t i = 0; i < ParityMaker::kSpan; ++i) {
      if ((parity.mask >> i & 1) == 0) continue;
      const std::uint64_t number = parity.first + i;
      const bool has =
          number < came.next() && number + PacketWindow::kSize >= came.next() && came.has(number);
      if (!has) {
        if (lost) return std::nullopt;
        lost = number;
        continue;
      }
      const Kept& kept = kept_[number % kKept];
      if (kept.number != number || kept.frames.empty()) return std::nullopt;
      length ^= kept.frames.size();
      add_without_carry(sum, kept.frames);
    }
    if (!lost) return std::nullopt;
    sum.resize(std::min(length, sum.size()));
    return Restored{*lost, std::move(sum)};
  }

 private:
  struct Kept {
    std::uint64_t number = 0;
    std::vector<std::byte> frames;
  };
  std::array<Kept, kKept> kept_{};
  Timestamp keep_until_{};
};

}  // namespace paceline
