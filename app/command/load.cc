// `qvid load`: a broker's load test. Publishers and subscribers of one process, so that delays are
// exact.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <boost/asio/signal_set.hpp>

#include "app/command/commands.h"
#include "app/command/report.h"
#include "app/load/load_run.h"
#include "app/options/file_limit.h"
#include "app/options/token_option.h"
#include "app/options/transport_options.h"
#include "app/options/values.h"

namespace qvid::app {
namespace {

constexpr std::size_t kSocketsEach = 4;  // two in use, a standby, one on its way

struct LoadArguments {
  std::string url;
  LoadRequest request;
  std::string rate = "1M";
  std::string items = "30";
  double time = 10;
  double warm_up = 2;
  double window = 100;  // ms
  std::string token;
  int broker_pid = 0;
  TransportArguments transport;
  ClientArguments client;
};

std::optional<int> broker_of(const LoadArguments& a, const paceline::Address& address) {
  if (a.broker_pid != 0) return a.broker_pid;
  return address.is_loopback() ? listener_on(address.port) : std::nullopt;
}

Result<LoadRunOptions> options_of(const LoadArguments& a) {
  const auto to = destination_of(a.url, a.transport, a.client);
  if (!to) return to.error();
  const auto rate = parse_bitrate(a.rate);
  if (!rate) return rate.error();
  const auto token = read_token(a.token);
  if (!token) return token.error();
  const auto items = parse_rate(a.items);
  if (!items) return items.error();
  auto plan = plan_load(a.request);
  if (!plan) return plan.error();
  if (a.broker_pid != 0) {
    if (const auto usage = usage_of(a.broker_pid); !usage) return usage.error();
  }
  return LoadRunOptions{.each = {.remote = {.address = to->url.address, .trust = to->trust},
                                 .session = to->session,
                                 .token = *token,
                                 .rate = *rate,
                                 .items = *items,
                                 .window = from_seconds(a.window / 1e3)},
                        .plan = *std::move(plan),
                        .room = to->url.name,
                        .warm_up = from_seconds(a.warm_up),
                        .measure = from_seconds(a.time),
                        .broker_pid = broker_of(a, to->url.address),
                        .progress = [](const std::string& line) { spdlog::info("{}", line); }};
}

ExitCode load(const LoadArguments& a, const CommonOptions& common) {
  auto options = options_of(a);
  if (!options) {
    spdlog::error("{}", options.error().message);
    return kExitUsage;
  }
  const std::size_t clients = options->plan.publishers.size() + options->plan.subscribers.size();
  if (const std::size_t files = raise_file_limit(); clients * kSocketsEach > files) {
    spdlog::warn("{} clients may need {} sockets, and this process may have {}: ulimit -n", clients,
                 clients * kSocketsEach, files);
  }
  if (!options->broker_pid) {
    spdlog::info("the broker's CPU and memory are not measured: --broker-pid, on its machine");
  }
  boost::asio::io_context io(1);
  LoadRun run(io, *std::move(options));
  boost::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    signals.clear();  // a second one ends at once
    run.stop();
  });
  run.start();
  // The signals alone keep nothing running.
  while (!run.over() && io.run_one() > 0) {
  }
  const LoadReport report = run.report();
  if (report.joined == 0) {
    spdlog::error("nobody joined: {}", report.first_loss);
    return run.refused() ? kExitRefused : kExitUnreachable;
  }
  if (report.is_bottleneck()) {
    spdlog::warn("this end used {:.0f} % of a core: what is measured may be the load generator",
                 100 * report.load_cpu);
  }
  if (common.json) {
    fmt::print("{}\n", dump(json_of(report)));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(report));
  }
  return report.parts > 0 ? kExitOk : kExitFailure;
}

}  // namespace

Run add_load(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<LoadArguments>();
  CLI::App* c = qvid.add_subcommand("load", "Load a broker, and measure what it does");
  c->add_option("url", a->url, "qvid://host[:port]/room")->required();
  c->add_option("-p,--publishers", a->request.publishers, "Publishers in each room")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  c->add_option("-s,--subscribers", a->request.subscribers, "Subscribers in all")
      ->check(CLI::Range(1, 20'000))
      ->capture_default_str();
  c->add_option("--rooms", a->request.rooms, "Rooms; 0: as few as hold them")
      ->capture_default_str();
  c->add_option("--seats", a->request.seats,
                "Publishers that each subscriber watches; 0: all of its room")
      ->capture_default_str();
  c->add_option("--rate", a->rate, "Of each publisher: 800k, 1M")->capture_default_str();
  c->add_option("--fps", a->items, "Items a second, each of a base and three details")
      ->capture_default_str();
  c->add_option("--time", a->time, "Seconds that are measured")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  c->add_option("--warm-up", a->warm_up, "Seconds before, from when all have joined")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  c->add_option("--window", a->window, "Milliseconds that a detail may wait on its way")
      ->check(CLI::Range(1.0, 10'000.0))
      ->capture_default_str();
  add_token_option(*c, a->token);
  c->add_option("--broker-pid", a->broker_pid,
                "The broker's process, to measure its CPU and memory; found by itself on loopback")
      ->check(CLI::PositiveNumber);
  add_transport_options(*c, a->transport);
  add_client_options(*c, a->client);
  return [a, &common] { return load(*a, common); };
}

}  // namespace qvid::app
