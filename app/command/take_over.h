// When a recorder that waits for another one's end begins: once that has been out of the room for kGone. A
// recorder whose broker has gone is back at another node of the cluster by then.
//
// Pure. Thread: one at a time.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/units.h"

namespace qvid::app {

class TakeOver {
 public:
  static constexpr Duration kGone = std::chrono::seconds(4);

  // `of`: the other one's name in the room.
  explicit TakeOver(std::string of) : of_(std::move(of)) {}

  // What it sees; true once: it begins now. `joined`: it knows who is there, else nothing is seen.
  bool look(bool joined, bool there, Timestamp now) {
    if (begun_) return false;
    if (!joined || there) {
      seen_ |= there;
      gone_.reset();
      return false;
    }
    if (!gone_) gone_ = now;
    if (now - *gone_ < kGone) return false;
    begun_ = true;
    return true;
  }
  bool begun() const { return begun_; }
  const std::string& of() const { return of_; }
  // For the files, whose first picture is of that time.
  std::string comment(Timestamp now) const {
    if (!seen_) return fmt::format("{} was not there", printable(of_));
    return fmt::format("goes on for {}, who left {:.1f} s before the first picture", printable(of_),
                       to_seconds(now - gone_.value_or(now)));
  }

 private:
  const std::string of_;
  std::optional<Timestamp> gone_;  // since when it was not seen
  bool seen_ = false;
  bool begun_ = false;
};

}  // namespace qvid::app
