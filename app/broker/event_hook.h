// A web hook: tells another program of the operator's who joins and who leaves, each as a POST of JSON
// by HTTP, in order.
//
//   event -> waits (kMost) -> one connection at a time: sent, answered, closed -> the next
//
//   {"event":"joined","node":"east-1","since":"2026-11-24T08:00:00Z","number":1,
//    "time":"2026-11-24T12:34:56Z","room":"den","member":"Bob","address":"192.0.2.7:5512",
//    "records":false,"missing":0}                                    "left": "reason" for "records"
//
// What is not answered by 200 to 299 within kTimeout is sent again, with back-off, until it is: so one
// may come twice, with the same node, since and number. Where kMost wait, the oldest goes; `missing` of
// the next that is sent counts those.
//
// Thread: the io_context's. What waits at its end is not sent.
#pragma once

#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/backoff.h"
#include "base/result.h"
#include "base/units.h"
#include "pubsub/broker/broker_event.h"
#include "pubsub/token/token.h"
#include "transport/socket/address.h"
#include "transport/socket/timer.h"

namespace qvid::app {

class EventHook {
 public:
  static constexpr std::size_t kMost = 1024;
  static constexpr Duration kTimeout = std::chrono::seconds(5);

  struct Target {
    paceline::Address address{};
    std::string path{};
  };
  // "http://host:port/path"; the port is 80 where none is named.
  static Result<Target> parse(std::string_view url);

  struct Teller {
    std::string node{};     // of a cluster; else empty
    qps::WallTime since{};  // when the broker began: numbers count from there
  };
  // `warn`: it does not work from now on, and why; once, until it has worked again.
  EventHook(boost::asio::io_context& io, Target to, Teller teller,
            std::function<void(const std::string&)> warn);
  ~EventHook();
  EventHook(const EventHook&) = delete;
  EventHook& operator=(const EventHook&) = delete;

  void tell(const qps::BrokerEvent& event, qps::WallTime at);
  std::size_t waiting() const { return waiting_.size(); }

 private:
  class Exchange;

  void send_next();
  // Empty: it was taken.
  void on_done(const std::string& trouble);

  boost::asio::io_context& io_;
  const Target to_;
  const Teller teller_;
  const std::function<void(const std::string&)> warn_;
  paceline::Timer retry_;
  Backoff backoff_;
  std::deque<nlohmann::json> waiting_;
  nlohmann::json current_;  // on its way, or to be sent again; null: none
  std::int64_t number_ = 0;
  std::int64_t missing_ = 0;
  bool works_ = true;
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace qvid::app
