// What is said on stderr while runs are made: on a terminal one line that is rewritten, elsewhere a
// line for each run that begins.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/units.h"
#include "lab/bed/run_spec.h"

namespace qvid::lab {

// Pure: the times are handed in.
class Progress {
 public:
  // All runs of all experiments, in the order in which they begin.
  Progress(std::vector<RunSpec> runs, std::size_t jobs);

  void begin(std::size_t index, Timestamp now);
  void end(std::size_t index, Timestamp now);
  // Grows with what runs took beyond their duration so far.
  Duration time_left(Timestamp now) const;
  // "[3/12] 16 flows, pace: 34 s, 2 min left": of the run that began last.
  std::string line_of_begin(Timestamp now) const;
  // "[3/12] 16 flows, pace | 16 flows, sock | 2 min left": of all that run.
  std::string status_line(Timestamp now) const;

 private:
  std::string count() const;
  Duration length_of(std::size_t index) const { return runs_[index].duration + overhead_; }

  std::vector<RunSpec> runs_;
  std::size_t jobs_;
  std::map<std::size_t, Timestamp> running_;  // since when
  std::size_t begun_ = 0;                     // they begin in order
  std::size_t last_ = 0;
  Duration overhead_ = 1s;  // of a run: setting up and taking down; then the greatest seen
};

// "34 s", "12 min".
std::string time_text(Duration time);

// Progress on a stream, for several threads.
class ProgressDisplay {
 public:
  enum class Mode { kNone, kLines, kStatus };

  ProgressDisplay(Progress progress, Mode mode) : progress_(std::move(progress)), mode_(mode) {}
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // By what stderr is.
  static Mode mode_of_stderr();

  void begin(std::size_t index);
  void end(std::size_t index);
  // Writes the status line again; to be called now and then.
  void refresh();
  // Takes the status line away, so that other lines can be written.
  void clear();

 private:
  void write_status();

  std::mutex mutex_;  // guards what follows
  Progress progress_;
  Mode mode_;
  bool shown_ = false;
};

}  // namespace qvid::lab
