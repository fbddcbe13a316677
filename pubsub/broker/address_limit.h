// How many sessions come from one address, and no more than may.
//
// What one address is: transport/socket/address_group.h. Bound: an entry for each that has a
// session. Pure. Thread: one at a time.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace qps {

class AddressLimit {
 public:
  // Precondition: most > 0.
  explicit AddressLimit(std::size_t most) : most_(most) {}

  // False: it has as many as it may, and this one is not counted. `host`: numeric, without a port.
  bool take(const std::string& host);
  // Of one that was taken.
  void give_back(const std::string& host);
  std::size_t most() const { return most_; }
  // From now on; who is there stays. Precondition: most > 0.
  void set_most(std::size_t most) { most_ = most; }

 private:
  std::size_t most_;
  std::map<std::string, std::size_t> sessions_;
};

}  // namespace qps
