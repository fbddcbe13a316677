#include "pubsub/broker/address_limit.h"

#include "transport/socket/address_group.h"

namespace qps {
bool AddressLimit::take(const std::string& host) {
  std::size_t& sessions = sessions_[paceline::address_group(host)];
  if (sessions >= most_) return false;
  ++sessions;
  return true;
}

void AddressLimit::give_back(const std::string& host) {
  const auto it = sessions_.find(paceline::address_group(host));
  if (it != sessions_.end() && --it->second == 0) sessions_.erase(it);
}

}  // namespace qps
