// Takes small pictures of what can be shared, one after the other, on a thread of its own.
//
// Queues: what is wished for, which newer wishes replace; the latest picture of each source. What gives
// none is left out. Threads: its own, from the first wish on, on which `wake` is called; the others from
// one at a time. The destructor waits for the picture at hand: at most about a second.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "media/picture/video_frame.h"

namespace qvid::app {

struct StillWish {
  std::string source{};       // as it would be typed
  media::PictureSize most{};  // no larger than this
};

class StillTaker {
 public:
  static constexpr std::size_t kMostWishes = 100;  // those beyond are left
  using Stills = std::map<std::string, media::VideoFrame>;

  explicit StillTaker(std::function<void()> wake) : wake_(std::move(wake)) {}

  // In this order, instead of what was wished for before.
  void take(std::vector<StillWish> wishes);
  // By source, those that have come since the last time.
  Stills fetch();

 private:
  void run(const std::stop_token& stop);

  const std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::vector<StillWish> wishes_;  // guarded by mutex_, the next one last
  Stills stills_;                  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace qvid::app
