// One end of a session, without its sockets: bytes, calls and `now` go in; bytes, events and wishes
// come out. Source: 000 chapter 4, 002.
//
// A session has several channels: full-duplex sockets to the same peer. Each direction's content
// goes over one of them, the sender's choice (its active channel), and the acknowledgements come
// back on the same one; the two directions use different channels while there are enough, so that
// acknowledgements never wait behind content. The others are standbys. When the active channel
// stalls or fails, content goes on over a standby (failover); when none is left, the client dials
// until one is (resumption); neither loses or repeats a message.
//
// (The papers' channel is two sockets, one for data and one for acknowledgements. The way back of a
// data socket carries nothing else, so here it is one: half the sockets and handshakes.)
//
// The engine joins its parts, each a decision of its own: which channels there are (channel_set.h),
// which a client dials, and when after a failure (channel_dialing.h, redial_backoff.h), which one
// takes the content (channel_choice.h), which urgent messages (lane_choice.h), whether segments are
// small (segment_wish.h); which records may come (record_order.h), and what they bring
// (incoming_content.h); what is sent, and on which streams (send/sender.h, outgoing_streams.h).
//
// The shell (session.h) reads each channel into `receive`, writes what `produce` gives, calls
// `on_timer` at `next_timer`, dials when `dial` asks, closes what `take_ended` names, and hands
// `take_events` to the application. Tests, fuzzers and the simulator do the same in virtual time.
//
// Invariants: every message that `send` accepted ends in exactly one MessageEnded; SessionClosed is
// the last event; after it every call is harmless.
//
// Queues: SendQueue (bytes: SessionConfig::send_capacity; full: send refuses), AckTracker (bounded;
// full: nothing new is written), Reassembly (bounded by Limits; beyond: the session ends), channels
// (ChannelSet::kMost; beyond: refused), RedundantLanes (its rules are there). Thread: one at a time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/send/sender.h"
#include "transport/session/channel_choice.h"
#include "transport/session/channel_dialing.h"
#include "transport/session/channel_set.h"
#include "transport/session/incoming_content.h"
#include "transport/session/lane_choice.h"
#include "transport/session/outgoing_streams.h"
#include "transport/session/segment_wish.h"
#include "transport/session/session_config.h"
#include "transport/session/signals.h"
#include "transport/session/stripe_choice.h"
#include "transport/wire/bind_proof.h"

namespace paceline {

class SessionEngine {
 public:
  static constexpr std::size_t kMaxChannels = ChannelSet::kMost;

  // A client's end. Precondition: make_controller knows config.controller.
  SessionEngine(const SessionConfig& config, Timestamp now);
  // A server's end, for a hello that came on its first channel (kFirstChannel), which it greets.
  SessionEngine(const SessionConfig& config, const SessionCredentials& credentials,
                const Hello& hello, Timestamp now);
  SessionEngine(const SessionEngine&) = delete;
  SessionEngine& operator=(const SessionEngine&) = delete;

  // --- the application ---
  // Precondition: weight > 0.
  StreamId open_stream(double weight = 1.0);
  // Ends the stream at this end: what waits is cancelled.
  void close_stream(StreamId stream);
  // Refused with the reason: not established, too large, past its deadline, closed, or the queue is
  // full (SessionWritable follows).
  qvid::Result<MessageId> send(StreamId stream, Message message, Timestamp now);
  // True: it was pending, and MessageEnded{kCancelled} follows. False: all of it is written or
  // ended.
  bool cancel(MessageId message);
  // The other end may have as much under way as the limits say, and not only what a stranger may.
  void let_in() {
    incoming_.hold_at_most(config_.limits.max_reassembly);
    if (path_) path_->hold_at_most(config_.limits.max_reassembly);
  }
  // Ends the session and tells the peer. What was not delivered is lost.
  void close(std::string detail, CloseReason reason = CloseReason::kLocal);

  // --- channels come and go ---
  // Client: a socket is connected; its largest segment, where it was limited (else 0).
  ChannelId connected(std::uint32_t segment, Timestamp now);
  // Server: a bind came on a new socket. The error says why it is refused.
  qvid::Result<ChannelId> accept_bind(const Bind& bind, Timestamp now);
  void lost(ChannelId channel, const std::string& detail, Timestamp now);

  // Client: the largest segment (0: no limit) of a socket that should be dialled now. Empty: none;
  // ask again at next_timer.
  std::optional<std::uint32_t> dial(Timestamp now);
  // A dial ended without a socket; `segment` as it was asked for. `permanent`: the server is not
  // who it should be.
  void dial_failed(std::uint32_t segment, const std::string& detail, bool permanent, Timestamp now);

  // Channels whose sockets are to be closed.
  using Ended = ChannelSet::Ended;
  void take_ended(std::vector<Ended>& into) { channels_.take_ended(into); }

