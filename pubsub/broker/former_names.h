// Who had a name of a room before: so that nobody takes a name that was left, and is followed as the
// one who had it, without the others being told.
//
// One is known again by what its token says, where that is for the one name, or by a secret that its
// program chose at its start and tells the broker alone (Join::self). Of who says neither nothing is
// known: it counts as another than one who did.
//
// Bound: kMost names of a room; the oldest go. Pure. Thread: the broker's.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

namespace qps {

class FormerNames {
 public:
  static constexpr std::size_t kMost = 256;

  // `self`: who leaves the name. Empty: nobody knows.
  void left(const std::string& name, const std::string& self) {
    std::erase_if(names_, [&](const auto& each) { return each.first == name; });
    if (names_.size() == kMost) names_.pop_front();
    names_.emplace_back(name, self);
  }
  // Whether it is another than who left it.
  bool is_other(const std::string& name, const std::string& self) const {
    const auto it = std::ranges::find(names_, name, &std::pair<std::string, std::string>::first);
    return it != names_.end() && it->second != self;
  }

 private:
  std::deque<std::pair<std::string, std::string>> names_;  // and who; the oldest first
};

}  // namespace qps
