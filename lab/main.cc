// qvid-lab: bad networks on one machine, a sub-command for each thing it does.
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <map>

#include "lab/experiments/experiment_command.h"
#include "lab/experiments/flows_command.h"
#include "lab/load/directory_command.h"
#include "lab/load/load_command.h"
#include "lab/run.h"
#include "lab/simulator/simulate.h"

namespace {

using namespace qvid::lab;

int run(int argc, char** argv) {
  CLI::App app{
      "Bad networks on one machine.\n\n"
      "  qvid-lab links                             links that have a name\n"
      "  qvid-lab run --link dsl \\\n"
      "    --peer 'qvid serve test --listen $LAB_FAR:7400' --wait-port 7400 \\\n"
      "    -- qvid play qvid://10.77.0.2:7400/live  watch a call over DSL\n"
      "  qvid-lab call --link rate=16mbit --link rate=500kbit   a call, each behind a link\n"
      "  qvid-lab simulate --flows pace:8,cubic:8   senders in virtual time\n"
      "  qvid-lab flows --flows pace+fo:4,cubic/greedy   senders on real sockets\n"
      "  qvid-lab load qvid://HOST/den              how much a broker takes\n"
      "  qvid-lab directory                         how many nodes a cluster's directory carries\n"
      "  qvid-lab experiment                        what the papers measured, measured here\n"
      "  qvid-lab results                           the page of what was measured",
      "qvid-lab"};
  app.footer(
      "Exit codes of run: COMMAND's own, 127 or 126 where it cannot be started, 125 the lab "
      "failed,\n2 wrong command line. Everything but COMMAND's output goes to stderr.\n"
      "Of experiment: 0 measured, 1 a run failed, 2, 125 likewise, 130 stopped by a signal.\n"
      "Of load: 0 measured, 1 nothing arrived or not all came back, 3 no connection, 4 refused.");
  app.require_subcommand(1);
  app.fallthrough();
  CommonOptions common;
  app.add_flag("--json", common.json, "Print the report as JSON");
  app.add_flag("-v,--verbose", common.verbose, "Log more");
  app.add_flag("-q,--quiet", common.quiet, "Log warnings and errors only, and print no report");

  std::map<std::string, Run> commands;
  commands["run"] = add_run(app, common);
  commands["call"] = add_call(app, common);
  commands["links"] = add_links(app, common);
  commands["flows"] = add_flows(app, common);
  commands["load"] = add_load(app, common);
  commands["directory"] = add_directory(app, common);
  commands["experiment"] = add_experiment(app, common);
  commands["results"] = add_results(app, common);
  commands["simulate"] = simulator::add_simulate(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : kExitUsage;
  }
  if (common.verbose) spdlog::set_level(spdlog::level::debug);
  if (common.quiet) spdlog::set_level(spdlog::level::warn);
  return commands.at(app.get_subcommands().front()->get_name())();
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("qvid-lab"));
  spdlog::set_pattern("%H:%M:%S.%e %^%l%$ %v");
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    spdlog::critical("{}", e.what());
    return kExitLabFailed;
  }
}
