// Watching sessions from outside: their signals, sampled at an interval into a CSV file, which
// `qvid mon` shows and any spreadsheet reads.
//
//   time_s,session,peer,rtt_ms,...,small_segments,queue_per_stream      one header line
//   12.300,1,192.0.2.1:7400,31.250,...,0,0:1200;2:64000                 one line a sample and
//   session
//
// The columns and their units are kSignalNames; queue_per_stream holds stream:bytes of the streams
// on which something waits. A reader goes by the names, so columns may be added.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "transport/session/session.h"

namespace paceline {

// The numbers of a sample, in the order of the columns; what each means is said in SessionSignals.
enum class Signal : std::uint8_t {
  kRtt,
  kRttLow,
  kBaseRtt,
  kBandwidth,
  kPressure,
  kWindow,
  kCompeting,
  kUnacked,
  kOldestUnacked,
  kAllowance,
  kQueued,
  kQueuedMessages,
  kSent,
  kAcked,
  kCancelledBytes,
  kDelivered,
  kCancelled,
  kReceived,
  kChannels,
  kFailovers,
  kPeerFailovers,
  kResumptions,
  kInterrupted,
  kSmallSegments,
  kExpressSent,
  kExpressReceived,
};
inline constexpr std::size_t kSignals = 26;
inline constexpr std::array<std::string_view, kSignals> kSignalNames = {
    "rtt_ms",          "rtt_low_ms",      "base_rtt_ms",    "bandwidth_kbps",    "pressure",
    "window_bytes",    "competing",       "unacked_bytes",  "oldest_unacked_ms", "allowance_bytes",
    "queued_bytes",    "queued_messages", "sent_bytes",     "acked_bytes",       "cancelled_bytes",
    "delivered",       "cancelled",       "received_bytes", "channels",          "failovers",
    "peer_failovers",  "resumptions",     "interrupted",    "small_segments",    "express_sent",
    "express_received"};

// One line. The numbers are in the units of their columns, since that is all they are for.
// Invariant: every value is finite and at most kMaxSignal in size, whoever wrote the line.
struct SignalSample {
  static constexpr double kMaxSignal = 1e15;

  struct Queue {
    std::uint32_t stream = 0;
    ByteCount bytes;
  };

  Duration time{};            // since the log began
  std::uint64_t session = 0;  // counted from 1 in the order they were added to the log
  std::string peer;           // printable ASCII without comma and quote
  std::array<double, kSignals> values{};
  std::vector<Queue> queues;  // at most kMaxQueues, those with the most bytes

  double operator[](Signal s) const { return values[static_cast<std::size_t>(s)]; }
};
inline constexpr std::size_t kMaxQueues = 32;

SignalSample sample_of(const SessionSignals& signals, const std::vector<StreamSignals>& streams);

// With their newline.
std::string csv_header();
std::string csv_line(const SignalSample& sample);

// Reads such a file as it grows: any bytes may come, cut anywhere. Of a line without its newline it
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
