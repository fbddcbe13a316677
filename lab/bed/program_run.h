// The product's own programs on an emulated link: `qvid serve` at the near end, where the bed's
// senders are, and `qvid play --headless` at the far one.
//
//   near (10.77.0.1)                                far (10.77.0.2)
//   qvid serve  ---- video, up --->  link  ---->    qvid play, one for each PlayerSpec
//
// Each run has a folder of its own for keys, reports, logs and tables of frames; what programs
// write goes there, so that none of them waits for us. The server's key is made at its start, and
// the players trust the fingerprint that it says: all is TLS, as in the product's use.
//
// Bounds: what is read of a file is kMostRead, of a log its last lines. Every wait has an end:
// kStartTime for the server to listen, kEndTime for a program that was asked to end, then SIGKILL.
// Nothing outlives the run: the destructor kills the programs and removes the folder; where the lab
// itself is killed, the kernel kills the programs, and the next run removes the folder.
//
// Thread: one, which must outlive the object (lab/emulator/child_process.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/units.h"
#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"
#include "lab/bed/stored_video.h"
#include "lab/emulator/child_process.h"
#include "lab/emulator/emulator.h"

namespace qvid::lab {

class ProgramRun {
 public:
  static constexpr Duration kStartTime = Duration(30'000'000'000);
  static constexpr Duration kEndTime = Duration(10'000'000'000);
  static constexpr std::size_t kMostRead = 32 << 20;  // bytes

  // Makes the stored video where there is one, starts the server and waits until it listens; the
  // link need not run. Throws std::runtime_error with what it said where it does not, and where
  // `stop` asks for the end.
  ProgramRun(const ProgramSpec& spec, const Emulator& emulator, const std::stop_token& stop);
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  // From here the spec's times count.
  void begin(Timestamp now);
  // Starts, halts, continues and kills what is due. When to call again, kNever where nothing more
  // is due. Throws std::runtime_error where a program cannot be started.
  Timestamp turn(Timestamp now);
  // Whether every player has been started and has ended.
  bool over();
  // From here the server's CPU time counts.
  void begin_measured();
  // Ends all programs, the players first, and collects what they have left.
  void finish(RunResult& result);

 private:
  struct Player {
    PlayerSpec spec;
    ChildProcess process;
    Timestamp started = kNever;
    bool halted = false;
    bool went_on = false;
    bool killed = false;
  };

  ChildProcess launch(const std::string& name, std::vector<std::string> command,
                      const NetNamespace& where) const;
  void start(std::size_t index, Timestamp now);
  void await_server(const std::stop_token& stop);
  PlayerResult result_of(std::size_t index);
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

  const Emulator& emulator_;
  std::string program_;
  std::filesystem::path folder_;
  std::string url_;  // of `live`
  std::shared_ptr<const StoredFile> stored_;
  ChildProcess server_;
  std::vector<Player> players_;
  Timestamp begin_ = kNever;
  double cpu_before_ = 0;  // seconds
};

// The program that is run: QVID_PROGRAM, else the one of the build that this one is of. Throws
// std::runtime_error where there is none.
std::string product_program();

}  // namespace qvid::lab
