// One end of a session, without its socket: bytes, calls and `now` go in; bytes and events come
// out.
//
// The shell (session.h) reads the socket into `receive`, writes what `produce` gives, calls
// `on_timer` at `next_timer`, and hands `take_events` to the application. Tests, fuzzers and the
// simulator do the same in virtual time.
//
// Invariants: every message that `send` accepted ends in exactly one MessageEnded; SessionClosed is
// the last event; after it every call is harmless.
//
// Queues: SendQueue (bytes: SessionConfig::send_capacity; full: send refuses), AckTracker (bounded;
// full: the gate is shut), Reassembly (bounded by Limits; beyond: the session ends), control
// records (at most one ping, and one cancel per message begun). Thread: one at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "transport/ack_tracker.h"
#include "transport/controller.h"
#include "transport/message.h"
#include "transport/reassembly.h"
#include "transport/send_queue.h"
#include "transport/wire.h"
#include "transport/write_batch.h"

namespace paceline {

enum class Side : std::uint8_t { kClient, kServer };

struct SessionConfig {
  Limits limits;
  ByteCount send_capacity = ByteCount(32 * 1024 * 1024);
  std::string controller = "sock";
  Duration greeting_timeout = std::chrono::seconds(10);
  Duration ping_interval = std::chrono::seconds(1);
  Duration silence_timeout = std::chrono::seconds(10);
};

// For monitoring; readable at any time.
struct SessionSignals {
  Duration rtt{};
  Duration rtt_low{};
  ByteCount unacked;          // written, not acknowledged by the peer application's end
  Duration oldest_unacked{};  // its age
  ByteCount queued;
  std::size_t queued_messages = 0;
  ByteCount allowance;
  ByteCount sent;  // records of content, on the wire
  ByteCount acked;
  ByteCount cancelled;  // payload bytes that were never written
  ByteCount received;
  std::uint64_t messages_delivered = 0;
  std::uint64_t messages_cancelled = 0;
  std::uint64_t messages_received = 0;
};

class SessionEngine {
 public:
  // Precondition: make_controller knows config.controller.
  SessionEngine(Side side, const SessionConfig& config, Timestamp now);

  // --- the application ---
  StreamId open_stream(double weight = 1.0);
  // Ends the stream at this end: what waits is cancelled.
  void close_stream(StreamId stream);
  // Refused with the reason: not established, too large, past its deadline, closed, or the queue is
  // full (SessionWritable follows).
  qvid::Result<MessageId> send(StreamId stream, Message message, Timestamp now);
  // True: it was pending, and MessageEnded{kCancelled} follows. False: all of it is written or
  // ended.
  bool cancel(MessageId message);
  // Ends the session and tells the peer. What was not delivered is lost.
  void close(std::string detail, CloseReason reason = CloseReason::kLocal);

  // --- the socket ---
  void receive(std::span<const std::byte> bytes, Timestamp now);
  // The other end is gone, or the socket failed.
  void connection_lost(std::string detail);
  void on_socket(const SocketSample& sample, Timestamp now) { controller_->on_socket(sample, now); }
  bool needs_socket_samples() const { return controller_->needs_socket(); }
  // Appends what may be written now, up to about `at_most` bytes.
  void produce(WriteBatch& batch, Timestamp now, std::size_t at_most);
  // Content waits, and only the gate holds it: a fresh SocketSample may open it.
  bool gated(Timestamp now) const;

  // --- time ---
  Timestamp next_timer() const;
  void on_timer(Timestamp now);

  // --- what happened ---
  // Swaps the events out into `into`, which is cleared first.
  void take_events(std::vector<SessionEvent>& into);

  bool established() const { return state_ == State::kEstablished; }
  bool closed() const { return state_ == State::kClosed; }
  const Limits& peer_limits() const { return peer_limits_; }
  SessionSignals signals(Timestamp now) const;

 private:
  enum class State : std::uint8_t { kGreeting, kEstablished, kClosed };

  void on_record(const Record& record, Timestamp now);
  void on_greeting(const Greeting& greeting, Timestamp now);
  void fail(CloseReason reason, std::string detail);
  void end(CloseReason reason, std::string detail);
  void end_message(const SendQueue::Removed& removed, Outcome outcome);
  void cancel_expired(Timestamp now);
  void cancel_removed(const SendQueue::Removed& removed);
  void write_control(WriteBatch& batch, Timestamp now);
  void write_chunk(WriteBatch& batch, OutgoingChunk chunk, Timestamp now);
  // Records of content, numbered implicitly.
  void write_numbered(WriteBatch& batch, const Record& record, Timestamp now);
  std::size_t chunk_size(ByteCount allowance) const;

  Side side_;
  SessionConfig config_;
  State state_ = State::kGreeting;
  std::unique_ptr<Controller> controller_;
  RecordParser parser_;
  SendQueue queue_;
  AckTracker acks_;
  Reassembly reassembly_;
  Limits peer_limits_;
  std::vector<SessionEvent> events_;

  std::vector<Record> control_;        // numbered records that go before any chunk
  std::optional<Record> greeting_;     // to be written, behind the preamble
  std::optional<Close> close_record_;  // to be written, then nothing more
  std::uint64_t next_expected_ = 0;    // of the peer's numbered records
  bool greeting_written_ = false;
  bool ack_due_ = false;
  bool ping_due_ = false;
  std::uint32_t next_stream_;
  std::unordered_set<StreamId> sent_on_;  // and not closed: the peer counts these

  Timestamp started_;
  Timestamp last_heard_;
  Timestamp last_content_;  // when a numbered record was last written

  ByteCount sent_;
  ByteCount cancelled_;
  ByteCount received_;
  std::uint64_t delivered_count_ = 0;
  std::uint64_t cancelled_count_ = 0;
  std::uint64_t received_count_ = 0;
};

}  // namespace paceline