  // --- a channel's socket ---
  void receive(ChannelId channel, std::span<const std::byte> bytes, Timestamp now);
  // Appends what may be written to the channel now, up to about `at_most` bytes. What is written to
  // the active channel may go over others instead: produce for that one first, with fresh samples
  // of all sockets for which they are needed.
  void produce(ChannelId channel, WriteBatch& batch, Timestamp now, std::size_t at_most);
  bool is_active(ChannelId channel) const { return channels_.active() == channel; }
  // Whether the controller, or who chooses a socket, wants to see that channel's socket before `produce`: while something
  // waits or is outstanding.
  bool needs_socket_sample(ChannelId channel) const;
  void on_socket(ChannelId channel, const SocketSample& sample, Timestamp now) {
    sender_.on_socket(is_active(channel), channel, sample, now);
  }
  bool wants_no_hystart() const { return sender_.controller().wants_no_hystart(); }
  bool wants_kernel_pacing() const { return sender_.controller().wants_kernel_pacing(); }
  // Content waits, only the gate holds it, and a fresh SocketSample may open it.
  bool gated_by_socket(Timestamp now) const;

  // --- datagrams ---
  // The other end wants them as this one does: a client's shell opens a socket of UDP.
  bool wants_datagrams() const { return path_.has_value(); }
  // Client: where its sockets go, once it is established.
  void datagrams_to(const PathAddress& peer, Timestamp now);
  // A client's shell shall open another socket of UDP, since this host may have another address.
  bool take_wants_port() { return std::exchange(wants_port_, false); }
  // One that came; what is not of this session is left aside.
  void receive_datagram(const PathAddress& from, std::span<const std::byte> datagram,
                        Timestamp now);
  // The next one to be sent, and where to; empty: none now. Before sockets are written.
  std::optional<PathAddress> produce_datagram(std::vector<std::byte>& datagram, Timestamp now);

  // --- time ---
  Timestamp next_timer(Timestamp now) const;
  void on_timer(Timestamp now);

  // --- what happened ---
  // Swaps the events out into `into`, which is cleared first.
  void take_events(std::vector<SessionEvent>& into);

  bool established() const { return state_ == State::kEstablished; }
  bool closed() const { return state_ == State::kClosed; }
  const Limits& peer_limits() const { return peer_limits_; }
  // Of the established session.
  const SessionCredentials& credentials() const { return credentials_; }
  SessionSignals signals(Timestamp now) const;
  ByteCount queued() const { return sender_.queue().bytes(); }
  std::vector<StreamSignals> stream_signals() const;

 private:
  enum class State : std::uint8_t { kGreeting, kEstablished, kClosed };

  SessionEngine(Side side, const SessionConfig& config, Timestamp now);
  ChannelNeeds needs(Timestamp now) const;
  void remove_channel(ChannelId channel, bool abort);
  void on_open(Channel& channel, Timestamp now);
  void back_off(const std::string& detail, Timestamp now);
  void fail_over(const std::string& reason, Timestamp now);

  // In session_engine_records.cc:
  Features features() const;  // of this end
  // `peer`: its greeting; what a welcome says of who sends it is the same.
  void establish(const Hello& peer, Timestamp now);
  void on_record(Channel& channel, const Record& record, Timestamp now);
  void on_activate(Channel& channel, const Activate& activate, Timestamp now);
  void on_close(const Channel& channel, const Close& close, Timestamp now);
  void on_ack(const Channel& channel, const Ack& ack, Timestamp now);

  void wake(Timestamp now);
  void check_channels(Timestamp now);
  void check_content(Timestamp now);
  // In session_engine_datagrams.cc:
  void begin_datagrams(const Features& peer);
  void check_datagrams(Timestamp now);
  Timestamp stalled_at() const;

  void fail(CloseReason reason, std::string detail);
  void end(CloseReason reason, std::string detail);

  const Side side_;
  const SessionConfig config_;
  State state_ = State::kGreeting;
  std::vector<SessionEvent> events_;
  Sender sender_;
  OutgoingStreams streams_;
  IncomingContent incoming_;
  ChannelSet channels_;
  ChannelDialing dialing_;
  SegmentWish segments_;
  LaneChoice lanes_;
  StripeChoice stripes_;
  ChannelChoice choice_;
  std::optional<DatagramPath> path_;
  DatagramPath::News datagram_news_;
  bool wants_port_ = false;
  Timestamp datagrams_by_ = qvid::kNever;  // with kOnly: when the session ends without any

  Limits peer_limits_;
  Duration resume_limit_{};  // the shorter of the two ends'
  SessionCredentials credentials_;
  UsedChannels used_;  // server: numbers of binds
  std::string last_trouble_;
  std::optional<Close> close_;

  std::optional<Timestamp> interrupted_;  // no channel since then
  std::uint64_t resumptions_ = 0;
  Timestamp last_turn_;  // something was received, or a timer had come
  ByteCount received_;
  std::uint64_t datagrams_received_ = 0;  // messages
};

}  // namespace paceline
