// What is left of a crash: a report with the back trace in state_folder(), crash-PID.txt, and a line on
// standard error that says where it is. The program ends as it would have (with a core, where the
// system keeps them).
//
// Addresses are those of the program's file: `addr2line -Cfe PROGRAM ADDRESS` names the place of one
// in brackets, `(+0x1234)`. The handler does only what signal-safety(7) allows, and what
// backtrace_symbols_fd(3) says of itself, on a stack of its own. Bounds: kMostReports, the oldest go.
// Thread: main's, before there are others.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace qvid::app {

inline constexpr std::size_t kMostReports = 10;

// `folder`: made when it is needed; empty: standard error alone is told. `version`: for the report.
void report_crashes(const std::filesystem::path& folder, const std::string& version);

}  // namespace qvid::app
