#include "lab/bed/glass_run.h"

#include <fcntl.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lab/bed/chromium_call.h"
#include "lab/bed/guest_run.h"
#include "lab/bed/program_folder.h"
#include "lab/bed/program_run.h"
#include "lab/emulator/child_process.h"
#include "lab/emulator/unique_fd.h"

namespace qvid::lab {
namespace {

constexpr const char* kLinkNetwork = "10.77.0.0/30";  // of the emulator's devices
constexpr const char* kLinkDevice = "lab0";

void use_cubic(const NetNamespace& where) {
  const UniqueFd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const char* to : {kLinkNetwork, "default"}) {
    auto started = ChildProcess::start(
        {.command = {"ip", "route", "replace", to, "dev", kLinkDevice, "congctl", "cubic"},
         .environment = {},
         .input = nothing.get(),
         .output = nothing.get(),
         .errors = nothing.get()},
        where);
    auto* ip = std::get_if<ChildProcess>(&started);
    if (ip == nullptr || !ProgramFolder::ends(*ip) || ip->poll() != 0) {
      throw std::runtime_error("'ip route' (package iproute2) cannot give the link TCP's cubic");
    }
  }
}

}  // namespace

GlassRun::GlassRun(const RunSpec& run, const Emulator& emulator, const std::stop_token& stop) {
  const BetweenDisplays between = run.programs.between;
  if (between != BetweenDisplays::kProduct) check_installed(between);
  use_cubic(emulator.near());
  use_cubic(emulator.far());
  glass_ = std::make_unique<Glass>(stop);
  Displays displays{.senders = glass_->source(), .viewers = glass_->sink()};
  if (between == BetweenDisplays::kProduct) {
    programs_ = std::make_unique<ProgramRun>(run, emulator, stop, std::move(displays));
  } else if (between == BetweenDisplays::kGuest) {
    programs_ = std::make_unique<GuestRun>(run, emulator, stop, std::move(displays));
  } else {
    programs_ = std::make_unique<ChromiumCall>(between, run.programs.webrtc_codec, emulator, stop,
                                               std::move(displays));
  }
}

void GlassRun::finish(RunResult& result) {
  result.glass = glass_->stop();
  programs_->finish(result);
}

}  // namespace qvid::lab
