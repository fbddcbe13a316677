#include "lab/load/load_command.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <boost/asio/signal_set.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/process.h"
#include "lab/emulator/listening_port.h"
#include "lab/emulator/stop_on_signal.h"
#include "lab/emulator/values.h"
#include "lab/load/herd_run.h"
#include "lab/load/load_run.h"
#include "pubsub/client/client_token.h"
#include "transport/control/controller.h"
#include "transport/tls/tls.h"
#include "transport/tls/url.h"

namespace qvid::lab {
namespace {

constexpr int kExitNothingCame = 1;
constexpr int kExitUnreachable = 3;
constexpr int kExitRefused = 4;
constexpr std::size_t kSocketsEach = 4;  // two in use, a standby, one on its way
// Below, parts are of a few bytes; above, one publisher would fill this process's core.
constexpr DataRate kLeastRate = DataRate::from_bps(50'000);
constexpr DataRate kMostRate = DataRate::from_bps(100'000'000);

struct LoadArguments {
  std::string url;
  std::size_t herd = 0;
  std::size_t of_room = 50;
  LoadRequest request;
  std::string rate = "1mbit";
  int items = 30;
  double time = 10;
  double warm_up = 2;
  double window = 100;  // ms
  double churn = 0;
  std::string token;
  int broker_pid = 0;
  std::string controller = "pace";
  std::size_t standby = 1;
  bool insecure = false;
  std::string ca_file;
};

std::optional<int> broker_of(const LoadArguments& a, const paceline::Address& address) {
  if (a.broker_pid != 0) return a.broker_pid;
  return address.is_loopback() ? listener_on(address.port) : std::nullopt;
}

// By the URL's fingerprint, the CA given, or a public one; nothing: without TLS.
Result<std::shared_ptr<paceline::Trust>> trust_of(const LoadArguments& a, const paceline::Url& url,
                                                  const std::string& token) {
  if (a.insecure) {
    if (!token.empty() && !url.address.is_loopback()) {
      return Error{"--insecure: " + url.address.text() +
                   " is not this machine, and anybody on the way could read the token"};
    }
    return std::shared_ptr<paceline::Trust>();
  }
  paceline::TrustOptions options;
  if (!url.fingerprint.empty()) options.fingerprint = url.fingerprint;
  options.ca_file = a.ca_file;
  return paceline::Trust::make(std::move(options));
}

Result<LoadRunOptions> options_of(const LoadArguments& a) {
  if (a.url.empty()) return Error{"say which broker: qvid-lab load qvid://HOST/den; or --herd N"};
  const auto url = paceline::parse_url(a.url, "load");
  if (!url) return url.error();
  const auto token = qps::read_token(a.token);
  if (!token) return token.error();
  auto trust = trust_of(a, *url, *token);
  if (!trust) return trust.error();
  const auto rate = parse_rate(a.rate);
  if (!rate) return rate.error();
  if (*rate < kLeastRate || *rate > kMostRate) {
    return Error{"--rate " + a.rate + ": 50kbit to 100mbit"};
  }
  auto plan = plan_load(a.request);
  if (!plan) return plan.error();
  if (a.broker_pid != 0) {
    if (const auto usage = usage_of(a.broker_pid); !usage) return usage.error();
  }
  paceline::SessionConfig session;
  session.controller.name = a.controller;
  session.standby = a.standby;
  return LoadRunOptions{.each = {.remote = {.address = url->address, .trust = *std::move(trust)},
                                 .session = session,
                                 .token = *token,
                                 .rate = *rate,
                                 .items = {.numerator = a.items, .denominator = 1},
                                 .window = from_seconds(a.window / 1e3)},
                        .plan = *std::move(plan),
                        .room = url->name,
                        .warm_up = from_seconds(a.warm_up),
                        .measure = from_seconds(a.time),
                        .broker_pid = broker_of(a, url->address),
                        .churn = a.churn,
                        .progress = [](const std::string& line) { spdlog::info("{}", line); }};
}

int herd(const LoadArguments& a, const CommonOptions& common) {
  const StopOnSignal stop([] {});
  const auto report = run_herd(a.herd, a.of_room, stop.token());
  if (!report) {
    spdlog::error("{}", report.error().message);
    return kExitLabFailed;
  }
  if (common.json) {
    fmt::print("{}\n", json_of(*report).dump(2));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(*report));
  }
  return report->all_back() ? 0 : kExitNothingCame;
}

int load(const LoadArguments& a, const CommonOptions& common) {
  if (a.herd > 0) return herd(a, common);
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
    // What a broker says may be any bytes: what is no UTF-8 is replaced.
    using Handler = nlohmann::json::error_handler_t;
    fmt::print("{}\n", json_of(report).dump(2, ' ', false, Handler::replace));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(report));
  }
  return report.parts > 0 ? 0 : kExitNothingCame;
}

void add_connection_options(CLI::App& c, LoadArguments& a) {
  c.add_option("--token", a.token,
               "What the broker lets you in by: a file, or the token itself, which others on "
               "this machine then see in the list of processes")
      ->envname("QVID_TOKEN");
  c.add_flag("--insecure", a.insecure, "Without TLS");
  c.add_option("--ca", a.ca_file, "Trust a broker that this CA vouches for (PEM)")
      ->check(CLI::ExistingFile);
  c.add_option("--controller", a.controller, "Of each publisher: pace, adapt, sock, mtp, or none")
      ->check(CLI::IsMember({"pace", "adapt", "sock", "mtp", "none"}))
      ->capture_default_str();
  c.add_option("--standby", a.standby, "Connections of each client, besides the two in use")
      ->check(CLI::Range(0, 8))
      ->capture_default_str();
}

}  // namespace

Run add_load(CLI::App& lab, const CommonOptions& common) {
  auto a = std::make_shared<LoadArguments>();
  CLI::App* c = lab.add_subcommand("load", "Load a broker, and measure what it does");
  auto* url = c->add_option("url", a->url, "qvid://host[:port]/room, as the broker prints it");
  c->add_option("--herd", a->herd,
                "In place of all that: so many clients of a broker of its own, which is killed and "
                "started again; when they are back")
      ->check(CLI::Range(std::size_t{1}, kMostHerd))
      ->excludes(url);
  c->add_option("--of-room", a->of_room, "Of a herd: how many share a room")
      ->check(CLI::Range(std::size_t{1}, kMostOfHerdRoom))
      ->excludes(url)
      ->capture_default_str();
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
  c->add_option("--rate", a->rate, "Of each publisher, 50kbit to 100mbit")->capture_default_str();
  c->add_option("--fps", a->items, "Items a second, each of a base and three details")
      ->check(CLI::Range(1, 120))
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
  c->add_option(
       "--churn", a->churn,
       "Members a second who come, watch for a second, and go, beside the subscribers; with "
       "it the broker's memory is followed")
      ->check(CLI::Range(0.0, 1000.0));
  c->add_option("--broker-pid", a->broker_pid,
                "The broker's process, to measure its CPU and memory; found by itself on loopback")
      ->check(CLI::PositiveNumber);
  add_connection_options(*c, *a);
  return [a, &common] { return load(*a, common); };
}

}  // namespace qvid::lab
