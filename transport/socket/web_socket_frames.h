// The frames of a WebSocket (RFC 6455, section 5), as a server reads and writes them: of a byte
// stream whose slices are binary messages. Where a message begins and ends means nothing.
//
//   +---------------+---------------+--------------------+---------+------
//   | FIN 000 op:4  | mask:1 len:7  | length, 0, 2 or 8  | mask, 4 | payload
//   +---------------+---------------+--------------------+---------+------
//   op: 0 goes on, 1 text, 2 binary, 8 close, 9 ping, 10 pong. Only a client masks.
//
// No message and no frame is kept: the payload is passed on as it comes. Kept are a header and a
// control frame's payload, 125 bytes at most.
//
// Pure. Thread: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace paceline {

enum class WebSocketOpcode : std::uint8_t {
  goes_on = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

// Why one end closes (RFC 6455, section 7.4.1).
inline constexpr std::uint16_t kWebSocketNormal = 1000;
inline constexpr std::uint16_t kWebSocketProtocolError = 1002;
inline constexpr std::uint16_t kWebSocketUnsupported = 1003;  // text

class WebSocketReader {
 public:
  // Where it ends; nothing behind it is read.
  struct End {
    std::uint16_t code;  // to answer with
    bool failed;         // the peer broke the rules; else it has closed
  };

  // Unmasks in place: what is payload is moved to the front of `bytes`. How many bytes of that.
  std::size_t receive(std::span<std::byte> bytes);
  // The latest ping's payload, once; of those before it none need be answered.
  std::optional<std::vector<std::byte>> take_ping();
  const std::optional<End>& end() const { return end_; }

 private:
  void read_header(std::byte next);
  void begin_frame();
  void end_frame();
  void fail(std::uint16_t code) { end_ = {.code = code, .failed = true}; }
  bool is_control() const { return static_cast<std::uint8_t>(opcode_) >= 8; }

  std::array<std::byte, 14> header_{};
  std::size_t header_size_ = 0;    // of it, read so far
  std::size_t header_needed_ = 2;  // as far as is known
  WebSocketOpcode opcode_ = WebSocketOpcode::goes_on;
  std::array<std::byte, 4> mask_{};
  std::size_t mask_at_ = 0;
  std::uint64_t left_ = 0;          // of the frame's payload; 0: a header is being read
  bool in_message_ = false;         // begun, and its last frame has not come
  std::vector<std::byte> control_;  // the payload of the control frame that is being read
  std::optional<std::vector<std::byte>> ping_;
  std::optional<End> end_;
};

// The header of a whole message, or of a control frame, without mask.
class WebSocketHeader {
 public:
  WebSocketHeader() = default;
  WebSocketHeader(WebSocketOpcode opcode, std::uint64_t payload);
  std::span<const std::byte> bytes() const { return std::span(bytes_).first(size_); }

 private:
  std::array<std::byte, 10> bytes_{};
  std::size_t size_ = 0;
};

// Behind what is in `out`. Precondition: 125 bytes at most.
void write_control_frame(WebSocketOpcode opcode, std::span<const std::byte> payload,
                         std::vector<std::byte>& out);
void write_close_frame(std::uint16_t code, std::vector<std::byte>& out);

}  // namespace paceline
