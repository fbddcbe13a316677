// What all clients of a Broker make it hold together, and what becomes of those that make it too much.
#include <algorithm>
#include <string>
#include <vector>

#include "pubsub/broker/broker_state.h"

namespace qps {

void Broker::look_at_memory() {
  const auto left = options_.memory_left();
  may_hold_ = options_.max_memory;
  if (left) {
    const ByteCount more = std::max(*left - kLastMemory, ByteCount());
    may_hold_ = std::min(may_hold_, std::max(options_.memory() + more, kLeastForMessages));
  }
  lets_in_ = has_memory(kMemoryForMembers) && (!left || *left >= kMemoryToSpare);
}

bool Broker::has_memory(double share) const {
  return static_cast<double>(options_.memory().value()) <
         share * static_cast<double>(may_hold_.value());
}

// It comes back by itself.
void Broker::refuse_for_memory(Client& client) {
  ++stats_.refusals[static_cast<std::size_t>(Refusal::kMemory)];
  log_of(client, client.who + ": refused: there is no memory for another member");
  tell(client, Moving{"the broker has no memory for more members now"});
}

// Those with the most waiting are closed, until what they hold would be enough. Messages are shared:
// if it was not, at the next poll others follow.
void Broker::free_memory() {
  ByteCount beyond = options_.memory() - options_.max_memory;
  if (beyond <= ByteCount()) return;
  const auto held_by = [](const auto& client) {
    return client->port.waiting() + client->budget.waiting_bytes;
  };
  std::vector<Client*> all;
  for (const auto& client : clients_) {
    if (!client->closing && held_by(client) > ByteCount()) all.push_back(client.get());
  }
  std::ranges::sort(all, std::ranges::greater(), held_by);
  for (Client* client : all) {
    if (beyond <= ByteCount()) return;
    beyond -= held_by(client);
    ++stats_.hoarders;
    client->budget.waiting.clear();
    client->budget.waiting_bytes = {};
    fault(*client, "the broker has no memory left, and of all clients this one held the most");
  }
}

}  // namespace qps
