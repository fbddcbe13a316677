// What has just happened, in a few words each: seen for kShown, or as long as it takes to read it, at
// most kMost at once.
//
//   add("Ann joined", now) -> at(now): {"Ann joined"} -> at(now + kShown): {}
//
// Bounded: where there is no place the oldest goes. Pure; `now` does not go backwards.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace qvid::ui {

class NoticeBoard {
 public:
  static constexpr Duration kShown = std::chrono::seconds(4);
  // What is long is shown as long as it takes to read it: some 200 words a minute.
  static constexpr Duration kPerByte = std::chrono::milliseconds(60);
  static constexpr std::size_t kMostRead = 200;  // bytes of it: 12 s
  static constexpr std::size_t kMost = 4;

  void add(std::string text, Timestamp now);
  // What is to be seen, oldest first.
  std::vector<std::string> at(Timestamp now) const;
  // When the next one of these goes; empty: there is none.
  std::optional<Timestamp> next_end(Timestamp now) const;

 private:
  struct Notice {
    std::string text;
    Timestamp end;
  };
  std::deque<Notice> notices_;
};

}  // namespace qvid::ui
