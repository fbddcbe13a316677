#include "app/command/check_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/text.h"

namespace qvid::app {
namespace {

using boost::asio::ip::tcp;
using paceline::ConnectError;
using State = CheckStep::State;

constexpr Duration kAllOfIt = std::chrono::seconds(10);
constexpr Duration kConnecting = std::chrono::seconds(3);  // an address, and TLS
constexpr Duration kPinging = std::chrono::milliseconds(1500);
constexpr std::size_t kMostAddresses = 8;  // that are tried here
// What a small picture with sound needs, and what makes talking a pain.
constexpr DataRate kLeastRate = DataRate::from_kbps(300);
constexpr Duration kMostGrowth = std::chrono::milliseconds(200);

std::string ip_of(const tcp::endpoint& end) { return end.address().to_string(); }

}  // namespace

CheckRun::CheckRun(Destination to, std::string token, Extent extent)
    : to_(std::move(to)), token_(std::move(token)), extent_(extent) {
  to_.session.standby = 0;
  to_.session.separate_directions = false;
  to_.session.resume_limit = {};
  to_.session.ping_interval = std::chrono::milliseconds(100);
}

ExitCode CheckRun::run() {
  std::optional<boost::asio::signal_set> signals;
  if (extent_ == Extent::kWhole) {
    signals.emplace(io_, SIGINT, SIGTERM);
    signals->async_wait([this](const boost::system::error_code& error, int) {
      if (!error) finish(kExitFailure);
    });
  }
  deadline_.after(kAllOfIt, [this] {
    if (rates_) return rates_->stop();
    fail({.name = "time",
          .state = State::failed,
          .text = "ten seconds are over",
          .advice = "the way is too slow for a call, or something on it holds packets back"},
         kExitUnreachable);
  });
  check_name();
  while (!code_ && io_.run_one() > 0) {
  }
  if (session_) session_->close("the check is over");
  dials_.clear();
  io_.restart();
  io_.poll();  // what is said at the end goes out
  return code_.value_or(kExitFailure);
}

void CheckRun::stop() {
  boost::asio::post(io_, [this] { finish(kExitFailure); });
}

void CheckRun::finish(ExitCode code) {
  if (!code_) code_ = code;
}

void CheckRun::fail(CheckStep step, ExitCode code) {
  step.state = State::failed;
  add(std::move(step));
  finish(code);
}

void CheckRun::check_name() {
  if (to_.proxy) {
    add({.name = "name",
         .state = State::skipped,
         .text = to_.url.address.host + " is looked up by the proxy",
         .advice = {}});
    return check_proxy();
  }
  resolver_.async_resolve(
      to_.url.address.host, std::to_string(to_.url.address.port),
      [this, began = steady_now()](const boost::system::error_code& error,
                                   const tcp::resolver::results_type& found) {
        if (code_) return;
        const Duration took = steady_now() - began;
        if (error || found.empty()) {
          return fail({.name = "name",
                       .took = took,
                       .text = to_.url.address.host + " cannot be looked up: " + error.message(),
                       .advice = "is it spelt right? Does this machine have a name server (getent "
                                 "hosts NAME)? An address in its place does without"},
                      kExitUnreachable);
        }
        std::string all;
        for (const auto& entry : found) all += (all.empty() ? "" : ", ") + ip_of(entry.endpoint());
        add({.name = "name",
             .took = took,
             .text = to_.url.address.host + ": " + all,
             .advice = {}});
        add({.name = "proxy", .state = State::skipped, .text = "none", .advice = {}});
        check_addresses(found);
      });
}

void CheckRun::check_proxy() {
  const std::string proxy = to_.proxy->server.text();
  dials_.emplace_back(
      io_, to_.url.address, paceline::DialOptions{.timeout = kConnecting, .proxy = to_.proxy},
      [this, proxy, began = steady_now()](const Outcome& outcome) {
        const Duration took = steady_now() - began;
        if (const auto* error = std::get_if<ConnectError>(&outcome)) {
          return fail({.name = "proxy", .took = took, .text = error->message, .advice = {}},
                      error->permanent ? kExitRefused : kExitUnreachable);
        }
        add({.name = "proxy",
             .took = took,
             .text = proxy + " connects to " + to_.url.address.text(),
             .advice = {}});
        check_tls();
      });
}

void CheckRun::check_addresses(const tcp::resolver::results_type& found) {
  for (const auto& entry : found) {
    if (addresses_.size() == kMostAddresses) break;
    CheckStep& step = addresses_.emplace_back();
    step.name = "tcp";
    const paceline::Address one{.host = ip_of(entry.endpoint()), .port = to_.url.address.port};
    step.text = one.text();
    ++waiting_;
    dials_.emplace_back(io_, one, paceline::DialOptions{.timeout = kConnecting},
                        [this, &step, began = steady_now()](const Outcome& outcome) {
                          on_address(step, began, outcome);
                        });
  }
}

void CheckRun::on_address(CheckStep& step, Timestamp began, const Outcome& outcome) {
  step.took = steady_now() - began;
  if (const auto* error = std::get_if<ConnectError>(&outcome)) {
    step.state = State::failed;
    step.text = error->message;
    step.advice =
        "is the server running, does it listen on this address (not only on 127.0.0.1), and do the "
        "firewalls between let the port through? Where only a proxy gets out: --proxy";
  }
  if (--waiting_ > 0) return;
  const bool any =
      std::ranges::any_of(addresses_, [](const CheckStep& s) { return s.state == State::ok; });
  for (CheckStep& s : addresses_) {
    if (any && s.state == State::failed) {
      s.advice =
          "others of its addresses work; this one costs clients up to 250 ms: mend it, or "
          "take it out of the name";
    }
    add(s);
  }
  if (!any) return finish(kExitUnreachable);
  check_tls();
}

void CheckRun::check_tls() {
  if (extent_ == Extent::kQuick) return finish(kExitOk);
  if (!to_.trust) {
    for (const char* name : {"tls", "identity"}) {
      add({.name = name, .state = State::skipped, .text = "left out: --insecure", .advice = {}});
    }
    return check_session();
  }
  dials_.emplace_back(
      io_, to_.url.address,
      paceline::DialOptions{.timeout = kConnecting, .trust = to_.trust, .proxy = to_.proxy},
      [this, began = steady_now()](const Outcome& outcome) { on_tls(began, outcome); });
}

void CheckRun::on_tls(Timestamp began, const Outcome& outcome) {
  const Duration took = steady_now() - began;
  if (const auto* error = std::get_if<ConnectError>(&outcome)) {
    if (error->untrusted) {
      add({.name = "tls", .took = took, .text = "1.3", .advice = {}});
      return fail({.name = "identity", .text = error->message, .advice = {}}, kExitRefused);
    }
    return fail({.name = "tls",
                 .took = took,
                 .text = error->message,
                 .advice = error->permanent ? "is it the right port, and a Qvid server?" : ""},
                error->permanent ? kExitRefused : kExitUnreachable);
  }
  add({.name = "tls",
       .took = took,
       .text = std::get<std::unique_ptr<paceline::Connection>>(outcome)->security(),
       .advice = {}});
  const auto notice = to_.trust->take_notice();
  add({.name = "identity",
       .text = notice ? *notice
               : to_.url.fingerprint.empty()
                   ? "it has the key that is known, or a CA vouches for it"
                   : "it has the key that the URL names",
       .advice = {}});
  check_session();
}

void CheckRun::check_session() {
  session_began_ = steady_now();
  session_ = paceline::Session::connect(
      io_, to_.remote(), to_.session,
      [this](paceline::SessionEvent&& event) { on_session_event(std::move(event)); });
}

void CheckRun::on_session_event(paceline::SessionEvent&& event) {
  if (code_) return;
  if (rates_) return rates_->on_event(event);
  if (std::holds_alternative<paceline::SessionEstablished>(event)) {
    add({.name = "session",
         .took = steady_now() - session_began_,
         .text = "Paceline 2",
         .advice = {}});
    wait_.after(kPinging, [this] { check_round_trip(); });
  } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    const bool lost = closed->reason == paceline::CloseReason::kConnectionLost ||
                      closed->reason == paceline::CloseReason::kTimeout;
    fail({.name = "session",
          .took = steady_now() - session_began_,
          .text = closed->detail,
          .advice = lost ? "it answers and then ends: is it a Qvid server, and one with TLS?" : ""},
         lost ? kExitUnreachable : kExitRefused);
  }
}

