// `qvid-lab run`: any program behind an emulated link; `qvid-lab call`: a call behind several. And
// what all sub-commands share.
//
// Exit codes follow `env` and `timeout`: COMMAND's own (128 + the signal that ended it), 127 or 126
// where it cannot be started, 125 where the lab itself failed, 2 for a wrong command line.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace qvid::lab {

inline constexpr int kExitUsage = 2;
inline constexpr int kExitLabFailed = 125;

struct CommonOptions {
  bool json = false;
  bool verbose = false;
  bool quiet = false;
};

using Run = std::function<int()>;

// `common` is filled before what they give is run, and outlives it.
Run add_run(CLI::App& lab, const CommonOptions& common);
Run add_call(CLI::App& lab, const CommonOptions& common);
Run add_links(CLI::App& lab, const CommonOptions& common);

}  // namespace qvid::lab
