// What a broker tells an operator's other programs: who comes to it and who goes. Of a cluster's node,
// of its own members.
#pragma once

#include <functional>
#include <string>

namespace qps {

struct BrokerEvent {
  bool joined = false;  // else it has left
  std::string room{};
  std::string member{};
  std::string address{};
  bool records = false;  // what is sent in the room
  std::string reason{};  // of having left
};
using BrokerEvents = std::function<void(const BrokerEvent&)>;

}  // namespace qps
