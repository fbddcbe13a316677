#include "app/load/process_usage.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
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

std::optional<ProcessUsage> parse_process_stat(std::string_view text, long ticks_a_second,
                                               long page_bytes) {
  // The name, in brackets, may hold anything, brackets too.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::istringstream in{std::string(text.substr(name_end + 1))};
  std::string word;
  constexpr int kUser = 14;  // as proc(5) counts; the next behind the name is 3
  constexpr int kSystem = 15;
  constexpr int kResident = 24;
  std::int64_t ticks = 0;
  for (int field = 3; in >> word; ++field) {
    if (field != kUser && field != kSystem && field != kResident) continue;
    std::istringstream number(word);
    std::int64_t value = 0;
    if (!(number >> value)) return std::nullopt;
    if (field == kResident) {
      return ProcessUsage{
          .cpu = from_seconds(static_cast<double>(ticks) / static_cast<double>(ticks_a_second)),
          .resident = ByteCount(value * page_bytes)};
    }
    ticks += value;
  }
  return std::nullopt;
}

Result<ProcessUsage> usage_of(int pid) {
  const std::string text = text_of_file(fs::path("/proc") / std::to_string(pid) / "stat");
  const auto usage = parse_process_stat(text, sysconf(_SC_CLK_TCK), sysconf(_SC_PAGESIZE));
  if (!usage) return Error{"there is no process " + std::to_string(pid) + " to look at here"};
  return *usage;
}

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

std::optional<int> listener_on(std::uint16_t port) {
  auto inode = parse_listening_inode(text_of_file("/proc/net/tcp"), port);
  if (!inode) inode = parse_listening_inode(text_of_file("/proc/net/tcp6"), port);
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

}  // namespace qvid::app
