// qvid: one program, a sub-command for each thing it does.
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/command/commands.h"
#include "app/command/usage_error.h"
#include "app/options/desktop_proxy.h"
#include "base/text.h"
#include "media/codec/process/decoder_child.h"

namespace {

using namespace qvid::app;

constexpr const char* kStart = "start";

// What there is to see for who types no sub-command: a window, if there is a display to show it on.
std::vector<std::string> with_command(std::vector<std::string> words) {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const bool alone = words.empty() && (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"));
  const bool is_link = !words.empty() && words.front().starts_with("qvid://");
  if (alone || is_link) words.insert(words.begin(), kStart);
  return words;
}

// `words`: the command line without the program's name.
int run(std::vector<std::string> words) {
  CLI::App app{
      "Qvid: video that stays interactive over TCP.\n\n"
      "  qvid                                  a window to join and start calls from\n"
      "  qvid sources                          what can be served here\n"
      "  qvid serve test                       serve a test scene\n"
      "  qvid play qvid://127.0.0.1:7400/live  watch it\n"
      "  qvid list qvid://HOST                 what a server has\n"
      "  qvid call --host                      a call of two; the other types what it prints\n"
      "  qvid prepare FILE                     encode a file once, for serving\n"
      "  qvid check qvid://HOST                what of the way to a server works\n"
      "  qvid mon FILE                         watch what a session measures",
      "qvid"};
  app.footer(
      "Exit codes: 0 done, 1 failed (no picture was shown, say), 2 wrong command line or input,\n"
      "3 no connection, 4 refused, or not a Qvid server. Logs go to stderr, reports to stdout.");
  app.set_version_flag("--version", QVID_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  app.failure_message(usage_error);
  CommonOptions common;
  app.add_flag("--json", common.json, "Print the report as JSON");
  app.add_flag("-v,--verbose", common.verbose, "Log more");
  app.add_flag("-q,--quiet", common.quiet, "Log warnings and errors only, and print no report");

  std::map<std::string, Run> commands;
  commands["serve"] = add_serve(app, common);
  commands["play"] = add_play(app, common);
  commands["list"] = add_list(app, common);
  commands["broker"] = add_broker(app, common);
  commands["call"] = add_call(app, common);
  commands["publish"] = add_publish(app, common);
  commands["watch"] = add_watch(app, common);
  commands["token"] = add_token(app, common);
  commands["admin"] = add_admin(app, common);
  commands["record"] = add_record(app, common);
  commands["sources"] = add_sources(app, common);
  commands["prepare"] = add_prepare(app, common);
  commands["check"] = add_check(app, common);
  commands["mon"] = add_mon(app, common);
  commands[kStart] = add_start(app, common, run);
  words = with_command(std::move(words));
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? kExitOk : kExitUsage;
  }
  if (common.verbose) spdlog::set_level(spdlog::level::debug);
  if (common.quiet) spdlog::set_level(spdlog::level::warn);
  return commands.at(app.get_subcommands().front()->get_name())();
}

// The text of a line, without what would move a terminal's cursor or forge another line.
class PrintableText : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& line) override {
    const std::string text = qvid::printable({message.payload.data(), message.payload.size()});
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<PrintableText>();
  }
};

}  // namespace

int main(int argc, char** argv) {
  // Before there is anything that a stranger's stream must not reach.
  if (argc == 2 && std::string_view(argv[1]) == qvid::media::kDecoderProcessCommand) {
    return qvid::media::run_decoder_process();
  }
  spdlog::set_default_logger(spdlog::stderr_color_mt("qvid"));
  // What peers say may be in it, whoever logs it.
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableText>('*').set_pattern("%H:%M:%S.%e %^%l%$ %*");
  spdlog::set_formatter(std::move(formatter));
  std::signal(SIGPIPE, SIG_IGN);
  // No command of a person's.
  if (argc == 3 && argv[1] == kDesktopProxyCommand) return tell_desktop_proxy(argv[2]);
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    spdlog::critical("{}", e.what());
    return kExitFailure;
  }
}
