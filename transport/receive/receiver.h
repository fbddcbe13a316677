// One direction's content as it arrives: each numbered record once, whichever channel brings it.
//
// Records come in order on every channel, and content comes over one channel at a time: that of the
// highest epoch seen. What an older channel still brings is ignored, since all that it might hold
// is written again. So the papers' illegal window (000 section 4.2: the numbers that may be
// duplicates) is the range from the `next` of an activate to next_expected, and one number keeps
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "transport/receive/reassembly.h"
#include "transport/wire/duplicate_filter.h"

namespace paceline {

class Receiver {
 public:
  explicit Receiver(const Limits& limits) : reassembly_(limits) {}

  enum class Moved : std::uint8_t { kNo, kRenumbered, kYes };
  // `on_active`: the channel that it came on carries the content already. kYes: from now on that
  // channel does. An error is the peer's fault.
  qvid::Result<Moved> on_activate(const Activate& a, bool on_active) {
    if (a.epoch < epoch_) return Moved::kNo;
    if (a.next > next_expected_) return qvid::Error{"content that goes on behind a gap"};
    if (a.epoch == epoch_) {
      if (!on_active) return qvid::Error{"two channels of one epoch"};
      next_here_ = a.next;
      return Moved::kRenumbered;
    }
    epoch_ = a.epoch;
    next_here_ = a.next;
    return Moved::kYes;
  }

  // A numbered record has come on the active channel. True: for the first time.
  bool on_numbered() {
    if (next_here_++ < next_expected_) {
      ++duplicates_;
      return false;
    }
    ++next_expected_;
    return true;
  }

  // A message has come on a lane. True: for the first time, and it is to be taken.
  qvid::Result<bool> on_lane_message(const LaneMessage& message) {
    if (!on_lanes_.take(message.number)) return false;
    return reassembly_.on_whole_message(message.stream, message.bytes.size());
  }

  Reassembly& reassembly() { return reassembly_; }
  std::uint64_t next_expected() const { return next_expected_; }
  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t duplicates() const { return duplicates_; }

 private:
  Reassembly reassembly_;
  DuplicateFilter on_lanes_;
  std::uint64_t epoch_ = 0;
  std::uint64_t next_expected_ = 0;
  std::uint64_t next_here_ = 0;  // number of the next record on the active channel
  std::uint64_t duplicates_ = 0;
};

}  // namespace paceline
