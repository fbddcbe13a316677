// What a new socket of a server says first, before it belongs to anybody.
//
// Takes bytes until the first record is complete: a hello or a bind. Anything else, or more than
// kMaxGreeting bytes before it, is a failure with the answer for the peer.
#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "transport/wire/record.h"
#include "transport/wire/record_parser.h"

namespace paceline {

class Greeter {
 public:
  static constexpr std::size_t kMaxGreeting = 4096;

  using Greeting = std::variant<Hello, Bind, RecordParser::Failure>;
  // Empty: more is needed. Not to be called again after a greeting.
  std::optional<Greeting> feed(std::span<const std::byte> bytes) {
    fed_ += bytes.size();
    parser_.feed(bytes);
    const RecordParser::Step step = parser_.next();
    if (const auto* failure = std::get_if<RecordParser::Failure>(&step)) return *failure;
    if (std::holds_alternative<RecordParser::NeedMore>(step)) {
      if (fed_ < kMaxGreeting) return std::nullopt;
      return RecordParser::Failure{CloseReason::kProtocolError, "a greeting that does not end"};
    }
    const Record& record = std::get<Record>(step);
    if (const auto* hello = std::get_if<Hello>(&record)) return *hello;
    if (const auto* bind = std::get_if<Bind>(&record)) return *bind;
    return RecordParser::Failure{CloseReason::kProtocolError, "content before the greeting"};
  }
  // What came behind the greeting.
  std::vector<std::byte> take_rest() { return parser_.take_rest(); }

 private:
  RecordParser parser_;
  std::size_t fed_ = 0;
};

}  // namespace paceline
