// The latency controller decides how much may be written to the socket now. One class each behind
// this interface, fed with events; no socket and no clock inside.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "transport/message.h"

namespace paceline {

// What the kernel says of the sending socket (Linux TCP_INFO, SIOCOUTQ).
struct SocketSample {
  std::uint32_t cwnd = 0;    // segments
  std::uint32_t sacked = 0;  // segments acknowledged out of order
  ByteCount mss;
  ByteCount unacked;  // in the socket: unsent, or sent and not acknowledged by the peer's kernel
};

class Controller {
 public:
  virtual ~Controller() = default;
  virtual std::string_view name() const = 0;
  // Bytes that may be written now; zero or less closes the gate until the next event.
  virtual ByteCount allowance(Timestamp now) const = 0;
  virtual void on_written(ByteCount bytes, Timestamp now) = 0;
  // `unacked`: what the peer application has still not acknowledged.
  virtual void on_acked(ByteCount acked, ByteCount unacked, Timestamp now) = 0;
  virtual void on_socket(const SocketSample& sample, Timestamp now) = 0;
  // Whether on_socket is of any use to it: sampling costs two system calls.
  virtual bool needs_socket() const = 0;
};

// By name: `sock` (the default) or `none`.
qvid::Result<std::unique_ptr<Controller>> make_controller(std::string_view name);

}  // namespace paceline
