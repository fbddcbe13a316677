#include "app/broker/broker_operation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "app/broker/admin_page.h"
#include "app/broker/broker_metrics.h"
#include "app/broker/port_page.h"
#include "app/log/log.h"
#include "app/options/wall_time.h"
#include "base/clock.h"

namespace qvid::app {

Result<std::unique_ptr<BrokerOperation>> BrokerOperation::begin(boost::asio::io_context& io,
                                                                qps::BrokerServer& server,
                                                                BrokerConfig running, Hooks hooks) {
  std::unique_ptr<BrokerOperation> operation(
      new BrokerOperation(io, server, std::move(running), std::move(hooks)));
  if (auto trouble = operation->open_status(io)) return *std::move(trouble);
  if (auto trouble = operation->open_hook(io)) return *std::move(trouble);
  operation->await_signal();
  if (operation->hooks_.look) operation->look_later();
  return operation;
}

BrokerOperation::BrokerOperation(boost::asio::io_context& io, qps::BrokerServer& server,
                                 BrokerConfig running, Hooks hooks)
    : server_(server),
      config_(std::move(running)),
      hooks_(std::move(hooks)),
      signals_(io, SIGINT, SIGTERM),
      deadline_(io),
      look_(io) {
  if (hooks_.read) signals_.add(SIGHUP);
}

BrokerOperation::~BrokerOperation() { server_.broker().set_events({}); }

std::optional<Error> BrokerOperation::open_status(boost::asio::io_context& io) {
  if (config_.metrics.empty()) return std::nullopt;
  const auto address = paceline::parse_address(config_.metrics, kDefaultMetricsPort);
  if (!address) return Error{"metrics: " + address.error().message};
  auto status = StatusServer::open(
      io, *address, [this](const StatusServer::Request& request) { return page(request); },
      [](const std::string& trouble) { log_warning("metrics: {}", trouble); });
  if (!status) return Error{"metrics: " + status.error().message};
  status_ = *std::move(status);
  log_info("metrics on http://{}/metrics", status_->address().text());
  if (!address->is_loopback()) {
    log_warning("everybody who reaches {} can read the metrics, and may try tokens at /admin",
                status_->address().text());
  }
  return std::nullopt;
}

std::optional<Error> BrokerOperation::open_hook(boost::asio::io_context& io) {
  if (config_.hook.empty()) return std::nullopt;
  auto target = EventHook::parse(config_.hook);
  if (!target) return Error{"hook: " + target.error().message};
  hook_ = std::make_unique<EventHook>(
      io, *std::move(target), EventHook::Teller{.node = config_.name, .since = wall_now()},
      [](const std::string& trouble) { log_warning("hook: {}", trouble); });
  log_info("who joins and leaves is told to {}", config_.hook);
  server_.broker().set_events([this](const qps::BrokerEvent& event) {
    if (hook_ != nullptr) hook_->tell(event, wall_now());
  });
  return std::nullopt;
}

std::optional<StatusServer::Page> BrokerOperation::page(const StatusServer::Request& request) {
  qps::Broker& broker = server_.broker();
  if (request.path == "/admin") {
    const qps::Origin origin{.who = request.from.text() + " (by HTTP)",
                             .loopback = request.from.is_loopback()};
    return admin_page(request, [&](const qps::Admin& admin) {
      return broker.administer(admin, origin, steady_now());
    });
  }
  if (request.posts) return StatusServer::Page{.status = 405, .body = "only GET and HEAD\n"};
  if (request.path == "/health") {
    paceline::HttpPage health = health_page(broker.draining());
    return StatusServer::Page{.status = health.status, .body = std::move(health.text)};
  }
  if (request.path != "/metrics") return std::nullopt;
  const auto usage = usage_of(::getpid());
  return StatusServer::Page{
      .type = "text/plain; version=0.0.4; charset=utf-8",
      .body = metrics_text(broker.stats(), broker.counts(), server_.host_stats(), broker.draining(),
                           usage ? *usage : ProcessUsage(),
                           {.clients = config_.max_clients, .threads = config_.thread_count()},
                           hooks_.node(), broker.room_counts(kRoomsTold))};
}

void BrokerOperation::await_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (!error) on_signal(signal);
  });
}

void BrokerOperation::on_signal(int signal) {
  if (stopped_) return;
  if (signal == SIGHUP) {
    on_reload();
  } else if (signal == SIGTERM && !server_.broker().draining()) {
    drain();
  } else {
    return stop();
  }
  await_signal();
}

void BrokerOperation::on_reload() {
  const auto wanted = hooks_.read();
  if (!wanted) {
    return log_error("the configuration stays as it was: {}", wanted.error().message);
  }
  BrokerReload next = reload(config_, *wanted);
  if (const auto trouble = hooks_.apply(next.config)) {
    return log_error("the configuration stays as it was: {}", trouble->message);
  }
  config_ = std::move(next.config);
  log_info("the configuration was read again: {}",
           next.changed.empty() ? "nothing changes"
                                : fmt::format("new is {}", fmt::join(next.changed, ", ")));
  if (!next.kept.empty()) {
    log_warning("restart required for: {}", fmt::join(next.kept, ", "));
  }
}

void BrokerOperation::look_later() {
  look_.after(kLook, [this] {
    hooks_.look();
    look_later();
  });
}

void BrokerOperation::drain() {
  log_info("draining: clients are told to come back, the end is in {:g} s",
           to_seconds(config_.drain));
  hooks_.drains();
  server_.drain("the broker is being replaced");
  deadline_.after(config_.drain, [this] { stop(); });
}

void BrokerOperation::stop() {
  stopped_ = true;
  signals_.clear();
  signals_.cancel();
  deadline_.cancel();
  look_.cancel();
  status_.reset();
  hook_.reset();
  hooks_.stops();
  server_.stop();
}

}  // namespace qvid::app
