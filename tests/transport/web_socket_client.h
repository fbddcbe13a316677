// A client's end of a WebSocket, for tests: frames with a mask, and the bytes of a server's frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/socket/web_socket_frames.h"

namespace paceline {

// The head that asks for one, with further headers of `more`, each with its end of line.
inline std::string upgrade_request(std::string_view more = {},
                                   std::string_view path = "/paceline") {
  return "GET " + std::string(path) +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
         "Sec-WebSocket-Protocol: paceline.2\r\n" +
         std::string(more) + "\r\n";
}
// What RFC 6455 has for that key.
inline constexpr std::string_view kSampleAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

// As a client sends it. `first`: the first byte, FIN and opcode.
inline std::vector<std::byte> masked_frame(std::uint8_t first, std::span<const std::byte> payload) {
  const WebSocketHeader header(static_cast<WebSocketOpcode>(first & 0x0f), payload.size());
  std::vector<std::byte> frame(header.bytes().begin(), header.bytes().end());
  frame[0] = std::byte{first};
  frame[1] |= std::byte{0x80};
  constexpr std::byte kMask[4] = {std::byte{0x37}, std::byte{0xfa}, std::byte{0x21},
                                  std::byte{0x3d}};
  frame.insert(frame.end(), std::begin(kMask), std::end(kMask));
  for (std::size_t i = 0; i < payload.size(); ++i) frame.push_back(payload[i] ^ kMask[i % 4]);
  return frame;
}
inline std::vector<std::byte> masked_binary(std::span<const std::byte> payload) {
  return masked_frame(0x82, payload);
}

// Splits a server's bytes, which have no mask, into whole frames.
class ServerFrames {
 public:
  struct Frame {
    WebSocketOpcode opcode;
    std::vector<std::byte> payload;
    std::uint16_t close_code() const {
      return static_cast<std::uint16_t>(std::to_integer<unsigned>(payload.at(0)) << 8 |
                                        std::to_integer<unsigned>(payload.at(1)));
    }
  };
  void receive(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::optional<Frame> next() {
    if (bytes_.size() < 2) return std::nullopt;
    std::size_t length = std::to_integer<std::size_t>(bytes_[1]);
    const std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (bytes_.size() < 2 + more) return std::nullopt;
    if (more > 0) length = 0;
    for (std::size_t i = 0; i < more; ++i) {
      length = length << 8 | std::to_integer<std::size_t>(bytes_[2 + i]);
    }
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(2 + more);
    if (static_cast<std::size_t>(bytes_.end() - from) < length) return std::nullopt;
    const auto end = from + static_cast<std::ptrdiff_t>(length);
    Frame frame{.opcode = static_cast<WebSocketOpcode>(bytes_[0] & std::byte{0x0f}),
                .payload = {from, end}};
    bytes_.erase(bytes_.begin(), end);
    return frame;
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace paceline
