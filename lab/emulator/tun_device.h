// A TUN device inside a network namespace: what programs there send is read here, and what is
// written here they receive. It lives as long as its file descriptor, whatever becomes of us.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/emulator/net_namespace.h"
#include "lab/emulator/unique_fd.h"

namespace qvid::lab {

inline constexpr std::size_t kMtu = 1500;

class TunDevice {
 public:
  // Up, with this IPv4 address and its peer in the same /30. Throws std::system_error.
  TunDevice(const NetNamespace& where, const std::string& device, const std::string& address);

  int fd() const { return fd_.get(); }
  // The next packet, or nothing where none waits. Does not block.
  std::optional<std::vector<std::byte>> read();
  // False where the system did not take it.
  bool write(std::span<const std::byte> packet);

 private:
  UniqueFd fd_;
};

}  // namespace qvid::lab
