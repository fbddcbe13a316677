// A command as it runs in one of the lab's network namespaces.
#pragma once

#include <string>
#include <vector>

#include "lab/emulator/net_namespace.h"

namespace e2e {

inline std::vector<std::string> inside(const qvid::lab::NetNamespace& where,
                                       const std::vector<std::string>& command) {
  std::vector<std::string> all{"nsenter", "--net=" + where.path()};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

}  // namespace e2e
