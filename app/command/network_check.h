// What the way to a room is like, for who is about to join: the quick part of `qvid check`
// (app/command/check_run.h), tried once, in a few seconds, on a thread of its own. It connects and says
// nothing: nobody is trusted, or remembered, by a look.
//
// Its end may take as long as the desktop takes to name its proxy: at most 3 s. Thread: main's; `wake`
// is called from the other.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/command/check_run.h"

namespace qvid::app {

// In a sentence, in the person's language; reasons and advice are those of `qvid check`.
struct NetworkView {
  std::string text{};
  bool trouble = false;

  bool operator==(const NetworkView&) const = default;
};
NetworkView network_view(const std::vector<CheckStep>& steps);

class NetworkCheck {
 public:
  NetworkCheck(const std::string& link, const std::string& proxy, std::function<void()> wake);
  ~NetworkCheck();
  NetworkCheck(const NetworkCheck&) = delete;
  NetworkCheck& operator=(const NetworkCheck&) = delete;

  // While it is tried: that it is.
  NetworkView view() const;

 private:
  void look(const std::string& link, const std::string& proxy);

  const std::function<void()> wake_;
  mutable std::mutex mutex_;  // guards view_, stopped_, and that run_ is there
  NetworkView view_;
  bool stopped_ = false;
  std::optional<CheckRun> run_;
  std::jthread thread_;  // ends before the others
};

}  // namespace qvid::app
