// Watching sessions from outside: their signals, sampled at an interval into a CSV file
// (signal_csv.h).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "transport/session/session.h"

namespace paceline {

struct SignalLogOptions {
  Duration interval = std::chrono::milliseconds(100);  // at least 1 ms
  // Then the file becomes FILE.1, in the place of an earlier one, and a new FILE begins.
  ByteCount max_file = qvid::operator""_MiB(64);
  // The file cannot be written any more: told once, with the reason, perhaps from inside a call.
  // Nothing more is logged; the sessions go on.
  std::function<void(const std::string&)> on_trouble;
};

// Writes the signals of the sessions added to it, from the event loop: some hundred bytes a sample
// into the file's buffer, flushed each second and at the end, so that a reader follows.
//
// While it holds sessions its timer keeps the io_context running, and no longer: remove a session
// when it says SessionClosed. Ownership: keeps no session alive; one that is destroyed is logged no
// more. Thread: that of the io_context, as the sessions.
class SignalLog {
 public:
  // A log that is already there becomes FILE.1; any other file is refused, not overwritten. A link,
  // a device or a pipe (/dev/stdout) is written to as it is; a file behind a link ends at max_file.
  static qvid::Result<std::unique_ptr<SignalLog>> open(boost::asio::io_context& io,
                                                       const std::filesystem::path& path,
                                                       SignalLogOptions options = {});
  ~SignalLog();  // flushes
  SignalLog(const SignalLog&) = delete;
  SignalLog& operator=(const SignalLog&) = delete;

  // Sampled now and at every interval. Its number in the file.
  std::uint64_t add(const std::shared_ptr<Session>& session);
  // Sampled for the last time. Without effect for one that was not added.
  void remove(const Session& session);

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t samples() const { return samples_; }  // lines written

 private:
  struct Watched {
    std::uint64_t number = 0;
    std::weak_ptr<Session> session;
  };

  SignalLog(boost::asio::io_context& io, std::filesystem::path path, SignalLogOptions options);
  qvid::Result<std::monostate> begin_file();
  void arm(Timestamp at);
  void on_timer(Timestamp now);
  void write(const Session& session, std::uint64_t number, Timestamp now);
  void fail(const std::string& why);

  const std::filesystem::path path_;
  SignalLogOptions options_;
  boost::asio::steady_timer timer_;
  std::ofstream file_;
  ByteCount size_;       // of the file
  bool regular_ = true;  // a file on a disk, which must not grow for ever
  bool link_ = false;
  bool failed_ = false;
  const Timestamp began_;
  Timestamp next_{};
  Timestamp flushed_{};
  std::vector<Watched> sessions_;
  std::uint64_t last_number_ = 0;
  std::uint64_t samples_ = 0;
  std::shared_ptr<int> armed_;  // while the timer runs; an expiry on the queue may outlive it
};

}  // namespace paceline
