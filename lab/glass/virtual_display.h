// An X display in memory: Xvfb, with a number that is free.
//
// It runs in the lab's own namespace, whatever namespace its clients are in: there the X server's
// sockets without a file keep two displays from taking one number. Clients reach it by its file.
// It ends with this object, or with the lab. Thread: the one that made it must outlive it
// (lab/emulator/child_process.h).
#pragma once

#include <stop_token>
#include <string>

#include "lab/emulator/child_process.h"

namespace qvid::lab {

class VirtualDisplay {
 public:
  // 24 bit colours. Throws std::runtime_error where Xvfb is not installed or does not start, and
  // where `stop` asks for the end.
  VirtualDisplay(int width, int height, const std::stop_token& stop);
  ~VirtualDisplay();
  VirtualDisplay(const VirtualDisplay&) = delete;
  VirtualDisplay& operator=(const VirtualDisplay&) = delete;

  // As in DISPLAY: ":3".
  const std::string& name() const { return name_; }

 private:
  ChildProcess server_;
  std::string name_;
};

}  // namespace qvid::lab
