// What clients of a Broker may make it do, and what becomes of those that want more.
#include <string>
#include <utility>

#include "pubsub/broker/broker_state.h"

namespace qps {

bool Broker::within_budget(Client& client, Timestamp now) const {
  const auto requests = static_cast<double>(options_.max_requests);
  return client.budget.requests.any({.per_second = requests, .burst = requests}, now) &&
         client.budget.work.any(ClientBudget::kWork, now);
}

void Broker::on_message(Client* client, const paceline::MessageArrived& message, Timestamp now) {
  if (client->closing) return;
  if (client->link) return on_link_message(*client, message, now);
  if (client->budget.waiting.empty() && within_budget(*client, now)) {
    handle(*client, message, now);
  } else {
    put_off(*client, message, now);
  }
}

void Broker::handle(Client& client, const paceline::MessageArrived& message, Timestamp now) {
  client.budget.work.take(ClientBudget::kOfMessage);
  if (message.stream == paceline::kFirstStream) {
    client.budget.requests.take(1);
    client.budget.work.take(ClientBudget::kOfRequest +
                            ClientBudget::kOfRequestByte *
                                static_cast<double>(message.payload.size()));
    on_control(client, message.payload, now);
  } else {
    on_item(client, message, now);
  }
}

void Broker::put_off(Client& client, const paceline::MessageArrived& message, Timestamp now) {
  ClientBudget& budget = client.budget;
  if (budget.waiting.size() >= ClientBudget::kMaxWaiting ||
      budget.waiting_bytes > ClientBudget::kMaxWaitingBytes) {
    return fault(client, "it sends more than the broker can put off");
  }
  ++stats_.put_off;
  if (!budget.beyond_since) {
    ++stats_.slowed;
    budget.beyond_since = now;
    log_of(client, client.who + ": slowed: it asks for more than a client may");
  }
  budget.beyond_last = now;
  if (budget.waiting.empty()) client.port.hold(ClientBudget::kHold);
  budget.waiting.push_back(message);
  budget.waiting_bytes += message.payload.byte_count();
}

void Broker::charge_steps(Client& client, ViewerPreference& preference) {
  const std::int64_t steps = preference.take_steps();
  stats_.criteria_steps += steps;
  client.budget.work.take(static_cast<double>(steps));
}

// What waited, as far as the budget goes by now.
void Broker::catch_up(Client& client, Timestamp now) {
  ClientBudget& budget = client.budget;
  if (!budget.beyond_since) return;
  while (!budget.waiting.empty() && !client.closing && within_budget(client, now)) {
    const paceline::MessageArrived message = std::move(budget.waiting.front());
    budget.waiting.pop_front();
    budget.waiting_bytes -= message.payload.byte_count();
    handle(client, message, now);
  }
  if (client.closing) {
    budget.waiting.clear();
    budget.waiting_bytes = {};
    return;
  }
  if (!budget.waiting.empty()) {
    budget.beyond_last = now;
    if (now - *budget.beyond_since >= ClientBudget::kPatience) {
      return fault(client, "it has asked for more than a client may for " +
                               std::to_string(ClientBudget::kPatience / std::chrono::seconds(1)) +
                               " s: send less, or fewer requests a second");
    }
    client.port.hold(ClientBudget::kHold);
  } else if (now - budget.beyond_last >= ClientBudget::kForgotten) {
    budget.beyond_since.reset();
  }
}

}  // namespace qps
