// A rival: Chromium at both ends, of which the near one shares its screen by WebRTC and
// the far one shows it, over UDP or through coturn at the far end over TCP.
//
//   near: chromium /call?role=send ---- link ----> far: chromium /call?role=receive
//                                                       coturn, where it is TCP
//
// Both find each other at a meeting point on their own loopback (lab/glass/meeting_server.h), which
// costs the link nothing. coturn is at the receiver's own address: from another one of that host,
// the receiver's answers would bear an address that has no permission. A link that drops UDP proves
// that all goes over TCP; to the receiver coturn speaks UDP within its host.
//
// Thread: as of EndPrograms.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "lab/bed/end_programs.h"
#include "lab/bed/program_folder.h"
#include "lab/glass/meeting_server.h"

namespace qvid::lab {

// Throws NotInstalled with the names of the packages that are missing.
void check_installed(BetweenDisplays between);

class ChromiumCall final : public EndPrograms {
 public:
  // Starts coturn where it is TCP. Throws std::runtime_error where that does not listen, and where
  // `stop` asks for the end. Precondition: check_installed.
  // `codec`: ProgramSpec's webrtc_codec.
  ChromiumCall(BetweenDisplays between, std::string codec, const Emulator& emulator,
               const std::stop_token& stop, Displays displays);
  ~ChromiumCall() override;  // with all of a browser's processes

  // The browsers begin with the run.
  void begin(Timestamp now) override;
  Timestamp turn(Timestamp) override { return kNever; }
  bool over() override;  // one of them has ended
  void begin_measured() override {}
  void finish(RunResult& result) override;

 private:
  struct Program {
    std::string name;  // in the folder
    ChildProcess process;
  };

  void start_turn(const std::stop_token& stop);
  void start_browser(const std::string& role, const std::string& query, int width, int height,
                     const NetNamespace& where, const std::string& display);

  const Emulator& emulator_;
  const Displays displays_;
  const bool over_turn_;
  const std::string codec_;
  ProgramFolder folder_;  // after its programs
  MeetingServer meeting_;
  std::vector<Program> programs_;
};

}  // namespace qvid::lab
