#include "transport/wire/record_parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/byte_io.h"
#include "transport/wire/read_record.h"

namespace paceline {

void RecordParser::feed(std::span<const std::byte> bytes) {
  if (failed_) return;
  if (buffer_.empty()) {
    input_ = bytes;
    return;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  input_ = buffer_;
}

// Less than one record is left: it moves to the front of buffer_ until more comes.
void RecordParser::keep_rest() {
  if (buffer_.empty()) {
    buffer_.assign(input_.begin(), input_.end());
  } else {
    buffer_.erase(buffer_.begin(), buffer_.end() - static_cast<std::ptrdiff_t>(input_.size()));
  }
  input_ = {};
}

RecordParser::Step RecordParser::fail(CloseReason reason, std::string detail) {
  failed_ = true;
  failure_ = {reason, std::move(detail)};
  return failure_;
}

std::vector<std::byte> RecordParser::take_rest() {
  keep_rest();
  return std::exchange(buffer_, {});
}

RecordParser::Step RecordParser::next() {
  if (failed_) return failure_;
  Step step = parse_one();
  if (std::holds_alternative<NeedMore>(step)) keep_rest();
  return step;
}

RecordParser::Step RecordParser::parse_one() {
  if (!preamble_seen_) {
    const std::size_t have = std::min(input_.size(), kMagic.size());
    if (!std::equal(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(have),
                    std::as_bytes(std::span(kMagic)).begin())) {
      return fail(CloseReason::kNotPaceline, "the other end does not speak Paceline");
    }
    if (input_.size() < kPreambleSize) return NeedMore{};
    const auto version = std::to_integer<int>(input_[kMagic.size()]);
    if (version != kWireVersion) {
      return fail(CloseReason::kVersion, "the other end speaks version " + std::to_string(version) +
                                             " of the protocol, this one version " +
                                             std::to_string(kWireVersion));
    }
    input_ = input_.subspan(kPreambleSize);
    preamble_seen_ = true;
  }
  for (;;) {
    qvid::ByteReader in(input_);
    const std::uint8_t type = in.u8();
    const std::uint64_t length = in.varint();
    if (in.failed()) return NeedMore{};
    if (length > kMaxRecordBody) {
      return fail(CloseReason::kProtocolError,
                  "a record of " + std::to_string(length) + " bytes is longer than allowed");
    }
    if (in.remaining() < length) return NeedMore{};
    const auto body = in.bytes(static_cast<std::size_t>(length));
    input_ = in.rest();
    if (!is_known_record(type)) continue;
    auto record = read_record(type, body);
    if (!record) {
      return fail(CloseReason::kProtocolError,
                  "a malformed record of type " + std::to_string(type));
    }
    return std::move(*record);
  }
}

}  // namespace paceline
