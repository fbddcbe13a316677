// Who else is in a room, and what each publishes, as the broker tells.
//
// Bound: the members of a room are the broker's to limit. Thread: any.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "app/room/party_report.h"
#include "pubsub/wire/control.h"

namespace qvid::app {

class RoomMembers {
 public:
  // It has joined, and is told of everybody anew.
  void clear() {
    const std::lock_guard lock(mutex_);
    members_.clear();
    not_told_.clear();
  }
  // It is told of everybody anew by another broker of the same cluster, which may not know all yet.
  void renew() {
    const std::lock_guard lock(mutex_);
    not_told_.clear();
    for (const auto& [name, member] : members_) not_told_.insert(name);
  }
  // Of whom it was not told since.
  std::set<std::string> take_missing() {
    const std::lock_guard lock(mutex_);
    return std::exchange(not_told_, {});
  }
  // What has happened.
  struct News {
    bool came = false;    // it was not there before
    bool hand = false;    // it has raised its hand
    bool shares = false;  // it has begun to
  };
  News note(const qps::Member& member);
  // False: it was not there.
  bool leave(const std::string& name) {
    const std::lock_guard lock(mutex_);
    not_told_.erase(name);
    return members_.erase(name) > 0;
  }
  std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return members_.size();
  }
  bool all_decode(std::string_view codec) const;
  // How tall any of them shows that member at the most; empty: somebody does not say; 0: nobody shows it.
  std::optional<int> lines_of(const std::string& name) const;
  std::map<std::string, MemberReport> all() const {
    const std::lock_guard lock(mutex_);
    return members_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, MemberReport> members_;
  std::set<std::string> not_told_;  // of these
};

}  // namespace qvid::app
