// message_probe: two processes that send each other numbered messages over a session and keep the
// books, for tests over bad links.
//
//   message_probe serve PORT             takes one session; ends with it
//   message_probe connect HOST PORT SECONDS [CONTROLLER]
//
// Each end sends a message of 1000 bytes every 5 ms (1.6 Mbit/s), numbered by its position, none of
// them ever cancelled. At the end each prints what it sent and what it got as JSON.
#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "base/clock.h"
#include "transport/session/host.h"

namespace {

using namespace paceline;
namespace asio = boost::asio;

constexpr Duration kEvery = std::chrono::milliseconds(5);
constexpr std::size_t kSize = 1000;
// After the last message: what is on its way may still come.
constexpr Duration kQuiet = std::chrono::seconds(3);

class Probe {
 public:
  explicit Probe(asio::io_context& io) : timer_(io) {}

  void begin(std::shared_ptr<Session> session, Timestamp end) {
    session_ = std::move(session);
    end_ = end;
  }
  void on_event(const SessionEvent& event) {
    if (std::holds_alternative<SessionEstablished>(event)) {
      next_send_ = qvid::steady_now();
      tick();
    } else if (const auto* arrived = std::get_if<MessageArrived>(&event)) {
      const auto number = static_cast<std::size_t>(arrived->position.value());
      if (number >= times_.size()) times_.resize(number + 1);
      ++times_[number];
    } else if (const auto* ended = std::get_if<MessageEnded>(&event)) {
      ++outcomes_[static_cast<std::size_t>(ended->outcome)];
    } else if (const auto* failover = std::get_if<FailedOver>(&event)) {
      auto& gaps = failover->sending ? sending_gaps_ : receiving_gaps_;
      gaps.push_back(qvid::to_ms(failover->gap));
    } else if (const auto* resumed = std::get_if<SessionResumed>(&event)) {
      outages_.push_back(qvid::to_seconds(resumed->outage));
    } else if (const auto* closed = std::get_if<SessionClosed>(&event)) {
      detail_ = closed->detail;
      timer_.cancel();
      session_.reset();
    }
  }
  void report() const {
    std::size_t missing = 0;
    std::size_t repeated = 0;
    for (const int times : times_) {
      missing += times == 0;
      repeated += times > 1;
    }
    fmt::print(
        "{{\"sent\": {}, \"delivered\": {}, \"cancelled\": {}, \"lost\": {}, \"received\": {}, "
        "\"missing\": {}, \"repeated\": {}, \"sending_gaps_ms\": [{:.0f}], "
        "\"receiving_gaps_ms\": [{:.0f}], \"outages_s\": [{:.1f}], \"closed\": \"{}\"}}\n",
        sent_, outcomes_[0], outcomes_[1], outcomes_[2], times_.size(), missing, repeated,
        fmt::join(sending_gaps_, ", "), fmt::join(receiving_gaps_, ", "), fmt::join(outages_, ", "),
        detail_);
  }

 private:
  void tick() {
    const Timestamp now = qvid::steady_now();
    for (; next_send_ <= now && now < end_; next_send_ += kEvery) {
      qvid::PayloadBuilder bytes(kSize);
      if (session_->send(kFirstStream, {.importance = {},
                                        .position = Position(sent_),
                                        .payload = std::move(bytes).take()})) {
        ++sent_;
      }
    }
    if (now >= end_ + kQuiet) return session_->close("the probe has ended");
    timer_.expires_at(now + kEvery);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error && session_) tick();
    });
  }

  asio::steady_timer timer_;
  std::shared_ptr<Session> session_;
  Timestamp next_send_;
  Timestamp end_;
  std::uint64_t sent_ = 0;
  std::vector<int> times_;  // that message i came
  std::uint64_t outcomes_[3]{};
  std::vector<double> sending_gaps_;
  std::vector<double> receiving_gaps_;
  std::vector<double> outages_;
  std::string detail_;
};

int serve(std::uint16_t port) {
  asio::io_context io{1};
  Probe probe(io);
  std::unique_ptr<Host> host;
  auto opened = Host::open(
      io, {.listen = {"0.0.0.0", port}, .identity = {}, .session = {}},
      [&](const std::shared_ptr<Session>& session) {
        // It sends until the other end closes.
        probe.begin(session, qvid::kNever - std::chrono::hours(1));
        return [&](SessionEvent&& event) {
          probe.on_event(event);
          if (std::holds_alternative<SessionClosed>(event)) host->close();
        };
      },
      [](const std::string& trouble) { fmt::print(stderr, "{}\n", trouble); });
  if (!opened) {
    fmt::print(stderr, "{}\n", opened.error().message);
    return 1;
  }
  host = std::move(*opened);
  io.run();
  probe.report();
  return 0;
}

int connect(const Address& to, Duration time, const std::string& controller) {
  asio::io_context io{1};
  Probe probe(io);
  SessionConfig config;
  config.controller.name = controller;
  const Timestamp end = qvid::steady_now() + time;
  probe.begin(
      Session::connect(io, {to, {}}, config, [&](SessionEvent&& event) { probe.on_event(event); }),
      end);
  io.run();
  probe.report();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> a(argv + 1, argv + argc);
  if (a.size() == 2 && a[0] == "serve") return serve(static_cast<std::uint16_t>(std::stoi(a[1])));
  if (a.size() >= 4 && a[0] == "connect") {
    return connect({a[1], static_cast<std::uint16_t>(std::stoi(a[2]))},
                   qvid::from_seconds(std::stod(a[3])), a.size() > 4 ? a[4] : "pace");
  }
  fmt::print(stderr, "message_probe serve PORT | connect HOST PORT SECONDS [CONTROLLER]\n");
  return 2;
}
