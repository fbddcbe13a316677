// A private PulseAudio for a test: without hardware, D-Bus or the user's settings, with null sinks
// as loudspeakers (`NAME`) and what is played to them as microphones (`Monitor of NAME`). Or PipeWire in
// its place, which speaks the same protocol. Its bound is the test: it ends with this object.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/process.h"
#include "tests/e2e/wayland_desktop.h"
#include "tests/temporary_folder.h"

namespace e2e {

class PulseServer {
 public:
  enum class Kind { kPulseAudio, kPipeWire };
  // The programs that it takes are there; else a test skips.
  static bool available(Kind kind = Kind::kPulseAudio);

  explicit PulseServer(Kind kind = Kind::kPulseAudio);
  // False: it did not start; log() says why.
  bool ok() const { return ok_; }
  const std::string& log() const { return server_->log(); }

  // A loudspeaker; it is known by that name everywhere (no blanks). What to remove it by; empty:
  // failed.
  std::string add_sink(const std::string& name);
  // What is played to `sink` as a microphone that is no monitor: listed without being asked for.
  std::string add_microphone(const std::string& name, const std::string& sink);
  void remove(const std::string& module);
  void set_default_sink(const std::string& name) { pactl({"set-default-sink", name}); }
  void set_default_source(const std::string& name) { pactl({"set-default-source", name}); }
  // What pactl says, as "list short sink-inputs".
  std::string pactl(std::vector<std::string> arguments);
  // As after a crash: everything is gone. A new one is there when it returns. Of PipeWire, what speaks the
  // protocol alone.
  void restart();

  // For programs that are to use it.
  std::vector<std::string> environment() const;

 private:
  void start();
  void start_on_pipewire();
  std::string socket() const;

  qvid::TemporaryFolder folder_;
  std::unique_ptr<WaylandDesktop> desktop_;  // null: PulseAudio
  std::unique_ptr<Process> server_;
  bool ok_ = false;
};

}  // namespace e2e
