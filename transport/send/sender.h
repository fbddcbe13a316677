// One direction's content, from the application to the records of its active channel.
//
// Owns what waits (SendQueue), what is written and not acknowledged (AckTracker), how much may be
// written (Controller) and when the channel has failed (FailoverTimer); which channel that is, is
// the engine's to say: start_epoch() moves the content to another one. Nothing is lost or repeated
// by that: what is outstanding is written again under the same numbers, and the receiver's end
// takes each number once.
//
// Invariant: every message that `send` accepted ends in exactly one MessageEnded.
#pragma once

#include <memory>
#include <vector>

#include "transport/control/controller.h"
#include "transport/datagram/datagram_path.h"
#include "transport/send/ack_tracker.h"
#include "transport/send/failover.h"
#include "transport/send/rate_limiter.h"
#include "transport/send/redundant_lanes.h"
#include "transport/send/send_queue.h"
#include "transport/send/stripes.h"
#include "transport/wire/write_batch.h"

namespace paceline {

struct SenderOptions {
  ByteCount send_capacity;
  ByteCount reassembly_budget;  // the peer's
  Fairness fairness = Fairness::kResource;
  ControllerOptions controller;
};

class Sender {
 public:
  // Precondition: make_controller knows options.controller. Events are appended to `events`, which
  // outlives this.
  Sender(const SenderOptions& options, std::vector<SessionEvent>& events);

  // --- the application ---
  SendQueue& queue() { return queue_; }
  const SendQueue& queue() const { return queue_; }
  void close_stream(StreamId stream);
  bool cancel(MessageId message);
  void cancel_expired(Timestamp now);

  // --- the channel ---
  // Content goes on over another channel. `failover`: the one before has failed, and what is
  // outstanding is written again; else nothing is outstanding.
  void start_epoch(bool failover, Timestamp now);
  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t failovers() const { return failovers_; }
  // Appends what may be written to the active channel now, up to about `at_most` bytes; hands to
  // the lanes, where there are any, what goes there.
  void produce(WriteBatch& batch, Timestamp now, std::size_t at_most);

  // --- urgent messages on channels of their own ---
  RedundantLanes& lanes() { return lanes_; }
  const RedundantLanes& lanes() const { return lanes_; }
  // False: the peer acknowledges what was never sent.
  [[nodiscard]] bool on_lane_ack(ChannelId channel, std::uint64_t number, Timestamp now);
  // --- further sockets for what one does not carry ---
  Stripes& stripes() { return stripes_; }
  const Stripes& stripes() const { return stripes_; }
  // --- datagrams, where they pass ---
  // The path that messages in any order go by, and urgent ones; nullptr: none. Outlives this.
  void use_datagrams(DatagramPath* path, bool only) {
    path_ = path;
    only_datagrams_ = only;
  }
  // Gives the path what may be sent now. True: there is something, and the gate is open for it.
  bool feed_datagrams(Timestamp now);
  void on_datagram_written(const DatagramPath::Written& written, Timestamp now);
  void on_datagram_news(const DatagramPath::News& news, Timestamp now);
  void on_datagram_lost(Timestamp now) {
    controller_->on_outstanding(under_way(), now);
    controller_->on_lost(now);
  }
  // The path has failed: what is on it goes over sockets.
  void leave_datagrams(Timestamp now);
  // The other end wants no more content a second than that; zero: all there is.
  void limit(qvid::DataRate rate, Timestamp now) { limiter_.set(rate, now); }
  // Bytes of content that may be written now; zero or less: none.
  ByteCount allowance(Timestamp now) const {
    return std::min(controller_->allowance(now), limiter_.allowance(now));
  }
  // For a planned move: nothing new is written until the content is on another channel.
  void hold_back(bool hold) { held_back_ = hold; }
  // A numbered record that carries nothing: a sample of the round trip.
  void ping() { ping_due_ = true; }

  // --- acknowledgements ---
  // False: the peer acknowledges what was never sent. `current`: it came over the active channel.
  [[nodiscard]] bool on_ack(std::uint64_t next_expected, bool current, Timestamp now);
  // Of the active channel, or of a stripe.
  void on_socket(bool active, ChannelId channel, const SocketSample& sample, Timestamp now);
  bool needs_socket() const { return controller_->needs_socket() && !only_datagrams_; }
  // Something waits to be written, or to be acknowledged.
  bool has_content() const { return !queue_.empty() || waits_on_path() || unacked() > ByteCount(); }

  // --- time ---
  // When the active channel has failed; kNever while nothing is outstanding on it.
  Timestamp failover_at() const {
    return failover_.deadline(acks_.oldest_in_flight(), acks_.rtt());
  }
  // Content waits, and the controller holds it.
  bool gated(Timestamp now) const;
  // When time alone lets the content that waits go on; kNever where it does not, or nothing holds it.
  Timestamp opens_at(Timestamp now) const;

  const AckTracker& acks() const { return acks_; }
  // Of all channels: written and not acknowledged; when the oldest of it was written (kNever: there
  // is none); acknowledged in all.
  ByteCount unacked() const { return acks_.bytes() + lanes_.alone() + unacked_on_path(); }
  Timestamp oldest() const {
    const Timestamp path = path_ == nullptr ? qvid::kNever : path_->outgoing().oldest();
    return std::min({acks_.oldest(), lanes_.oldest_alone(), path});
  }
  ByteCount acked() const { return acks_.acked() + counters_.striped_acked; }
  const Controller& controller() const { return *controller_; }
  // A way was given up, and nothing was acknowledged since.
  bool silent() const { return cut_since_ != qvid::kNever; }
  Timestamp last_written() const { return last_written_; }
  Timestamp last_progress() const { return last_progress_; }
  // The longest time without an acknowledgement while something was in flight, since last asked.
  Duration take_longest_gap() { return std::exchange(longest_gap_, Duration()); }
  // As if content had been written, and acknowledged, just now.
  void touch_written(Timestamp now) { last_written_ = now; }
  void touch(Timestamp now) { last_written_ = last_progress_ = now; }

