// Numbered records that the peer's end has not acknowledged, with what it takes to write them
// again over another channel.
//
// A record that was written again gives a sample of the round trip, too, but for the first
// acknowledgement after it: that one may be for what the channel before has brought. Then the round
// trip is longer than since the second writing, so where that is longer than what is known, it counts.
// What was written before the end of an outage gives none, and is not in flight: it was lost, or
// waits at this end for TCP to try again.
//
// Acknowledgements are cumulative: `ack(n)` means that every record before n has arrived. Records
// [0, in_flight_) were written to the current channel; the rest wait to be written again, after a
// failover. Bound: kMaxRecords and kMaxBytes; the sender writes nothing new while `full`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/ring_buffer.h"
#include "transport/control/rtt_estimator.h"
#include "transport/send/send_queue.h"
#include "transport/wire/message.h"
#include "transport/wire/record.h"

namespace paceline {

class AckTracker {
 public:
  static constexpr std::size_t kMaxRecords = 65536;
  static constexpr ByteCount kMaxBytes = ByteCount(32 * 1024 * 1024);
  // No path is slower; a longer time is that of a host that slept.
  static constexpr Duration kLongestRtt = std::chrono::seconds(10);

  struct Written {
    Timestamp first_at;  // when it was written the first time
    Timestamp at;        // and the last time
    ByteCount bytes;     // on the wire
    RecordType type = RecordType::kPing;
    bool again = false;   // written more than once
    OutgoingChunk chunk;  // of a cancel and a stream close: stream and number only
  };

  // A new record, written to the current channel. Precondition: none waits to be written again.
  void on_written(Written record) {
    bytes_ += record.bytes;
    flight_bytes_ += record.bytes;
    records_.push_back(std::move(record));
    ++in_flight_;
  }

  struct Acked {
    ByteCount bytes;  // of records in flight on the current channel
    Duration rtt{};   // zero: no valid sample
    bool any = false;
  };
  // `current`: it came over the channel that carries the content. Empty: the peer acknowledges what
  // was never sent. Calls `delivered` for each record passed.
  template <class F>
  [[nodiscard]] std::optional<Acked> on_ack(std::uint64_t next_expected, bool current,
                                            Timestamp now, F&& delivered) {
    if (next_expected > first_ + records_.size()) return std::nullopt;
    Acked acked;
    if (current && is_news(next_expected) && std::exchange(stands_, false)) {
      measured_from_ = next_number();
    }
    while (first_ < next_expected) {
      Written& record = records_.front();
      if (in_flight_ > 0) {
        --in_flight_;
        const bool cut = first_ < cut_to_;
        (cut ? cut_bytes_ : flight_bytes_) -= record.bytes;
        if (!cut) acked.bytes += record.bytes;
        // The newest of them counts: the smallest round trip.
        const Duration since = now - record.at;
        const bool tells = !record.again || !moved_ || (rtt_.valid() && since > rtt_.rtt());
        acked.rtt = tells && first_ >= measured_from_ ? since : Duration();
      } else {
        skipped_ = true;
      }
      acked.any = true;
      bytes_ -= record.bytes;
      acked_ += record.bytes;
      delivered(record);
      records_.pop_front();
      ++first_;
    }
    if (current) moved_ = false;
    if (!current || acked.rtt > kLongestRtt) acked.rtt = {};
    if (acked.rtt > Duration()) rtt_.add(acked.rtt);
    return acked;
  }

  // Such an acknowledgement covers what none before it did.
  bool is_news(std::uint64_t next_expected) const { return next_expected > first_; }

  // All that is outstanding waits to be written again, to another channel; which stands as long as the
  // last one, for all that is known.
  void restart() {
    moved_ = true;
    in_flight_ = 0;
    forget_cut();
    flight_bytes_ = ByteCount();
  }
  // Nothing came through for a while, and now something does, this way or another. The socket may
  // stand still for longer, until its kernel writes again: what is written until it moves is no
  // sample of the round trip.
  void on_outage_over() {
    stands_ = true;
    cut_to_ = next_number();
    cut_bytes_ += std::exchange(flight_bytes_, ByteCount());
  }
  // What an outage has cut, and nobody waits for any more, ends: calls lost(chunk) with the last chunk
  // of each such message. Its records are still acknowledged.
  template <class F>
  void expire_cut(Timestamp now, F&& lost) {
    for (std::size_t i = 0; i < records_.size() && first_ + i < cut_to_; ++i) {
      const Written& r = records_[i];
      if (r.type != RecordType::kChunk || !r.chunk.last || r.chunk.deadline > now) continue;
      lost(r.chunk);
      forget(MessageId(r.chunk.message));
    }
  }
  bool waits_again() const { return in_flight_ < records_.size(); }
  // The next record to be written again, and that it was. Precondition of both: waits_again().
  const Written& next_again() const { return records_[in_flight_]; }
  void on_written_again(ByteCount bytes, Timestamp now) {
    Written& record = records_[in_flight_++];
    bytes_ += bytes - record.bytes;
    flight_bytes_ += bytes;
    record.bytes = bytes;
    record.at = now;
    record.again = true;
  }
  // The number of the next record that will be written.
  std::uint64_t next_number() const { return first_ + in_flight_; }
  // True once after records were acknowledged that waited to be written again: the numbers jump.
  bool take_skipped() { return std::exchange(skipped_, false); }

  // Nobody wants the message any more: its chunks, written again, are empty records.
  void forget(MessageId message) {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      Written& r = records_[i];
      if (r.type != RecordType::kChunk || r.chunk.message != message) continue;
      r.type = RecordType::kPing;
      r.chunk = {};
    }
  }

  // Takes the oldest out without an acknowledgement: the session is over.
  std::optional<Written> abandon() {
    if (records_.empty()) return std::nullopt;
    Written record = std::move(records_.front());
    records_.pop_front();
    ++first_;
    bytes_ -= record.bytes;
    in_flight_ = 0;
    forget_cut();
    flight_bytes_ = ByteCount();
    return record;
  }

  bool full() const { return records_.size() >= kMaxRecords || bytes_ >= kMaxBytes; }
  bool empty() const { return records_.empty(); }
  ByteCount bytes() const { return bytes_; }
  ByteCount in_flight() const { return flight_bytes_; }
  // Written to the current channel before the end of an outage, and not acknowledged.
  ByteCount cut() const { return cut_bytes_; }
  ByteCount acked() const { return acked_; }
  // When the oldest unacknowledged record was written, the first and the last time; kNever where
  // there is none (in flight).
  Timestamp oldest() const { return records_.empty() ? qvid::kNever : records_.front().first_at; }
  Timestamp oldest_in_flight() const {
    return in_flight_ == 0 ? qvid::kNever : records_.front().at;
  }
  const RttEstimator& rtt() const { return rtt_; }

 private:
  void forget_cut() {
    cut_to_ = 0;
    cut_bytes_ = ByteCount();
    measured_from_ = 0;
  }

  qvid::RingBuffer<Written> records_;
  std::uint64_t first_ = 0;  // number of records_.front()
  std::size_t in_flight_ = 0;
  ByteCount bytes_;
  ByteCount flight_bytes_;
  ByteCount cut_bytes_;
  std::uint64_t cut_to_ = 0;         // number of the first that was written since then
  bool stands_ = false;              // nothing was acknowledged since then
  std::uint64_t measured_from_ = 0;  // number of the first that tells of the round trip
  ByteCount acked_;                  // in all
  bool skipped_ = false;
  bool moved_ = false;  // to another channel, and nothing was acknowledged since
  RttEstimator rtt_;
};

}  // namespace paceline
