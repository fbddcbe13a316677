#include "lab/load/directory_trial.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/process.h"
#include "lab/load/nats_program.h"
#include "pubsub/nats/nats_store.h"

namespace qvid::lab {
namespace {

constexpr Duration kRealTurn = 10ms;
constexpr Duration kStay = 1s;

// A node: its part of the directory and its connection to NATS.
class RealNode {
 public:
  RealNode(boost::asio::io_context& io, const std::string& name, const std::string& url)
      : directory_(name, {.incarnation = name + " now",
                          .address = "127.0.0.1:7400",
                          .fingerprint = std::string(64, '0'),
                          .secret = std::string(32, '0'),
                          .region = "here"}) {
    qps::NatsOptions options;
    options.servers = {url};
    auto store =
        qps::NatsStore::open(io, options, [this](qps::StoreNews&& news) { on_news(news); });
    if (!store) throw std::runtime_error(store.error().message);
    store_ = *std::move(store);
  }
  void turn(Timestamp now) {
    directory_.poll(now);
    for (qps::DirectoryOp& op : directory_.take_ops()) {
      ++writes;
      store_->carry_out(std::move(op));
    }
    for (const qps::DirectoryEvent& event : directory_.take_events()) {
      const auto* const done = std::get_if<qps::ClaimDone>(&event);
      if (done == nullptr) continue;
      if (done->error.empty()) {
        claims.add(now - since_[done->claim]);
      } else {
        ++refused;
      }
      since_.erase(done->claim);
    }
    while (!there_.empty() && now - there_.front().first > kStay) {
      directory_.release(there_.front().second);
      there_.pop_front();
    }
  }
  void join(const qps::NameKey& key, Timestamp now) {
    since_[directory_.claim(key, "self", now)] = now;
    there_.emplace_back(now, key);
  }
  bool works(Timestamp now) const { return directory_.works(now); }

  std::int64_t writes = 0;
  std::int64_t told = 0;
  std::int64_t refused = 0;
  DurationHistogram claims;

 private:
  void on_news(const qps::StoreNews& news) {
    told += std::holds_alternative<qps::StoreEntry>(news) ||
                    std::holds_alternative<qps::StoreRemoved>(news)
                ? 1
                : 0;
    qps::hand_to(directory_, news, steady_now());
  }

  qps::Directory directory_;
  std::map<std::uint64_t, Timestamp> since_;              // claims
  std::deque<std::pair<Timestamp, qps::NameKey>> there_;  // who joined, in that order
  std::unique_ptr<qps::NatsStore> store_;
};

class RealDirectory {
 public:
  RealDirectory(const DirectoryTrial& trial, const std::stop_token& stop)
      : trial_(trial), stop_(stop), server_(stop) {
    for (int i = 0; i < trial.nodes; ++i) {
      nodes_.push_back(std::make_unique<RealNode>(io_, "n" + std::to_string(i), server_.url()));
    }
  }

  DirectoryMeasure run() {
    const auto all_work = [&] {
      return std::ranges::all_of(nodes_, [](const auto& n) { return n->works(steady_now()); });
    };
    for (const auto most = steady_now() + 20s; !all_work();) {
      if (steady_now() > most) throw std::runtime_error("not all nodes came to the directory");
      turn(0);
    }
    for (const auto until = steady_now() + 2s; steady_now() < until;) turn(trial_.joins);
    const auto sum = [&](auto member) {
      std::int64_t all = 0;
      for (const auto& node : nodes_) all += (*node).*member;
      return all;
    };
    const auto usage = [](int pid) {
      const auto there = usage_of(pid);
      if (!there) throw std::runtime_error(there.error().message);
      return *there;
    };
    const auto cpu = [&](int pid) { return to_seconds(usage(pid).cpu); };
    for (const auto& node : nodes_) node->claims.clear();
    const std::int64_t writes = sum(&RealNode::writes), told = sum(&RealNode::told);
    const std::int64_t refused = sum(&RealNode::refused);
    const double server = cpu(server_.pid()), own = cpu(getpid());
    const Timestamp from = steady_now();
    while (steady_now() - from < trial_.duration) turn(trial_.joins);
    const double time = to_seconds(steady_now() - from);
    DirectoryMeasure m{.writes = static_cast<double>(sum(&RealNode::writes) - writes) / time,
                       .told = static_cast<double>(sum(&RealNode::told) - told) / time,
                       .server_cores = (cpu(server_.pid()) - server) / time,
                       .own_cores = (cpu(getpid()) - own) / time,
                       .claims = {},
                       .refused = sum(&RealNode::refused) - refused,
                       .server_memory = usage(server_.pid()).resident};
    for (const auto& node : nodes_) m.claims.add(node->claims);
    return m;
  }

 private:
  void turn(double joins) {
    if (stop_.stop_requested()) throw std::runtime_error("stopped");
    io_.restart();
    io_.run_for(kRealTurn);
    const Timestamp now = steady_now();
    next_join_ = std::max(next_join_, now - 1s);
    for (; joins > 0 && now >= next_join_; next_join_ += from_seconds(1 / joins)) {
      const qps::NameKey key{.room = "room " + std::to_string(joined_ / 9),
                             .name = "member " + std::to_string(joined_)};
      nodes_[joined_++ % nodes_.size()]->join(key, now);
    }
    for (const auto& node : nodes_) node->turn(now);
  }

  const DirectoryTrial trial_;
  const std::stop_token& stop_;
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ =
      boost::asio::make_work_guard(io_);
  NatsProgram server_;
  std::vector<std::unique_ptr<RealNode>> nodes_;
  std::size_t joined_ = 0;
  Timestamp next_join_{};
};

}  // namespace

DirectoryMeasure measure_directory(const DirectoryTrial& trial, const std::stop_token& stop) {
  if (NatsProgram::program().empty()) {
    throw std::runtime_error("nats-server is not installed: apt-get install nats-server");
  }
  return RealDirectory(trial, stop).run();
}

}  // namespace qvid::lab
