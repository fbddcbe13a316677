// The product's own programs on an emulated link: `qvid serve` at the near end, where the bed's
// senders are, and `qvid play --headless` at the far one; between two displays with a window there.
//
//   near (10.77.0.1)                                far (10.77.0.2)
//   qvid serve  ---- video, up --->  link  ---->    qvid play, one for each PlayerSpec
//   qvid broker ---- video, up --->  link  ---->    qvid watch, where the spec has a room
//     qvid publish, beside it
//
// The spec may have it the other way round, with the server at the far end.
//
// The server's key is made at its start, and the players trust the fingerprint that it says: all is
// TLS, as in the product's use.
//
// Bounds and ends of waits: ProgramFolder's. Nothing outlives the run: the destructor kills the
// programs; where the lab itself is killed, the kernel does.
//
// Thread: one, which must outlive the object (lab/emulator/child_process.h).
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/units.h"
#include "lab/bed/end_programs.h"
#include "lab/bed/program_folder.h"
#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"
#include "lab/bed/stored_video.h"
#include "lab/emulator/child_process.h"
#include "lab/emulator/emulator.h"

namespace qvid::lab {

class ProgramRun final : public EndPrograms {
 public:
  // Makes the stored video where there is one, starts the server and waits until it listens; the
  // link need not run. Throws std::runtime_error with what it said where it does not, and where
  // `stop` asks for the end. Without displays there are no windows.
  ProgramRun(const RunSpec& run, const Emulator& emulator, const std::stop_token& stop,
             std::optional<Displays> displays = std::nullopt);

  void begin(Timestamp now) override;
  // Starts, halts, continues and kills what is due.
  Timestamp turn(Timestamp now) override;
  // Every player has been started and has ended.
  bool over() override;
  // From here the server's CPU time counts.
  void begin_measured() override;
  // The players end first.
  void finish(RunResult& result) override;

  // Of a room: where a browser joins it.
  std::string page_url() const;

 private:
  struct Player {
    PlayerSpec spec;
    ChildProcess process;
    Timestamp started = kNever;
    bool halted = false;
    bool went_on = false;
    bool killed = false;
  };

  void start_server(const RunSpec& run, const std::stop_token& stop);
  void start_member(const ProgramSpec& spec, const std::stop_token& stop);
  void add_sound(const ProgramSpec& spec, std::vector<std::string>& command) const;
  void start(std::size_t index, Timestamp now);
  void finish_server(RunResult& result, bool ended_before);
  void finish_member(RunResult& result);
  PlayerResult result_of(std::size_t index);
  bool has_frames(const PlayerSpec& player) const;
  std::vector<std::string> sees(const std::string Displays::*display) const;
  const NetNamespace& of_server() const;
  const NetNamespace& of_players() const;

  const Emulator& emulator_;
  const bool from_far_;
  const bool room_;
  const bool output_logs_;
  const std::optional<Displays> displays_;
  std::string program_;
  ProgramFolder folder_;  // after its programs
  std::string url_;       // of `live`, or of the room
  std::shared_ptr<const StoredFile> stored_;
  ChildProcess server_;
  ChildProcess member_;  // of a room
  std::vector<Player> players_;
  Timestamp begin_ = kNever;
  double cpu_before_ = 0;  // seconds
};

}  // namespace qvid::lab
