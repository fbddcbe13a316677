#include "lab/load/broker_trouble.h"

#include <utility>

#include "lab/load/broker_metrics.h"

namespace qvid::lab {
namespace {

constexpr Duration kUntilFault = std::chrono::seconds(1);
constexpr const char* kMostClients = "4096";

}  // namespace

Trouble::Trouble(BrokerTrouble kind, boost::asio::io_context& io)
    : kind_(kind), fault_(MachineFault::has(kind) ? MachineFault::make(kind, io) : nullptr) {}

void Trouble::run(const std::function<void()>& f) const {
  if (!fault_) return f();
  fault_->run(f);
}

std::vector<std::string> Trouble::arguments() const {
  std::vector<std::string> arguments{"--max-clients", kMostClients};
  if (!fault_) return arguments;
  // At an address that others reach; all of a site have one.
  arguments.insert(arguments.end(),
                   {"--open", "--max-per-address", kMostClients, "--metrics", kMetricsAt});
  for (std::string& word : fault_->arguments()) arguments.push_back(std::move(word));
  return arguments;
}

void Trouble::begin(BrokerProgram& broker, const std::string& room,
                    const paceline::TrustOptions& trust, Duration warm_up) {
  if (fault_) {
    fault_->begin(broker, trust, warm_up + kUntilFault);
  } else if (Adversary::has(kind_)) {
    adversary_.emplace(AdversaryOptions{
        .kind = kind_, .broker = broker.url().address, .trust = trust, .room = room});
  }
}

void Trouble::tell(BrokerTrialResult& result, const std::stop_token& stop) {
  if (adversary_) {
    result.done = static_cast<double>(adversary_->done());
    result.closed = static_cast<double>(adversary_->closed());
  }
  if (!fault_) return;
  fault_->end(stop);
  result.done = fault_->done();
  if (const auto over = fault_->over_after()) result.over_s = to_seconds(*over);
}

}  // namespace qvid::lab
