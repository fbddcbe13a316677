// Reading a log of signals (signal_csv.h), as it grows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "transport/session/signal_sample.h"

namespace paceline {

// Any bytes may come, cut anywhere. Of a line without its newline it
// waits for the rest; lines that make no sense are counted and left out. Pure. Thread: one at a
// time.
class SignalReader {
 public:
  static constexpr std::size_t kMaxLine = 4096;  // bytes; longer ones make no sense

  // Appends the samples of the lines that are complete with `bytes`. The error: these are no
  // signals; it stays.
  qvid::Result<std::monostate> feed(std::string_view bytes, std::vector<SignalSample>& into);

  bool has_header() const { return !columns_.empty(); }
  std::uint64_t bad_lines() const { return bad_lines_; }

 private:
  // What a column holds: a signal, or one of these.
  enum : int { kTime = -1, kSession = -2, kPeer = -3, kQueues = -4, kUnknown = -5 };

  bool read_header(std::string_view line);
  bool read_line(std::string_view line, SignalSample& sample) const;

  std::string rest_;          // of a line; at most kMaxLine
  bool skipping_ = false;     // the rest of a line that was too long
  std::vector<int> columns_;  // empty before the header
  bool refused_ = false;
  std::uint64_t bad_lines_ = 0;
};

}  // namespace paceline
