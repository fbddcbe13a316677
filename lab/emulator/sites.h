// Places with a network of their own each, and a router between them:
//
//   site 0 (10.77.0.1) ---- link ----+
//   site 1 (10.77.1.1) ---- link ----+ middle (10.77.N.2), which hands packets on
//   site 2 (10.77.2.1) ---- link ----+
//
// From site to site a packet goes over two links. Thread: one; what runs in a site must end before it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lab/emulator/emulator.h"

namespace qvid::lab {

class Sites {
 public:
  // The links' time begins. Precondition: count <= Emulator::kMostSubnet. Throws as Emulator::open does.
  Sites(const LinkSpec& link, std::size_t count);

  const NetNamespace& site(std::size_t number) const { return links_[number]->near(); }
  const std::string& address(std::size_t number) const { return links_[number]->near_address(); }
  // Nothing comes from that site or goes to it, for so long.
  void cut(std::size_t number, Duration length) { links_[number]->outage(length); }

 private:
  std::shared_ptr<NetNamespace> middle_;
  std::vector<std::unique_ptr<Emulator>> links_;
};

}  // namespace qvid::lab
