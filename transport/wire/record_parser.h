// A byte stream cut into records: the preamble first, then one after the other, each as soon as all
// of it is there. A length is checked before its body is waited for.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "transport/wire/record.h"

namespace paceline {

// Takes the bytes of one direction of a connection as they come and gives its records.
//
// Holds at most one incomplete record. Records point into the parser's input and are valid until
// the next call of `feed` or `next`.
class RecordParser {
 public:
  // What next() found.
  struct NeedMore {};
  struct Failure {
    CloseReason reason;
    std::string detail;
  };
  using Step = std::variant<NeedMore, Record, Failure>;

  RecordParser() = default;
  // For a channel whose preamble another parser has taken.
  static RecordParser behind_preamble() {
    RecordParser parser;
    parser.preamble_seen_ = true;
    return parser;
  }

  // Adds input. `bytes` must stay valid until next() has returned NeedMore.
  void feed(std::span<const std::byte> bytes);
  // The next record; NeedMore when the input is used up; Failure for ever after the first one.
  Step next();
  // What was fed behind the record that next() has just given: a server hands it on with the
  // channel, once it is greeted.
  std::vector<std::byte> take_rest();

 private:
  Step parse_one();
  Step fail(CloseReason reason, std::string detail);

  void keep_rest();

  std::vector<std::byte> buffer_;     // an incomplete record, and the input that came behind it
  std::span<const std::byte> input_;  // not parsed yet: in the caller's bytes, or in buffer_
  bool preamble_seen_ = false;
  bool failed_ = false;
  Failure failure_{};
};

}  // namespace paceline
