// Many members of one broker who come back by themselves, as the program's do (base/backoff.h): what
// becomes of them when it goes and returns.
//
// Each is a client of its own, with its own TLS tickets; they neither publish nor watch. Joins are
// kMostJoining at a time at first, and later as their back-off says. Who is refused for good does not
// come again.
//
// Thread: one of its own, which the destructor joins; calls come from one other.
#pragma once

#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "transport/session/session.h"
#include "transport/tls/tls.h"

namespace qvid::lab {

struct HerdOptions {
  paceline::Address broker;
  paceline::TrustOptions trust;
  std::string token = {};
  std::size_t clients = 1;
  std::size_t of_room = 50;  // of them
};

class Herd {
 public:
  static constexpr std::size_t kMostJoining = 16;

  // The error: `trust` cannot be had.
  static Result<std::unique_ptr<Herd>> open(HerdOptions options);
  ~Herd();
  Herd(const Herd&) = delete;
  Herd& operator=(const Herd&) = delete;

  struct State {
    std::size_t members = 0;  // now
    std::size_t refused = 0;  // for good
    std::string first_refusal = {};
    std::size_t attempts = 0;  // sessions begun, ever
    // When each of the members became one, in order.
    std::vector<Timestamp> since = {};
  };
  // Waits until all are members, and have become so after `from`, or are refused; so long at the
  // most.
  State await_all(Timestamp from, Duration at_most, const std::stop_token& stop);

 private:
  class Member;

  explicit Herd(HerdOptions options);
  std::shared_ptr<paceline::Trust> new_trust() const;
  void join_more();
  void on_joined(std::size_t number);
  void on_left(std::size_t number);
  void on_refused(const std::string& reason);
  bool all_since(Timestamp from) const;

  const HerdOptions options_;
  boost::asio::io_context io_{1};
  std::vector<std::unique_ptr<Member>> members_;
  std::size_t joining_ = 0;  // at first

  std::mutex mutex_;  // guards the next
  std::condition_variable_any changed_;
  std::vector<Timestamp> since_;  // of each; kNever: it is no member
  State state_;                   // without `since`
  std::jthread thread_;
};

}  // namespace qvid::lab
