// What a seat was to be sent in a while, and what of it was given up, by importance.
//
//   offered = sent, and what could not be used any more because something it needs was given up
//   lost    = of offered: given up before it was sent, on its way, or not usable
//
// What is on its way at the end of a while counts as offered in that one and as delivered or lost
// in the next.
//
// Bound: kMostClasses; what is of one more importance counts with the nearest. Pure. Thread: one at
// a time.
#pragma once

#include <cstdint>
#include <vector>

#include "pubsub/broker/item_log.h"

namespace qps {

class SeatTally {
 public:
  static constexpr std::size_t kMostClasses = 16;

  // Fragments of one importance of the envelope.
  struct Class {
    std::uint8_t importance = 0;
    std::int64_t offered = 0;
    std::int64_t lost = 0;
  };

  void on_offered(std::uint8_t importance, ByteCount size);
  // Of a part; nullptr: too old to know of which importance it was.
  void on_lost(const ItemLog::Entry* part);
  // Was not sent at all: what it needs is lost.
  void on_unusable(const ItemLog::Entry* part, ByteCount size);
  void on_delivered(ByteCount size) { delivered_ += size; }
  void add(const SeatTally& other);

  const std::vector<Class>& classes() const { return classes_; }  // by importance, the least first
  std::int64_t offered() const { return offered_; }               // fragments
  std::int64_t lost() const { return lost_; }
  ByteCount offered_bytes() const { return offered_bytes_; }
  ByteCount delivered_bytes() const { return delivered_; }

 private:
  Class& class_of(std::uint8_t importance);

  std::vector<Class> classes_;
  std::int64_t offered_ = 0;
  std::int64_t lost_ = 0;
  ByteCount offered_bytes_;
  ByteCount delivered_;
};

}  // namespace qps
