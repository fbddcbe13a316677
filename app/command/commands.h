// The sub-commands of `qvid`: each adds itself to the command line and gives what to run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/options/cli.h"
#include "app/options/exit_codes.h"

namespace qvid::app {

struct CommonOptions {
  bool json = false;
  bool verbose = false;
  bool quiet = false;
};

using Run = std::function<ExitCode()>;

// `common` is filled before what they give is run, and outlives it.
Run add_serve(CLI::App& qvid, const CommonOptions& common);
Run add_play(CLI::App& qvid, const CommonOptions& common);
Run add_sources(CLI::App& qvid, const CommonOptions& common);
Run add_list(CLI::App& qvid, const CommonOptions& common);
Run add_prepare(CLI::App& qvid, const CommonOptions& common);
Run add_broker(CLI::App& qvid, const CommonOptions& common);
Run add_call(CLI::App& qvid, const CommonOptions& common);
Run add_publish(CLI::App& qvid, const CommonOptions& common);
Run add_watch(CLI::App& qvid, const CommonOptions& common);
Run add_token(CLI::App& qvid, const CommonOptions& common);
Run add_admin(CLI::App& qvid, const CommonOptions& common);
Run add_record(CLI::App& qvid, const CommonOptions& common);
Run add_check(CLI::App& qvid, const CommonOptions& common);
Run add_mon(CLI::App& qvid, const CommonOptions& common);
Run add_capacity(CLI::App& qvid, const CommonOptions& common);
// `run`: another command line, without the program's name.
using RunWords = std::function<int(const std::vector<std::string>&)>;
Run add_start(CLI::App& qvid, const CommonOptions& common, RunWords run);

}  // namespace qvid::app
