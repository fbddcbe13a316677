#include "transport/socket/web_socket_frames.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace paceline {
namespace {

constexpr std::byte kFin{0x80};
constexpr std::byte kReserved{0x70};
constexpr std::byte kOpcode{0x0f};
constexpr std::byte kMasked{0x80};
constexpr std::byte kLength{0x7f};
constexpr std::size_t kMostControl = 125;
constexpr std::size_t kTwoBytes = 126;    // the length is in the next two
constexpr std::size_t kEightBytes = 127;  // in the next eight
constexpr std::size_t kMaskSize = 4;

std::uint64_t read_number(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (const std::byte b : bytes) value = value << 8 | std::to_integer<std::uint64_t>(b);
  return value;
}

std::size_t short_length(std::byte second) {
  return std::to_integer<std::size_t>(second & kLength);
}

std::size_t length_size(std::size_t length) {
  return length == kTwoBytes ? 2 : length == kEightBytes ? 8 : 0;
}

bool is_known(std::byte opcode) {
  const auto number = std::to_integer<unsigned>(opcode);
  return number <= 2 || (number >= 8 && number <= 10);
}

// Which a peer may send (RFC 6455, section 7.4).
bool is_close_code(std::uint64_t code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}

}  // namespace

std::size_t WebSocketReader::receive(std::span<std::byte> bytes) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < bytes.size() && !end_;) {
    if (left_ == 0) {
      read_header(bytes[at++]);
      continue;
    }
    const auto piece = bytes.subspan(
        at, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - at)));
    for (std::size_t i = 0; i < piece.size(); ++i) piece[i] ^= mask_[(mask_at_ + i) % kMaskSize];
    mask_at_ = (mask_at_ + piece.size()) % kMaskSize;
    if (is_control()) {
      control_.insert(control_.end(), piece.begin(), piece.end());
    } else {
      std::memmove(bytes.data() + kept, piece.data(), piece.size());
      kept += piece.size();
    }
    at += piece.size();
    left_ -= piece.size();
    if (left_ == 0) end_frame();
  }
  return kept;
}

std::optional<std::vector<std::byte>> WebSocketReader::take_ping() {
  return std::exchange(ping_, std::nullopt);
}

void WebSocketReader::read_header(std::byte next) {
  header_[header_size_++] = next;
  if (header_size_ == 1) {
    const std::byte opcode = next & kOpcode;
    if ((next & kReserved) != std::byte{} || !is_known(opcode)) {
      return fail(kWebSocketProtocolError);
    }
    opcode_ = static_cast<WebSocketOpcode>(opcode);
    const bool is_last = (next & kFin) != std::byte{};
    if (opcode_ == WebSocketOpcode::text) return fail(kWebSocketUnsupported);
    if (is_control()) {
      if (!is_last) return fail(kWebSocketProtocolError);
      return;
    }
    if (in_message_ != (opcode_ == WebSocketOpcode::goes_on)) return fail(kWebSocketProtocolError);
    in_message_ = !is_last;
    return;
  }
  if (header_size_ == 2) {
    const std::size_t length = short_length(next);
    if ((next & kMasked) == std::byte{} || (is_control() && length > kMostControl)) {
      return fail(kWebSocketProtocolError);
    }
    header_needed_ = 2 + length_size(length) + kMaskSize;
  }
  if (header_size_ == header_needed_) begin_frame();
}

void WebSocketReader::begin_frame() {
  const std::span<const std::byte> header = std::span(header_).first(header_size_);
  const std::size_t size = length_size(short_length(header_[1]));
  left_ = size == 0 ? short_length(header_[1]) : read_number(header.subspan(2, size));
  std::ranges::copy(header.last(kMaskSize), mask_.begin());
  mask_at_ = 0;
  header_size_ = 0;
  header_needed_ = 2;
  // In the shortest form, and of 63 bits.
  if ((size == 2 && left_ < kTwoBytes) || (size == 8 && (left_ <= 0xffff || left_ >> 63 != 0))) {
    return fail(kWebSocketProtocolError);
  }
  if (left_ == 0) end_frame();
}

void WebSocketReader::end_frame() {
  if (!is_control()) return;
  const std::vector<std::byte> payload = std::exchange(control_, {});
  if (opcode_ == WebSocketOpcode::ping) ping_ = payload;
  if (opcode_ != WebSocketOpcode::close) return;
  if (payload.empty()) {
    end_ = {.code = kWebSocketNormal, .failed = false};
    return;
  }
  const std::uint64_t code = payload.size() < 2 ? 0 : read_number(std::span(payload).first(2));
  if (!is_close_code(code)) return fail(kWebSocketProtocolError);
  end_ = {.code = static_cast<std::uint16_t>(code), .failed = false};
}

WebSocketHeader::WebSocketHeader(WebSocketOpcode opcode, std::uint64_t payload) {
  bytes_[0] = kFin | static_cast<std::byte>(opcode);
  const std::size_t length = payload <= kMostControl ? static_cast<std::size_t>(payload)
                             : payload <= 0xffff     ? kTwoBytes
                                                     : kEightBytes;
  bytes_[1] = static_cast<std::byte>(length);
  const std::size_t size = length_size(length);
  for (std::size_t i = 0; i < size; ++i) {
    bytes_[2 + i] = static_cast<std::byte>(payload >> (8 * (size - 1 - i)));
  }
  size_ = 2 + size;
}

void write_control_frame(WebSocketOpcode opcode, std::span<const std::byte> payload,
                         std::vector<std::byte>& out) {
  const WebSocketHeader header(opcode, payload.size());
  out.insert(out.end(), header.bytes().begin(), header.bytes().end());
  out.insert(out.end(), payload.begin(), payload.end());
}

void write_close_frame(std::uint16_t code, std::vector<std::byte>& out) {
  const std::array<std::byte, 2> payload{static_cast<std::byte>(code >> 8),
                                         static_cast<std::byte>(code)};
  write_control_frame(WebSocketOpcode::close, payload, out);
}

}  // namespace paceline
