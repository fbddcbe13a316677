// A guest with a browser: the product's broker and a native member at one end of the link, and at the other
// Chromium with the page that this broker serves.
//
//   near: qvid broker, qvid publish ---- link, up ----> far: chromium https://NEAR/lab
//   near: chromium https://FAR/lab  ---- link, up ----> far: qvid broker, qvid watch      from_far
//
// The page itself crosses the link, too, as a guest's does. All is TLS, with the broker's own certificate, which
// Chromium is told to take: the page needs a secure context.
//
// Thread: as of EndPrograms.
#pragma once

#include <stop_token>

#include "lab/bed/end_programs.h"
#include "lab/bed/program_folder.h"
#include "lab/bed/program_run.h"

namespace qvid::lab {

class GuestRun final : public EndPrograms {
 public:
  // Throws as ProgramRun. Precondition: check_installed.
  GuestRun(const RunSpec& run, const Emulator& emulator, const std::stop_token& stop,
           Displays displays);
  ~GuestRun() override;  // with all of the browser's processes

  // The browser begins with the run.
  void begin(Timestamp now) override;
  Timestamp turn(Timestamp now) override { return room_.turn(now); }
  bool over() override { return browser_.poll().has_value(); }
  void begin_measured() override { room_.begin_measured(); }
  // Throws std::runtime_error with what the page said, too, where that failed.
  void finish(RunResult& result) override;

 private:
  const NetNamespace& of_guest() const { return sends_ ? emulator_.near() : emulator_.far(); }

  const Emulator& emulator_;
  const Displays displays_;
  const bool sends_;
  const bool speaks_;
  ProgramRun room_;       // the broker and the member
  ProgramFolder folder_;  // after the browser
  ChildProcess browser_;
};

}  // namespace qvid::lab
