#include "lab/emulator/listening_port.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace qvid::lab {
namespace {

namespace fs = std::filesystem;

// Of the process's namespace: the inode of the socket that listens on the port.
std::optional<std::uint64_t> listening_inode(const fs::path& process, std::uint16_t port) {
  for (const char* table : {"net/tcp", "net/tcp6"}) {
    std::ifstream in(process / table);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (const auto inode = parse_listening_inode(text, port)) return inode;
  }
  return std::nullopt;
}

bool holds_socket(const fs::path& process, const std::string& socket) {
  std::error_code error;
  for (fs::directory_iterator it(process / "fd", error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    if (fs::read_symlink(it->path(), gone).string() == socket) return true;
  }
  return false;
}

}  // namespace

std::optional<std::uint64_t> parse_listening_inode(std::string_view text, std::uint16_t port) {
  std::istringstream lines{std::string(text)};
  std::string line;
  while (std::getline(lines, line)) {
    // sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode
    std::istringstream in(line);
    std::string slot, local, remote, state, word;
    if (!(in >> slot >> local >> remote >> state) || state != "0A") continue;
    const std::size_t colon = local.rfind(':');
    if (colon == std::string::npos) continue;
    std::istringstream hex(local.substr(colon + 1));
    unsigned number = 0;
    if (!(hex >> std::hex >> number) || number != port) continue;
    std::uint64_t inode = 0;
    for (int i = 0; i < 5; ++i) in >> word;
    if (in >> inode) return inode;
  }
  return std::nullopt;
}

bool listens(pid_t pid, std::uint16_t port) {
  return listening_inode(fs::path("/proc") / std::to_string(pid), port).has_value();
}

std::optional<int> listener_on(std::uint16_t port) {
  const auto inode = listening_inode("/proc/self", port);
  if (!inode) return std::nullopt;
  const std::string socket = "socket:[" + std::to_string(*inode) + "]";
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (holds_socket(it->path(), socket)) return std::stoi(name);
  }
  return std::nullopt;
}

}  // namespace qvid::lab
