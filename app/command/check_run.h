// The steps of `qvid check`, one after the other, within ten seconds in all:
//
//   name -> proxy -> TCP, each address -> TLS -> identity -> session -> round trip -> token
//     -> rate up -> rate down
//
// What a step needs and did not get is skipped. Thread: run()'s.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command/rate_check.h"
#include "app/options/exit_codes.h"
#include "app/options/transport_options.h"
#include "transport/socket/timer.h"
#include "transport/tls/dial.h"

namespace qvid::app {

struct CheckStep {
  enum class State { ok, failed, skipped };

  std::string name;
  State state = State::ok;
  Duration took{};  // zero: says nothing
  std::string text;
  std::string advice;                          // what to do; empty: nothing
  std::map<std::string, double> figures = {};  // by names that end in their unit
};

class CheckRun {
 public:
  // kQuick: as far as TCP, so that nothing is said to the server; signals are left alone.
  enum class Extent { kQuick, kWhole };
  // `token`: empty: none is checked.
  CheckRun(Destination to, std::string token, Extent extent = Extent::kWhole);

  // The exit code of the first step that failed and stops the others.
  ExitCode run();
  // run() returns soon. Any thread.
  void stop();
  const std::vector<CheckStep>& steps() const { return steps_; }
  const Url& url() const { return to_.url; }

 private:
  using Outcome = std::variant<std::unique_ptr<paceline::Connection>, paceline::ConnectError>;

  void check_name();
  void check_proxy();
  void check_addresses(const boost::asio::ip::tcp::resolver::results_type& found);
  void on_address(CheckStep& step, Timestamp began, const Outcome& outcome);
  void check_tls();
  void on_tls(Timestamp began, const Outcome& outcome);
  void check_session();
  void on_session_event(paceline::SessionEvent&& event);
  void check_round_trip();
  void on_rates(const RateReport& report);
  void add_rate(const std::string& way, const std::optional<MeasuredWay>& measured,
                const std::string& reason);
  void add(CheckStep step) { steps_.push_back(std::move(step)); }
  void fail(CheckStep step, ExitCode code);
  void finish(ExitCode code);

  boost::asio::io_context io_{1};
  Destination to_;
  std::string token_;
  const Extent extent_;
  std::vector<CheckStep> steps_;
  std::optional<ExitCode> code_;
  paceline::Timer deadline_{io_};
  paceline::Timer wait_{io_};
  boost::asio::ip::tcp::resolver resolver_{io_};
  std::list<CheckStep> addresses_;  // while they are tried
  std::size_t waiting_ = 0;         // of these
  std::list<paceline::Dial> dials_;
  std::shared_ptr<paceline::Session> session_;
  Timestamp session_began_;
  Duration idle_{};
  Timestamp asked_;
  std::optional<RateCheck> rates_;
};

}  // namespace qvid::app
