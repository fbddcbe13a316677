// Records as bytes, and what a parser makes of them.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_io.h"
#include "transport/wire/record_parser.h"
#include "transport/wire/write_record.h"

namespace paceline {

using Bytes = std::vector<std::byte>;

inline Bytes encode(const Record& record) {
  Bytes out;
  write_record(record, out);
  return out;
}

inline Bytes preamble() {
  Bytes out;
  write_preamble(out);
  return out;
}

inline Bytes bytes_of(std::string_view text) {
  const auto b = std::as_bytes(std::span(text));
  return {b.begin(), b.end()};
}

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A record with a body of our choice.
inline Bytes framed(std::uint8_t type, const Bytes& body) {
  Bytes out;
  qvid::ByteWriter w(out);
  w.u8(type);
  w.varint(body.size());
  w.bytes(body);
  return out;
}

struct Parsed {
  std::vector<Bytes> records;  // serialised again
  std::optional<RecordParser::Failure> failure;
};

// Takes all there is; false after a failure.
inline bool drain(RecordParser& parser, Parsed& into) {
  for (;;) {
    RecordParser::Step step = parser.next();
    if (std::holds_alternative<RecordParser::NeedMore>(step)) return true;
    if (auto* failure = std::get_if<RecordParser::Failure>(&step)) {
      into.failure = *failure;
      return false;
    }
    into.records.push_back(encode(std::get<Record>(step)));
  }
}

inline Parsed parse(const std::vector<Bytes>& pieces) {
  RecordParser parser;
  Parsed parsed;
  for (const Bytes& piece : pieces) {
    parser.feed(piece);
    if (!drain(parser, parsed)) break;
  }
  return parsed;
}

}  // namespace paceline
