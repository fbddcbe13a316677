// A Chromium on a display that has a namespace for itself, as runs between displays use it: it opens one
// page as a window, and does nothing but this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/bed/program_folder.h"
#include "lab/emulator/child_process.h"
#include "lab/emulator/net_namespace.h"

namespace qvid::lab {

// Where a program can be run: found by PATH. Empty: nowhere.
std::string installed(std::string_view name);
// Of Chromium. Empty: it is not installed.
std::string chromium_program();

struct ChromiumWindow {
  std::string name{};  // in the folder
  std::string url{};
  int width = 0;
  int height = 0;
  std::string display{};
  std::vector<std::string> options{};  // beside those that all have
};

// Its profile and home are in the folder. Its own children are found by where they are: whoever starts one
// kills all of that namespace (NetNamespace::signal_processes) before the folder goes, into which they would
// write. Throws as ProgramFolder::launch. Precondition: chromium_program() is not empty.
ChildProcess start_chromium(const ProgramFolder& folder, const ChromiumWindow& window,
                            const NetNamespace& where);

}  // namespace qvid::lab
