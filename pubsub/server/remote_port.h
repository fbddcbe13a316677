// A session on another thread as the broker uses it: a RemotePort stands for it here, a
// RemoteSession carries out there what that was told.
//
//   Broker --> RemotePort --PortCommand--> mailbox --> RemoteSession --> Port of the session
//   Broker <-- RemotePort <---PortEvent--- mailbox <-- RemoteSession <-- its events
//
// Answers cannot be waited for, so the RemotePort gives what the session will: message ids are its
// own, translated there; streams are numbered in order (transport/session/stream_numbers.h), which
// is checked there. What the session refuses, RemotePort has taken, ends as cancelled; a control
// message that it refuses closes the client. Every message that was taken ends in one MessageEnded,
// before SessionClosed; a cancel that crosses with an end is ignored.
//
// Bounds: what was taken and has not ended is at most kMaxWaiting, of it kForControl for control
// alone, and kMaxMessages; each message is cancelled once; streams that the session is not known to
// have opened are kMaxOpening, beyond which the client is closed. The path's round trip is told after
// one in kPathEvery messages.
//
// Pure. Thread: RemotePort the broker's, RemoteSession the session's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <variant>

#include "pubsub/broker/port.h"
#include "transport/session/stream_numbers.h"

namespace qps {

using qvid::ByteCount;
using qvid::Duration;
using qvid::Result;

struct PortSend {
  paceline::MessageId id;  // the RemotePort's
  paceline::StreamId stream;
  paceline::Message message;
};
struct PortCancel {
  paceline::MessageId id;
};
struct PortOpen {
  paceline::StreamId expected;
};
struct PortCloseStream {
  paceline::StreamId stream;
};
struct PortLetIn {};
struct PortHold {
  Duration time{};
};
struct PortClose {
  std::string reason;
};
using PortCommand =
    std::variant<PortSend, PortCancel, PortOpen, PortCloseStream, PortLetIn, PortHold, PortClose>;

struct PortOpened {};  // a stream, as was told
struct PortPath {
  Duration round_trip{};
};
using PortEvent = std::variant<paceline::MessageArrived, paceline::MessageEnded, PortOpened,
                               PortPath, paceline::PathRate, paceline::SessionClosed>;

// Why a port's send is refused.
inline qvid::Error queue_full(ByteCount most) {
  return {"send queue full (" + std::to_string(most.value() / (1024 * 1024)) + " MiB)"};
}

class RemotePort : public Port {
 public:
  static constexpr std::size_t kMaxMessages = 64 * 1024;
  static constexpr std::size_t kMessagesForControl = 8 * 1024;  // of these
  static constexpr std::size_t kMaxOpening = 4096;

  // `hand_over`: to the RemoteSession, in this order.
  explicit RemotePort(std::function<void(PortCommand&&)> hand_over)
      : hand_over_(std::move(hand_over)) {}

  Result<paceline::MessageId> send(paceline::StreamId stream, paceline::Message message) override;
  void cancel(paceline::MessageId message) override;
  paceline::StreamId open_stream() override;
  void close_stream(paceline::StreamId stream) override;
  // As it was last told.
  Duration round_trip() const override { return round_trip_; }
  void let_in() override;
  ByteCount waiting() const override { return waiting_; }
  void hold(Duration time) override;
  void close(const std::string& reason) override;

  // What the RemoteSession told; `tell` gets what concerns the client: arrived, ended, rate,
  // closed. It may call anything here. After SessionClosed every call is harmless.
  using Tell = std::function<void(paceline::SessionEvent&&)>;
  void on_event(PortEvent&& event, const Tell& tell);

 private:
  struct Taken {
    paceline::StreamId stream;
    ByteCount size;
    bool cancelled = false;  // it was asked for
  };
  void end_all(const Tell& tell);

  std::function<void(PortCommand&&)> hand_over_;
  paceline::StreamNumbers streams_{paceline::Side::kServer};
  std::uint64_t next_ = 1;
  std::unordered_map<paceline::MessageId, Taken> taken_;  // and not ended
  ByteCount waiting_;                                     // of these
  std::size_t opening_ = 0;
  Duration round_trip_{};
  bool closing_ = false;
  bool closed_ = false;
};

class RemoteSession {
 public:
  // Messages that end until the round trip is told again where it has changed.
  static constexpr int kPathEvery = 16;

  using Tell = std::function<void(PortEvent&&)>;
  // `session` outlives this, `tell` is for the RemotePort.
  RemoteSession(Port& session, Tell tell) : session_(session), tell_(std::move(tell)) {}

  void carry_out(PortCommand&& command);
  // All that the session gives.
  void on_event(paceline::SessionEvent&& event);

 private:
  void send(PortSend&& send);
  void tell_path();

  Port& session_;
  Tell tell_;
  // Both ways, of messages that the session has taken and not ended.
  std::unordered_map<paceline::MessageId, paceline::MessageId> here_;
  std::unordered_map<paceline::MessageId, paceline::MessageId> there_;
  int until_path_ = 1;
  Duration round_trip_{};  // as was told
  bool closed_ = false;
};

}  // namespace qps
