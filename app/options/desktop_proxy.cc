#include "app/options/desktop_proxy.h"

#include <fcntl.h>
#include <poll.h>
#include <proxy.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

#include "app/log/log.h"
#include "base/clock.h"
#include "base/owned_file.h"

namespace qvid::app {
namespace {

constexpr std::size_t kMostSaid = 4096;

struct Freed {
  void operator()(pxProxyFactory* factory) const { px_proxy_factory_free(factory); }
  void operator()(char** ways) const { px_proxy_factory_free_proxies(ways); }
  void operator()(posix_spawn_file_actions_t* actions) const {
    posix_spawn_file_actions_destroy(actions);
  }
};

// What comes until the end, or as much as there is by then; nothing where that is too late.
std::optional<std::string> read_until(int fd, Timestamp end) {
  std::string all;
  std::array<char, 512> bytes{};
  while (all.size() < kMostSaid) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_now());
    if (left.count() <= 0) return std::nullopt;
    pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&one, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t got = ::read(fd, bytes.data(), bytes.size());
    if (got <= 0) return all;
    all.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return all;
}

}  // namespace

std::string first_usable_way(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.starts_with("direct://")) return {};
    // A SOCKS proxy of no version that is told is tried as the newest.
    if (line.starts_with("socks://")) return "socks5" + std::string(line.substr(5));
    if (line.starts_with("http://") || line.starts_with("socks5://")) return std::string(line);
  }
  return {};
}

int tell_desktop_proxy(const char* url) {
  const std::unique_ptr<pxProxyFactory, Freed> factory(px_proxy_factory_new());
  if (!factory) return 1;
  const std::unique_ptr<char*, Freed> ways(px_proxy_factory_get_proxies(factory.get(), url));
  for (char** way = ways.get(); way != nullptr && *way != nullptr; ++way) std::puts(*way);
  std::fflush(stdout);  // now: its modules may end the program in their own clean-up
  return 0;
}

std::string desktop_proxy(const paceline::Address& to) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const OwnedFile ours(ends[0]);
  OwnedFile theirs(ends[1]);
  posix_spawn_file_actions_t made;
  if (::posix_spawn_file_actions_init(&made) != 0) return {};
  const std::unique_ptr<posix_spawn_file_actions_t, Freed> actions(&made);
  ::posix_spawn_file_actions_adddup2(&made, theirs.get(), STDOUT_FILENO);
  // What libproxy's modules say there helps nobody.
  ::posix_spawn_file_actions_addopen(&made, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "/proc/self/exe";
  std::string command(kDesktopProxyCommand);
  std::string url = "https://" + to.text() + "/";
  const std::array<char*, 4> arguments{program.data(), command.data(), url.data(), nullptr};
  pid_t pid = 0;
  const int failed =
      ::posix_spawn(&pid, program.c_str(), &made, nullptr, arguments.data(), environ);
  theirs = {};  // else there is no end
  std::optional<std::string> said;
  if (failed == 0) {
    said = read_until(ours.get(), steady_now() + kDesktopPatience);
    if (!said) {
      log_warning("the desktop's settings do not say within 3 s which proxy to take: none is");
    }
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return said ? first_usable_way(*said) : "";
}

}  // namespace qvid::app
