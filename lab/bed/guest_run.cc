#include "lab/bed/guest_run.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/text.h"
#include "lab/bed/chromium.h"
#include "lab/glass/glass.h"
#include "lab/glass/guest_page.h"
#include "lab/glass/strip.h"

namespace qvid::lab {
namespace {

constexpr const char* kGuestName = "chromium";
constexpr const char* kExtension = "guest";  // its folder

// A room's member has the display of the other end than the guest's.
Displays for_the_member(const Displays& displays, bool guest_sends) {
  return guest_sends ? Displays{.senders = displays.viewers, .viewers = {}} : displays;
}

}  // namespace

GuestRun::GuestRun(const RunSpec& run, const Emulator& emulator, const std::stop_token& stop,
                   Displays displays)
    : emulator_(emulator),
      displays_(std::move(displays)),
      sends_(run.programs.from_far),
      speaks_(run.programs.guest_speaks),
      room_(run, emulator, stop, for_the_member(displays_, sends_)) {
  const auto folder = folder_.file(kExtension);
  std::filesystem::create_directory(folder);
  std::ofstream(folder / kGuestManifestFile) << guest_manifest();
  std::ofstream(folder / kGuestScriptFile) << guest_script();
}

GuestRun::~GuestRun() { of_guest().signal_processes(SIGKILL); }

void GuestRun::begin(Timestamp now) {
  room_.begin(now);
  const std::string extension = folder_.file(kExtension).string();
  std::string url = room_.page_url();
  if (sends_) url += speaks_ ? "#send&speak" : "#send";
  browser_ = start_chromium(
      folder_,
      {.name = kGuestName,
       .url = url,
       .width = sends_ ? kClockWidth : kSinkWidth,
       .height = sends_ ? kClockHeight : kSinkHeight,
       .display = sends_ ? displays_.senders : displays_.viewers,
       .options = {"--disable-extensions-except=" + extension, "--load-extension=" + extension,
                   "--ignore-certificate-errors", "--enable-logging=stderr"}},
      of_guest());
}

void GuestRun::finish(RunResult& result) {
  if (browser_.poll()) {
    throw std::runtime_error("chromium ended early: " + folder_.last_words(kGuestName));
  }
  const std::string why = guest_trouble(folder_.text_of(std::string(kGuestName) + ".log"));
  if (!why.empty()) throw std::runtime_error("the guest's page failed: " + printable(why));
  browser_.signal(SIGTERM);
  ProgramFolder::ends(browser_);
  room_.finish(result);
}

}  // namespace qvid::lab
