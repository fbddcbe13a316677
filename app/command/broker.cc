// `qvid broker`: rooms in which many publish and watch, over one port.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <thread>

#include "app/broker/broker_config.h"
#include "app/broker/broker_operation.h"
#include "app/broker/port_page.h"
#include "app/command/broker_options.h"
#include "app/command/commands.h"
#include "app/command/link_picture_option.h"
#include "app/command/report.h"
#include "app/log/log.h"
#include "app/options/file_times.h"
#include "app/options/renewed_identity.h"
#include "app/options/transport_options.h"
#include "app/web/link_preview.h"
#include "base/clock.h"
#include "base/memory_left.h"
#include "base/process.h"
#include "pubsub/server/broker_server.h"

namespace qvid::app {
namespace {

// What the command line says; an empty option leaves it to the file, or to the default.
struct BrokerArguments {
  std::string file;
  std::optional<std::string> listen;
  std::optional<std::size_t> max_clients;
  std::optional<std::size_t> threads;
  std::optional<std::string> metrics;
  std::optional<std::string> link_picture;
  std::optional<double> drain;  // seconds
  BrokerSecurityArguments access;
  ClusterArguments cluster;
  TransportArguments transport;
  ServerSecurityArguments security;
};

Result<BrokerConfig> configuration(const BrokerArguments& a) {
  auto config = a.file.empty() ? Result(BrokerConfig{}) : read_broker_config(a.file);
  if (!config) return config;
  if (a.listen) config->listen = *a.listen;
  if (a.max_clients) config->max_clients = *a.max_clients;
  if (a.threads) config->threads = *a.threads;
  if (a.metrics) {
    const auto address = paceline::parse_address(*a.metrics, kDefaultMetricsPort);
    if (!address && !a.metrics->empty()) return Error{"--metrics: " + address.error().message};
    config->metrics = *a.metrics;
  }
  if (a.link_picture) config->link_picture = *a.link_picture;
  if (a.drain) config->drain = from_seconds(*a.drain);
  apply_security(a.access, *config);
  apply_cluster(a.cluster, *config);
  if (!a.security.certificate.empty()) {
    config->certificate = a.security.certificate;
    config->key = a.security.key;
  }
  return config;
}

// What the limits of a configuration, and who may join by it, mean for the rooms.
Result<qps::BrokerOptions> broker_options(const BrokerConfig& config,
                                          const paceline::Address& listen) {
  auto authorise = broker_admission(config, listen);
  if (!authorise) return authorise.error();
  return qps::BrokerOptions{
      .max_members = config.max_members,
      .max_rooms = config.max_rooms,
      .max_requests = static_cast<int>(config.max_requests),
      .local_admin = config.local_admin,
      .max_measuring = config.max_measuring,
      .max_memory = ByteCount::of(config.max_memory_mb * std::size_t{1024} * 1024),
      .memory_left = MemoryLeft(),
      .chat = config.chat,
      .chat_kept = config.chat_kept,
      .authorise = *std::move(authorise)};
}

void log_line(const qps::BrokerLine& line) {
  log_about(LogLevel::kInfo, {.client = line.client, .room = line.room, .member = line.member},
            line.text);
}

void open_log_of(const BrokerConfig& config, const CommonOptions& common) {
  set_log_form(config.log_form == "json" ? LogForm::kJson : LogForm::kText);
  if (common.verbose || common.quiet) return;   // main has set it
  const std::string& level = config.log_level;  // one of four: configuration() has looked
  set_log_level(level == "debug"     ? LogLevel::kDebug
                : level == "warning" ? LogLevel::kWarning
                : level == "error"   ? LogLevel::kError
                                     : LogLevel::kInfo);
}

std::string stats_text(const qps::BrokerStats& s) {
  return fmt::format(
      "brokered {} joins ({} refused, {} with wrong tokens, {} removed, {} closed for what they "
      "sent)\n"
      "  in        {} fragments, {:.1f} MB\n"
      "  out       {} fragments, {:.1f} MB, {} given up, {} switches\n",
      s.joined, s.refused(), s.wrong_tokens, s.removed, s.faults, s.fragments_in,
      static_cast<double>(s.bytes_in.value()) / 1e6, s.fragments_out,
      static_cast<double>(s.bytes_out.value()) / 1e6, s.fragments_lost, s.switches);
}

ExitCode broker(const BrokerArguments& a, const CommonOptions& common) {
  const auto usage = [](const Error& error) {
    log_error("{}", error.message);
    return kExitUsage;
  };
  const auto config = configuration(a);
  if (!config) return usage(config.error());
  open_log_of(*config, common);
  const auto address = paceline::parse_address(config->listen, kDefaultPort);
  if (!address) return usage(address.error());
  auto session = session_config(a.transport);
  if (!session) return usage(session.error());
  auto identity = server_identity({config->certificate, config->key, a.security.proxy_protocol},
                                  a.transport, *address);
  if (!identity) return usage(identity.error());
  // What comes through a proxy comes from anywhere, wherever this listens.
  const paceline::Address reached = a.security.proxy_protocol.empty()
                                        ? *address
                                        : paceline::Address{.host = "::", .port = address->port};
  auto options = broker_options(*config, reached);
  if (!options) return usage(options.error());
  auto proxies = proxies_before(a.security);
  if (!proxies) return usage(proxies.error());
  const auto health_from = parse_networks(config->health_from);
  if (!health_from) return usage(health_from.error());
  if (!config->cluster.empty()) {
    const auto wrong = cluster_options(*config, *address, "", *session);
    if (!wrong) return usage(wrong.error());
  } else if (!config->name.empty() || !config->region.empty() || !config->advertise.empty()) {
    return usage(
        Error{"--name, --region and --advertise are of a cluster's node: say its servers "
              "too (--cluster)"});
  }
  raise_file_limit();
  const LinkPreview preview(embedded_assets(), config->link_picture);
  const qps::Broker* running = nullptr;  // once it is there
  boost::asio::io_context io(1);
  auto server = qps::BrokerServer::open(
      io,
      {.listen = *address,
       .identity = *identity,
       .proxies = *std::move(proxies),
       .page =
           [&](std::string_view path, const auto& from) {
             return port_page(path, from, *health_from, running->draining(), preview.files());
           },
       .session = *session,
       .max_clients = config->max_clients,
       .max_per_address = config->max_per_address,
       .threads = config->thread_count(),
       .broker = *options},
      log_line);
  if (!server) {
    log_error("{}", server.error().message);
    return kExitFailure;
  }
  running = &(*server)->broker();
  RenewedIdentity renewed({config->certificate, config->key}, [&] {
    return server_identity({config->certificate, config->key}, a.transport, *address);
  });
  const bool has_certificate = *identity != nullptr && !config->certificate.empty();
  BrokerConfig current = *config;
  FileTimes tokens(token_files(current));
  const auto apply = [&](const BrokerConfig& next) -> std::optional<Error> {
    FileTimes of_next(token_files(next));  // before they are read
    auto limits = broker_options(next, reached);
    if (!limits) return limits.error();
    if (has_certificate) {
      auto now = renewed.read();
      if (!now) return now.error();
      (*server)->set_identity(*std::move(now));
    }
    (*server)->set_limits(next.max_clients, next.max_per_address, *std::move(limits));
    if (next.token_reload == "close") (*server)->broker().judge_again(steady_now());
    open_log_of(next, common);
    current = next;
    tokens = std::move(of_next);
    return std::nullopt;
  };
  BrokerOperation::Hooks hooks{.read = {}, .apply = apply};
  const bool has_tokens = !current.token_key.empty();
  if (!a.file.empty() || has_certificate || has_tokens) {
    hooks.read = [&a] { return configuration(a); };
    hooks.look = [&] {
      if (has_certificate) {
        renewed.look([&](auto fresh) { (*server)->set_identity(std::move(fresh)); });
      }
      if (!tokens.have_changed()) return;
      if (const auto trouble = apply(current)) {
        return log_error("the keys of tokens stay as they were: {}", trouble->message);
      }
      log_info("the keys of tokens, or those called back, were read again");
    };
  }
  std::unique_ptr<ClusterNode> node;
  if (!config->cluster.empty()) {
    auto cluster = cluster_options(*config, (*server)->address(),
                                   *identity ? (*identity)->fingerprint() : "", *session);
    if (!cluster) return usage(cluster.error());
    auto opened = ClusterNode::open(io, *std::move(cluster), (*server)->broker(), log_line);
    if (!opened) {
      log_error("{}", opened.error().message);
      return kExitFailure;
    }
    node = *std::move(opened);
    hooks.drains = [&] { node->drain(); };
    hooks.stops = [&] { node->stop(); };
    hooks.node = [&] { return std::optional(state_of(node->cluster(), steady_now())); };
  }
  const auto operation = BrokerOperation::begin(io, **server, *config, std::move(hooks));
  if (!operation) {
    log_error("{}", operation.error().message);
    return kExitFailure;
  }
  const Url url{.address = as_others_know((*server)->address()),
                .name = "room",
                .fingerprint = *identity ? (*identity)->fingerprint() : ""};
  log_info("broker on {}; join with: qvid call {}{}", (*server)->address().text(), url.text(),
           *identity ? "" : " --insecure");
  log_debug("threads for sessions: {}", config->thread_count());
  io.run();
  const qps::BrokerStats stats = (*server)->broker().stats();
  if (common.json) {
    fmt::print("{}\n", dump(qps::json_of(stats)));
  } else if (!common.quiet) {
    fmt::print("{}", stats_text(stats));
  }
  return kExitOk;
}

}  // namespace

Run add_broker(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<BrokerArguments>();
  CLI::App* c = qvid.add_subcommand("broker", "Run a broker: rooms for calls of many parties");
  c->add_option(
      "-c,--config", a->file,
      "Configuration, read again on SIGHUP; options given here go before it. Its keys are "
      "in docs/broker.toml");
  c->add_option(
      "-l,--listen", a->listen,
      "Address to listen on (127.0.0.1:7400); 0.0.0.0:7400 lets other machines join (with "
      "--token-key or --open)");
  c->add_option("--max-clients", a->max_clients, "Sessions at the same time (1024)")
      ->check(CLI::Range(1, 100'000));
  c->add_option("--threads", a->threads,
                "Threads for sessions (0: as many as there are cores); 1: all on one thread")
      ->check(CLI::Range(0, 256));
  c->add_option("--metrics", a->metrics,
                "Address of a second port with /metrics for Prometheus, and /health; as "
                "127.0.0.1:9464");
  add_link_picture_option(*c, a->link_picture);
  c->add_option("--drain", a->drain,
                "Seconds from SIGTERM, when all are told of it, to the end (2)")
      ->check(CLI::Range(0.0, 3600.0));
  add_broker_security(*c, a->access);
  add_cluster_options(*c, a->cluster);
  add_transport_options(*c, a->transport);
  add_server_security(*c, a->security);
  return [a, &common] { return broker(*a, common); };
}

}  // namespace qvid::app
