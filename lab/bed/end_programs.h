// Programs at the two ends of a link, as a run sees them through. Made before the run begins: what
// listens is started then.
//
// Thread: one, which must outlive the object (lab/emulator/child_process.h).
#pragma once

#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>

#include "base/units.h"
#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"
#include "lab/emulator/emulator.h"

namespace qvid::lab {

// Where a run cannot be made for want of packages; what() names them.
struct NotInstalled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// DISPLAY of those that send, and of those that show: ":3".
struct Displays {
  std::string senders;
  std::string viewers;
};

class EndPrograms {
 public:
  EndPrograms() = default;
  EndPrograms(const EndPrograms&) = delete;
  EndPrograms& operator=(const EndPrograms&) = delete;
  virtual ~EndPrograms() = default;  // kills them

  // From here the spec's times count.
  virtual void begin(Timestamp now) = 0;
  // Does what is due. When to call again, kNever where nothing more is due. Throws
  // std::runtime_error where a program cannot be started.
  virtual Timestamp turn(Timestamp now) = 0;
  // Whether there is nothing left to measure.
  virtual bool over() = 0;
  // From here the measured time counts.
  virtual void begin_measured() = 0;
  // Ends all programs, and collects what they have left.
  virtual void finish(RunResult& result) = 0;
};

// Those of the spec; null: it has none. Throws NotInstalled, and std::runtime_error where they do
// not start or `stop` asks for the end.
std::unique_ptr<EndPrograms> make_end_programs(const RunSpec& run, const Emulator& emulator,
                                               const std::stop_token& stop);

}  // namespace qvid::lab