void CheckRun::check_round_trip() {
  const auto signals = session_->signals();
  idle_ = signals.rtt_low;
  add({.name = "roundtrip",
       .took = signals.rtt,
       .text = fmt::format("least {:.1f} ms, idle", to_ms(idle_)),
       .advice = {},
       .figures = {{"idle_ms", to_ms(idle_)}}});
  asked_ = steady_now();
  rates_.emplace(io_, session_, to_.url.name, token_,
                 [this](const RateReport& report) { on_rates(report); });
  rates_->start();
}

void CheckRun::on_rates(const RateReport& report) {
  using Admission = RateReport::Admission;
  if (report.admission == Admission::kRefused) {
    CheckStep step{.name = "token",
                   .took = steady_now() - asked_,
                   .text = report.reason,
                   .advice =
                       "qvid token makes one; it names the room, the member's name or any, "
                       "and how long it is valid. Of a passphrase: --passphrase"};
    if (!token_.empty()) return fail(std::move(step), kExitRefused);
    step.state = State::skipped;
    step.advice = "qvid check qvid://host/room --token FILE, or --passphrase";
    add(std::move(step));
  } else if (report.admission == Admission::kNotSaid) {
    add({.name = "token", .state = State::skipped, .text = report.reason, .advice = {}});
  } else if (token_.empty()) {
    add({.name = "token", .state = State::skipped, .text = "none is wanted", .advice = {}});
  } else {
    add({.name = "token",
         .text = to_.url.name.empty() ? "it lets in" : "it lets into '" + to_.url.name + "'",
         .advice = {}});
  }
  add_rate("up", report.up, report.reason);
  add_rate("down", report.down, report.reason);
  finish(kExitOk);
}

void CheckRun::add_rate(const std::string& way, const std::optional<MeasuredWay>& measured,
                        const std::string& reason) {
  if (!measured) {
    return add(
        {.name = way, .state = State::skipped, .text = "not measured: " + reason, .advice = {}});
  }
  const Duration growth = std::max(Duration(), measured->round_trip - idle_);
  CheckStep step{.name = way,
                 .text = fmt::format("{:.1f} Mbit/s; the round trip grows by {:.0f} ms meanwhile",
                                     measured->rate.mbps(), to_ms(growth)),
                 .advice = {},
                 .figures = {{"mbit_s", measured->rate.mbps()}, {"growth_ms", to_ms(growth)}}};
  if (measured->rate < kLeastRate) {
    step.state = State::failed;
    step.advice =
        "too narrow for video: is the line in use otherwise? A cable in the place of a radio, or "
        "sound alone";
  } else if (growth > kMostGrowth) {
    step.state = State::failed;
    step.advice =
        "a queue on the way fills, which delays every call: ask who runs the network for fair "
        "queueing (fq_codel, CAKE) at its narrowest place; until then no other transfers";
  }
  add(std::move(step));
}

}  // namespace qvid::app
