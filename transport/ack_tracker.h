// Records written to the socket and not yet acknowledged by the peer's end of the session.
//
// Acknowledgements are cumulative: `ack(n)` means that every numbered record before n has arrived.
// Bound: kMaxRecords and kMaxBytes; the engine writes no more while `full`.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ring_buffer.h"
#include "transport/message.h"
#include "transport/rtt_estimator.h"

namespace paceline {

class AckTracker {
 public:
  static constexpr std::size_t kMaxRecords = 65536;
  static constexpr ByteCount kMaxBytes = ByteCount(32 * 1024 * 1024);

  struct Written {
    Timestamp at;
    ByteCount bytes;            // on the wire
    bool ends_message = false;  // the three below are set
    StreamId stream;
    MessageId message;
    ByteCount message_size;
  };

  void on_written(const Written& record) {
    records_.push_back(record);
    bytes_ += record.bytes;
  }

  // False: the peer acknowledges what was never sent. Calls `delivered` for each record passed.
  template <class F>
  [[nodiscard]] bool on_ack(std::uint64_t next_expected, Timestamp now, F&& delivered) {
    if (next_expected > first_ + records_.size()) return false;
    if (next_expected <= first_) return true;  // nothing new
    const std::uint64_t newest = next_expected - 1 - first_;
    rtt_.add(now - records_[static_cast<std::size_t>(newest)].at);
    while (first_ < next_expected) {
      const Written record = records_.front();
      records_.pop_front();
      ++first_;
      bytes_ -= record.bytes;
      acked_ += record.bytes;
      delivered(record);
    }
    return true;
  }

  // Takes the oldest out without an acknowledgement: the session is over.
  std::optional<Written> abandon() {
    if (records_.empty()) return std::nullopt;
    const Written record = records_.front();
    records_.pop_front();
    ++first_;
    bytes_ -= record.bytes;
    return record;
  }

  bool full() const { return records_.size() >= kMaxRecords || bytes_ >= kMaxBytes; }
  bool empty() const { return records_.empty(); }
  ByteCount bytes() const { return bytes_; }
  ByteCount acked() const { return acked_; }
  // When the oldest unacknowledged record was written; kNever where there is none.
  Timestamp oldest() const { return records_.empty() ? qvid::kNever : records_.front().at; }
  const RttEstimator& rtt() const { return rtt_; }

 private:
  qvid::RingBuffer<Written> records_;
  std::uint64_t first_ = 0;  // sequence number of records_.front()
  ByteCount bytes_;
  ByteCount acked_;  // in all
  RttEstimator rtt_;
};

}  // namespace paceline