  // Ends every message as lost: the session is over.
  void abandon();

  struct Counters {
    ByteCount sent;       // on the wire, records written again too
    ByteCount cancelled;  // of payloads: never written
    std::uint64_t delivered = 0;
    std::uint64_t cancelled_messages = 0;
    std::uint64_t striped = 0;       // messages that went over stripes
    ByteCount striped_acked;         // and by datagrams
    std::uint64_t by_datagrams = 0;  // messages
  };
  const Counters& counters() const { return counters_; }

 private:
  // Urgent messages are written beyond what the controller grants, up to this much: sound of a second
  // at 64 kbit/s, which with headers and parities is twice that on the line. What they take is not granted
  // to the others.
  static constexpr ByteCount kBeyondGate = ByteCount(8 * 1024);
  static constexpr ByteCount kBeyondGateOnLine = kBeyondGate * 2;
  static constexpr double kWayMemory = 128 * 1024;  // bytes: more than one large message

  void cancel_removed(const SendQueue::Removed& removed);
  void end_message(const SendQueue::Removed& removed, Outcome outcome);
  void write_again(WriteBatch& batch, Timestamp now, std::size_t until);
  void write_new(WriteBatch& batch, AckTracker::Written record, Timestamp now);
  void encode(WriteBatch& batch, RecordType type, const OutgoingChunk& chunk) const;
  void on_written(ByteCount bytes, Timestamp now);
  void note_closed_gate(bool content_waits, Timestamp now);
  void tell_rate(Timestamp now);
  void watch_trouble(Timestamp now);
  void end_on_lanes(const OutgoingChunk& chunk, Outcome outcome);
  bool write_to_stripe(Timestamp now);
  bool datagrams_take(const SendQueue::InAnyOrder& next, Timestamp now) const;
  ByteCount beyond_gate() const { return competes() ? kBeyondGateOnLine : kBeyondGate; }
  bool path_may_carry(Timestamp now) const;
  bool path_carries(Timestamp now) const { return path_may_carry(now) && path_part_ > 0.5; }
  void note_way(bool path, ByteCount content);
  bool waits_for_datagrams(Timestamp now);
  void give_to_path(OutgoingChunk chunk, Timestamp now);
  void end_on_path(const OutgoingDatagrams::Message& message, std::size_t sent, Outcome outcome);
  ByteCount under_way() const { return acks_.in_flight() + lanes_.alone() + on_path(); }
  // Beside a competitor all that is on the line is of this flow's share.
  bool competes() const { return controller_->signals().competing; }
  ByteCount on_path() const {
    if (path_ == nullptr) return {};
    return competes() ? path_->under_way() : path_->content_under_way();
  }
  ByteCount unacked_on_path() const {
    return path_ == nullptr ? ByteCount() : path_->outgoing().unacked();
  }
  bool wants_to_write() const {
    return !held_back_ && (!queue_.empty() || waits_on_path() || acks_.waits_again());
  }
  bool waits_on_path() const { return path_ != nullptr && path_->outgoing().has_fresh(); }
  void on_acked(ByteCount acked, Duration rtt, Timestamp now);
  void on_heard(Timestamp now);
  std::size_t chunk_size(ByteCount allowance) const;
  void write_control(WriteBatch& batch, Timestamp now);

  std::vector<SessionEvent>& events_;
  std::unique_ptr<Controller> controller_;
  SendQueue queue_;
  AckTracker acks_;
  FailoverTimer failover_;
  RateLimiter limiter_;
  RedundantLanes lanes_;
  Stripes stripes_;
  DatagramPath* path_ = nullptr;
  bool only_datagrams_ = false;
  struct Control {
    RecordType type;
    StreamId stream;
    std::uint64_t number = 0;
  };
  std::vector<Control> control_;  // numbered records that go before any new chunk over sockets
  std::uint64_t epoch_ = 0;
  std::uint64_t failovers_ = 0;
  bool activate_due_ = false;
  bool activate_failover_ = false;
  bool held_back_ = false;
  bool ping_due_ = false;
  bool gate_limited_ = false;
  Timestamp yields_until_{};  // datagrams, to what a socket has to write again
  Timestamp last_written_{};
  Timestamp last_progress_{};
  Timestamp cut_since_ = qvid::kNever;  // a way was given up, and nothing was heard since
  Duration longest_gap_{};
  qvid::DataRate slowed_to_;  // as last told; zero: it is not
  Timestamp share_told_at_{};
  double path_part_ = 0;  // of what was written lately: by datagrams
  // Of urgent messages, written by other ways than lanes, what datagrams carry once more, and their headers.
  ByteCount overhead_;
  ByteCount overhead_told_;    // that, and what lanes had spent, when a share was told last
  ByteCount lanes_limited_;    // of RedundantLanes::spent(), what the limiter has counted
  Timestamp limited_until_{};  // content has waited for the limiter
  qvid::DataRate overhead_rate_;
  Counters counters_;
};

}  // namespace paceline
