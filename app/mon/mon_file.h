// A log of signals, read as it is written, and on when another takes its place (the log rotates, or
// its program starts again).
#pragma once

#include <filesystem>
#include <optional>

#include "app/mon/mon_history.h"
#include "base/result.h"
#include "transport/session/signal_reader.h"

namespace qvid::app {

class SignalFile {
 public:
  explicit SignalFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~SignalFile() { close(); }
  SignalFile(const SignalFile&) = delete;
  SignalFile& operator=(const SignalFile&) = delete;

  // Reads what has come since. False: there is no such file. The error: it cannot be read, or is no
  // log of signals.
  Result<bool> poll(SignalHistory& into);

 private:
  // What the path names now; empty: nothing, or it cannot be told.
  struct Id {
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    bool operator==(const Id&) const = default;
  };

  Result<bool> open();
  void close();
  Result<bool> drain(SignalHistory& into);
  bool replaced() const;

  const std::filesystem::path path_;
  int file_ = -1;
  Id id_;
  std::int64_t offset_ = 0;
  paceline::SignalReader reader_;
};

}  // namespace qvid::app
