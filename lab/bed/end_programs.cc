#include "lab/bed/end_programs.h"

#include "lab/bed/glass_run.h"
#include "lab/bed/program_run.h"

namespace qvid::lab {

std::unique_ptr<EndPrograms> make_end_programs(const RunSpec& run, const Emulator& emulator,
                                               const std::stop_token& stop) {
  if (run.programs.between != BetweenDisplays::kNothing) {
    return std::make_unique<GlassRun>(run, emulator, stop);
  }
  if (run.programs.players.empty()) return nullptr;
  return std::make_unique<ProgramRun>(run, emulator, stop);
}

}  // namespace qvid::lab
