// The instrument: two displays, the clock on one of them and an eye on the other. What is between
// them is to bring the picture from the source to the sink, and is judged by nothing else.
//
//   clock -> source (640x400)   ...   sink (800x600) -> eye
//
// Threads: one for the clock and one for the eye, a little above the others of the machine. Both
// begin with this object and end with stop() or with it.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/units.h"
#include "lab/glass/glass_log.h"
#include "lab/glass/virtual_display.h"

namespace qvid::lab {

// The sink has room for a window's decoration, or for one that is opened somewhere in the middle.
inline constexpr int kSinkWidth = 800;
inline constexpr int kSinkHeight = 600;

class Glass {
 public:
  // kDirect: the eye watches the source itself, which says what the instrument adds.
  enum class Way { kThroughPrograms, kDirect };
  // Throws std::runtime_error where a display does not start, and where `stop` asks for the end.
  explicit Glass(const std::stop_token& stop, Way way = Way::kThroughPrograms);
  ~Glass();
  Glass(const Glass&) = delete;
  Glass& operator=(const Glass&) = delete;

  const std::string& source() const { return source_.name(); }
  const std::string& sink() const { return sink_.name(); }

  // Pictures that the eye has seen so far.
  std::size_t seen() const { return seen_so_far_; }
  // Ends both, and gives what they have seen. Once. Throws what ended one of them early.
  GlassLog stop();

 private:
  using Threaded = std::function<void(const std::stop_token&)>;
  std::jthread thread_of(Threaded work);
  void show_clock(const std::stop_token& stop);
  void watch(const std::string& display, const std::stop_token& stop);

  VirtualDisplay source_;
  VirtualDisplay sink_;
  std::mutex mutex_;                                        // guards trouble_
  std::exception_ptr trouble_;                              // of either thread, the first
  std::vector<std::pair<Timestamp, Duration>> clock_late_;  // the clock's, read when it has ended
  GlassLog seen_;                                           // the eye's, read when it has ended
  std::atomic<std::size_t> seen_so_far_ = 0;
  std::jthread clock_thread_;
  std::jthread eye_thread_;
};

}  // namespace qvid::lab
