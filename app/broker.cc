// `qvid broker`: rooms in which many publish and watch, over one port.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "app/broker_security.h"
#include "app/commands.h"
#include "app/report.h"
#include "app/transport_options.h"
#include "pubsub/broker_server.h"

namespace qvid::app {
namespace {

constexpr Duration kDrainTime = std::chrono::seconds(2);

struct BrokerArguments {
  std::string listen = "127.0.0.1:7400";
  std::size_t max_clients = 1024;
  BrokerSecurityArguments access;
  TransportArguments transport;
  ServerSecurityArguments security;
};

std::string text_of(const qps::BrokerStats& s) {
  return fmt::format(
      "brokered {} joins ({} refused, {} with wrong tokens, {} removed, {} closed for what they "
      "sent)\n"
      "  in        {} fragments, {:.1f} MB\n"
      "  out       {} fragments, {:.1f} MB, {} given up, {} switches\n",
      s.joined, s.refused, s.wrong_tokens, s.removed, s.faults, s.fragments_in,
      static_cast<double>(s.bytes_in.value()) / 1e6, s.fragments_out,
      static_cast<double>(s.bytes_out.value()) / 1e6, s.fragments_lost, s.switches);
}

ExitCode broker(const BrokerArguments& a, const CommonOptions& common) {
  const auto usage = [](const Error& error) {
    spdlog::error("{}", error.message);
    return kExitUsage;
  };
  const auto address = paceline::parse_address(a.listen, kDefaultPort);
  if (!address) return usage(address.error());
  const auto authorise = broker_authorise(a.access, *address);
  if (!authorise) return usage(authorise.error());
  auto session = session_config(a.transport);
  if (!session) return usage(session.error());
  auto identity = server_identity(a.security, a.transport, *address);
  if (!identity) return usage(identity.error());
  boost::asio::io_context io(1);
  auto server = qps::BrokerServer::open(io,
                                        {.listen = *address,
                                         .identity = *identity,
                                         .session = *session,
                                         .max_clients = a.max_clients,
                                         .max_per_address = a.access.max_per_address,
                                         .broker = {.authorise = *authorise}},
                                        [](const std::string& text) { spdlog::info("{}", text); });
  if (!server) {
    spdlog::error("{}", server.error().message);
    return kExitFailure;
  }
  boost::asio::steady_timer deadline(io);
  boost::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int signal) {
    if (error) return;
    signals.clear();  // a second one ends at once
    if (signal == SIGINT) return (*server)->stop();
    spdlog::info("draining: clients are told to come back, the end is in {:.2g} s",
                 to_seconds(kDrainTime));
    (*server)->drain("the broker is being replaced");
    deadline.expires_after(kDrainTime);
    deadline.async_wait([&](const boost::system::error_code&) { (*server)->stop(); });
  });
  const Url url{.address = as_others_know((*server)->address()),
                .name = "room",
                .fingerprint = *identity ? (*identity)->fingerprint() : ""};
  spdlog::info("broker on {}; join with: qvid call {}{}", (*server)->address().text(), url.text(),
               *identity ? "" : " --insecure");
  io.run();
  const qps::BrokerStats stats = (*server)->broker().stats();
  if (common.json) {
    fmt::print("{}\n", dump(qps::json_of(stats)));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(stats));
  }
  return kExitOk;
}

}  // namespace

Run add_broker(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<BrokerArguments>();
  CLI::App* c = qvid.add_subcommand("broker", "Run a broker: rooms for calls of many parties");
  c->add_option("-l,--listen", a->listen,
                "Address to listen on; 0.0.0.0:7400 lets other machines join (with --token-key or "
                "--open)")
      ->capture_default_str();
  c->add_option("--max-clients", a->max_clients, "Sessions at the same time")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  add_broker_security(*c, a->access);
  add_transport_options(*c, a->transport);
  add_server_security(*c, a->security);
  return [a, &common] { return broker(*a, common); };
}

}  // namespace qvid::app
