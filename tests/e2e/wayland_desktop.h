// A Wayland desktop as a program without a window sees it: a session bus, PipeWire with its session
// manager, and a portal of the test's own (tests/e2e/portal_probe.cc). Its bound is the test: all of it
// ends with this object.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

namespace e2e {

class WaylandDesktop {
 public:
  // The programs that it takes are there; else a test skips.
  static bool available();

  // `portal`: what portal_probe does; empty: there is none; "late": one that the bus starts, and
  // that never comes.
  explicit WaylandDesktop(const std::string& portal);
  // False: it did not start; log() says why.
  bool ok() const { return ok_; }
  std::string log() const;
  // Precondition: there is one.
  Process& portal() { return *portal_; }
  void end_portal() { portal_.reset(); }
  // Another one takes its place at once, while it still runs.
  bool replace_portal();
  void end_pipewire() { pipewire_.reset(); }

  // For programs that are to use it.
  std::vector<std::string> environment() const;

 private:
  bool start_portal(const std::string& what);

  qvid::TemporaryFolder folder_;
  std::unique_ptr<Process> bus_;
  std::unique_ptr<Process> pipewire_;
  std::unique_ptr<Process> manager_;
  std::unique_ptr<Process> portal_;
  std::unique_ptr<Process> replaced_portal_;
  bool ok_ = false;
};

}  // namespace e2e
