// Programs between two displays, and the instrument around them (lab/glass/glass.h):
//
//   clock -> source | near: who sends ---- link ----> far: who shows | sink -> eye
//
// All ends of TCP use cubic where they choose nothing themselves: it is what a user's Linux has,
// while this machine's may have another. The namespaces get a default route each, without which
// Chromium finds no address of its own.
//
// Thread: as of EndPrograms.
#pragma once

#include <memory>
#include <stop_token>

#include "lab/bed/end_programs.h"
#include "lab/glass/glass.h"

namespace qvid::lab {

class GlassRun final : public EndPrograms {
 public:
  // Throws as make_end_programs.
  GlassRun(const RunSpec& run, const Emulator& emulator, const std::stop_token& stop);

  void begin(Timestamp now) override { programs_->begin(now); }
  Timestamp turn(Timestamp now) override { return programs_->turn(now); }
  bool over() override { return programs_->over(); }
  void begin_measured() override { programs_->begin_measured(); }
  // What was seen comes first: programs that end are not to be measured.
  void finish(RunResult& result) override;

 private:
  std::unique_ptr<Glass> glass_;
  std::unique_ptr<EndPrograms> programs_;  // end before the displays do
};

}  // namespace qvid::lab
