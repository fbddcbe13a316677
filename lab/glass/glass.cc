#include "lab/glass/glass.h"

#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>

#include "base/clock.h"
#include "lab/glass/clock_window.h"
#include "lab/glass/eye.h"
#include "lab/glass/strip.h"
#include "lab/glass/x_display.h"

namespace qvid::lab {
namespace {

// Of a thread, -20 (first) to 19; without the right to it, it stays at 0.
constexpr int kNice = -5;

// Waits until then; false where it was stopped before.
bool sleeps_until(Timestamp when, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any condition;
  std::unique_lock lock(mutex);
  condition.wait_until(lock, stop, when, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

Glass::Glass(const std::stop_token& stop, Way way)
    : source_(kClockWidth, kClockHeight, stop), sink_(kSinkWidth, kSinkHeight, stop) {
  clock_thread_ = thread_of([this](const std::stop_token& end) { show_clock(end); });
  eye_thread_ = thread_of([this, display = way == Way::kDirect ? source() : sink()](
                              const std::stop_token& end) { watch(display, end); });
}

// Both threads are joined before the displays end.
Glass::~Glass() {
  clock_thread_.request_stop();
  eye_thread_.request_stop();
}

std::jthread Glass::thread_of(Threaded work) {
  return std::jthread([this, work = std::move(work)](const std::stop_token& end) {
    setpriority(PRIO_PROCESS, 0, kNice);  // Linux: of this thread
    try {
      work(end);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!trouble_) trouble_ = std::current_exception();
    }
  });
}

void Glass::show_clock(const std::stop_token& stop) {
  ClockWindow window(source());
  for (;;) {
    const Timestamp due = window.prepare(steady_now());
    if (!sleeps_until(due, stop)) return;
    window.show();
    const Timestamp shown = steady_now();
    clock_late_.emplace_back(shown, shown - due);
  }
}

void Glass::watch(const std::string& display, const std::stop_token& stop) {
  XScreenView screen(display);
  Eye eye(screen);
  Timestamp next = steady_now();
  while (sleeps_until(next, stop)) {
    const Timestamp now = steady_now();
    eye.turn(now);
    seen_so_far_ = eye.log().sightings.size();
    next = std::max(next + kLookEvery, now);
  }
  seen_ = eye.log();
}

GlassLog Glass::stop() {
  for (std::jthread* thread : {&clock_thread_, &eye_thread_}) {
    thread->request_stop();
    thread->join();
  }
  if (trouble_) std::rethrow_exception(trouble_);
  GlassLog log = std::move(seen_);
  log.clock_late = std::move(clock_late_);
  return log;
}

}  // namespace qvid::lab
