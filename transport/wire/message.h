// The service model: reliable messages with importance, that can be cancelled.
// Source: 002 "Data service model", 000 chapter 1.
//
// A message is one application data unit. Of the messages waiting on a stream the most important
// goes next; of equal importance the one with the lowest position; of equal position the older one.
// So messages can arrive in another order than they were sent in: the application copes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

#include "base/payload.h"
#include "base/sequence.h"
#include "base/units.h"

namespace paceline {

using qvid::ByteCount;
using qvid::Duration;
using qvid::Payload;
using qvid::Timestamp;

// A stream of a session. Both ends may send on it. The end that opened the connection makes even
// numbers, the other end odd ones; stream 0 always exists.
using StreamId = qvid::Number<struct StreamIdTag, std::uint32_t>;
inline constexpr StreamId kFirstStream{0};

// A message that was accepted for sending. Opaque; unique for the life of the session.
using MessageId = qvid::Number<struct MessageIdTag, std::uint64_t>;

// 255 goes first.
using Importance = qvid::Number<struct ImportanceTag, std::uint8_t>;
// Among equals, the lowest goes first. At most 2^62 - 1.
using Position = qvid::Number<struct PositionTag, std::uint64_t>;

struct Message {
  Importance importance;
  Position position;
  // Not worth sending from then on: what is left is cancelled (on the sender's clock).
  Timestamp deadline = qvid::kNever;
  Payload payload;  // up to the other end's Limits::max_message
  // Under quality fairness: what the stream's virtual time pays for this message, in a measure of
  // the application, 1 for a frame shown, say. Positive; resource fairness takes the size instead.
  double quality = 1.0;
  // Its receiver wants it as soon as it is there, whatever was sent before: with a deadline, too, it
  // may go over another socket of the session and overtake others (stripes.h).
  bool in_any_order = false;
};

// What streams are charged for, so that each gets its part by its weight (002 "Stream fairness").
enum class Fairness : std::uint8_t {
  kResource,  // bytes: equal bandwidth
  kQuality,   // Message::quality: equal frame rates, say, at unequal sizes
};

enum class Outcome : std::uint8_t {
  kDelivered,  // all of it was handed to the peer application's side
  kCancelled,  // by cancel(), by its deadline, or because its stream was closed
  // How much arrived is not known: the session ended first, or the stream was closed while a
  // message with a deadline was on its way, or a datagram with a part of it was lost, or an outage
  // cut the socket that it was on, and its deadline came before that could be sent again.
  kLost,
};

// What an engine or session tells the application. Every accepted message ends exactly once.
struct SessionEstablished {};
struct MessageArrived {
  StreamId stream;
  Importance importance;
  Position position;
  Payload payload;
};
struct MessageEnded {
  StreamId stream;
  MessageId message;
  Outcome outcome = Outcome::kDelivered;
  ByteCount sent;  // of its payload, handed to the socket before it ended
  ByteCount size;
};
// The queue, which had refused a message, has room again.
struct SessionWritable {};
// What the transport says that the path carries: who encodes should follow at once, whatever was
// delivered lately.
struct PathRate {
  enum class Reason : std::uint8_t {
    kSlowed,  // suddenly less than what was sent; told again where it turns out to be less still
    kShare,  // beside a competitor, this is what goes through now: no less, and no more, without what
             // urgent messages and what goes more than once take; told anew every kShareEvery
    kLimit,  // the other end wants no more than that, less the same, and content waits for it; told
             // anew as a share is
    kRestored,  // after an outage: what it carried before, as far as anybody knows; no rate is told
  };
  static constexpr Duration kShareEvery = std::chrono::milliseconds(100);

  qvid::DataRate rate;
  Reason reason = Reason::kSlowed;
};
// Nothing more comes on it; this end may still send on it.
struct StreamClosedByPeer {
  StreamId stream;
};
// Content goes on over another socket; the application need do nothing.
struct FailedOver {
  bool sending = false;       // what this end sends, or what it receives
  Duration gap{};             // for how long nothing got through
  std::uint64_t counter = 0;  // failovers of this direction so far
  std::string reason;
};
// No socket is left. The session tries to go on; messages are accepted and wait.
struct SessionInterrupted {
  std::string detail;
};
struct SessionResumed {
  Duration outage{};  // since SessionInterrupted
};
enum class CloseReason : std::uint8_t {
  kLocal = 0,           // close() was called here
  kPeer = 1,            // the peer closed
  kProtocolError = 2,   // the peer sent what the protocol does not allow
  kNotPaceline = 3,     // the peer speaks something else
  kVersion = 4,         // no common version
  kRefused = 5,         // the peer is not willing (limits, rights)
  kTimeout = 6,         // the peer is silent
  kConnectionLost = 7,  // the socket failed, and the session is not one to be resumed
  kUnknownSession = 8,  // the peer does not know the session (any more)
  kUntrusted = 9,       // the server is not who it should be
};
inline constexpr CloseReason kLastCloseReason = CloseReason::kUntrusted;
struct SessionClosed {
  CloseReason reason = CloseReason::kLocal;
  std::string detail;  // a sentence for a person
};
using SessionEvent =
    std::variant<SessionEstablished, MessageArrived, MessageEnded, SessionWritable, PathRate,
                 StreamClosedByPeer, FailedOver, SessionInterrupted, SessionResumed, SessionClosed>;

}  // namespace paceline
