// `qvid check`: what reaches what, step by step, and what to do where it does not.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/command/check_run.h"
#include "app/command/commands.h"
#include "app/command/report.h"
#include "app/log/log.h"
#include "app/options/token_option.h"
#include "base/text.h"

namespace qvid::app {
namespace {

struct CheckArguments {
  std::string url;
  CredentialArguments token;
  TransportArguments transport;
  ClientArguments client;
};

const char* state_text(CheckStep::State state) {
  switch (state) {
    case CheckStep::State::ok: return "ok";
    case CheckStep::State::failed: return "FAILED";
    case CheckStep::State::skipped: return "-";
  }
  return "";
}

std::string steps_text(const std::vector<CheckStep>& steps) {
  std::string text;
  for (const CheckStep& s : steps) {
    const std::string took =
        s.took > Duration::zero() ? fmt::format("{:.0f} ms", to_ms(s.took)) : "";
    text += fmt::format("{:<10} {:<6} {:>8}  {}\n", s.name, state_text(s.state), took,
                        printable(s.text));
    if (!s.advice.empty()) text += fmt::format("{:>28}{}\n", "-> ", printable(s.advice));
  }
  return text;
}

nlohmann::json steps_json(const std::vector<CheckStep>& steps, ExitCode code,
                          const std::string& url) {
  nlohmann::json list = nlohmann::json::array();
  for (const CheckStep& s : steps) {
    const char* state = s.state == CheckStep::State::ok       ? "ok"
                        : s.state == CheckStep::State::failed ? "failed"
                                                              : "skipped";
    list.push_back({{"step", s.name},
                    {"figures", s.figures},
                    {"state", state},
                    {"ms", to_ms(s.took)},
                    {"text", s.text},
                    {"advice", s.advice}});
  }
  return {{"url", url}, {"ok", code == kExitOk}, {"steps", std::move(list)}};
}

ExitCode check(const CheckArguments& a, const CommonOptions& common) {
  auto to = destination_of(a.url, a.transport, a.client, "");
  const auto token = shown_token(a.token);
  if (!to || !token) {
    log_error("{}", (to ? token.error() : to.error()).message);
    return kExitUsage;
  }
  CheckRun run(*std::move(to), *token);
  const ExitCode code = run.run();
  if (common.json) {
    fmt::print("{}\n", dump(steps_json(run.steps(), code, run.url().text())));
  } else {
    fmt::print("{}", steps_text(run.steps()));
  }
  return code;
}

}  // namespace

Run add_check(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<CheckArguments>();
  CLI::App* c = qvid.add_subcommand(
      "check",
      "Say what of the way to a server works: name, proxy, TCP, TLS, identity, token, rate");
  c->add_option("url", a->url,
                "qvid://host[:port], or qvid://host[:port]/room of a broker with --token")
      ->required();
  add_token_options(*c, a->token);
  add_transport_options(*c, a->transport);
  add_client_options(*c, a->client);
  return [a, &common] { return check(*a, common); };
}

}  // namespace qvid::app
