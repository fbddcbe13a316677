// A broker that is killed (SIGKILL) and returns, and when its members are all members again. Of the
// sessions of before it knows nothing: who comes back joins anew.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "base/units.h"

namespace qvid::lab {

inline constexpr std::size_t kMostHerd = 5000;
inline constexpr std::size_t kMostOfHerdRoom = 256;  // as many as a broker has in one

struct HerdReport {
  std::size_t clients = 0;
  std::size_t joined = 0;   // before
  std::size_t back = 0;     // after it
  std::size_t refused = 0;  // for good
  std::string first_refusal = {};
  std::size_t attempts = 0;  // sessions begun to come back
  Duration join_time{};      // of all, before
  Duration away{};           // from the kill until it listened again
  // From then until the last was back, of a core: the broker's, and this process's.
  double broker_cpu = 0;
  double own_cpu = 0;
  // From when it listened again until so many were back: half, 99 of 100, all that came back. Of who
  // was not by the limit: nothing.
  Duration half{};
  Duration most{};
  Duration last{};

  bool all_back() const { return back == clients; }
};

// `clients`: 1..kMostHerd, in rooms of `of_room`, which a broker has to take. They are given kHerdLimit to join, and as much to come back. Throws
// std::runtime_error where the broker does not start; the error says what else is in the way.
inline constexpr Duration kHerdLimit = std::chrono::seconds(60);
Result<HerdReport> run_herd(std::size_t clients, std::size_t of_room, const std::stop_token& stop);

std::string text_of(const HerdReport& report);
nlohmann::json json_of(const HerdReport& report);

}  // namespace qvid::lab
