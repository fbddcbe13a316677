#include "lab/emulator/net_namespace.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace qvid::lab {
namespace {

constexpr const char* kDirectory = "/run/netns";
constexpr std::string_view kPrefix = "qvid-lab-";
constexpr const char* kOwnNamespace = "/proc/thread-self/ns/net";

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string path_of(const std::string& name) { return std::string(kDirectory) + "/" + name; }

// On a thread of its own, since a namespace belongs to the thread that entered it.
void on_thread(const std::function<void()>& f) {
  std::exception_ptr thrown;
  std::jthread([&] {
    try {
      f();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

// As `ip netns add` does: shared, so that a name that is removed is gone in every mount namespace.
void prepare_directory() {
  if (mkdir(kDirectory, 0755) != 0 && errno != EEXIST) fail(kDirectory);
  if (mount("", kDirectory, "none", MS_SHARED | MS_REC, nullptr) == 0) return;
  if (errno != EINVAL) fail("mounting /run/netns");
  if (mount(kDirectory, kDirectory, "none", MS_BIND | MS_REC, nullptr) != 0 ||
      mount("", kDirectory, "none", MS_SHARED | MS_REC, nullptr) != 0) {
    fail("mounting /run/netns");
  }
}

void bring_loopback_up() {
  const UniqueFd control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(control.get(), SIOCSIFFLAGS, &request) != 0) fail("bringing lo up");
}

void remove_name(const std::string& name) {
  const std::string path = path_of(name);
  umount2(path.c_str(), MNT_DETACH);
  unlink(path.c_str());
}

// Zombies have no namespace any more and are not counted.
int signal_processes_in(const struct stat& ns, int number) {
  int found = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename();
    pid_t pid = 0;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    struct stat other {};
    if (pid <= 1 || pid == getpid()) continue;
    if (stat((it->path() / "ns/net").c_str(), &other) != 0) continue;
    if (other.st_dev != ns.st_dev || other.st_ino != ns.st_ino) continue;
    if (kill(pid, number) == 0) ++found;
  }
  return found;
}

// Until nothing is found: what forks meanwhile is found by the next round.
void kill_all_in(const struct stat& ns) {
  constexpr int kRounds = 1000;
  for (int i = 0; i < kRounds && signal_processes_in(ns, SIGKILL) > 0; ++i)
    std::this_thread::yield();
}

// The process whose name this is, 0 where it is none of ours.
pid_t owner_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return 0;
  pid_t pid = 0;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), pid);
  return pid;
}

}  // namespace

NetNamespace::NetNamespace(std::string name) : name_(std::move(name)) {
  prepare_directory();
  remove_name(name_);  // of an earlier process with our number
  const UniqueFd file(open(path().c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0));
  if (!file) fail(path());
  try {
    on_thread([this] {
      if (unshare(CLONE_NEWNET) != 0) fail("a new network namespace");
      bring_loopback_up();
      fd_ = UniqueFd(open(kOwnNamespace, O_RDONLY | O_CLOEXEC));
      if (!fd_) fail(kOwnNamespace);
      if (mount(kOwnNamespace, path().c_str(), "none", MS_BIND, nullptr) != 0) fail(path());
    });
  } catch (...) {
    remove_name(name_);
    throw;
  }
}

NetNamespace::~NetNamespace() {
  struct stat own {};
  if (fstat(fd(), &own) == 0) kill_all_in(own);
  remove_name(name_);
}

std::string NetNamespace::path() const { return path_of(name_); }

void NetNamespace::run(const std::function<void()>& f) const {
  on_thread([&] {
    if (setns(fd(), CLONE_NEWNET) != 0) fail("entering " + name_);
    f();
  });
}

int NetNamespace::signal_processes(int number) const {
  struct stat own {};
  return fstat(fd(), &own) == 0 ? signal_processes_in(own, number) : 0;
}

std::string namespace_name(unsigned number, const std::string& end) {
  return std::string(kPrefix) + std::to_string(getpid()) + "-" + std::to_string(number) + "-" + end;
}

void remove_stale_namespaces() {
  std::error_code error;
  for (std::filesystem::directory_iterator it(kDirectory, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename();
    const pid_t owner = owner_of(name);
    if (owner <= 0 || kill(owner, 0) == 0 || errno != ESRCH) continue;
    struct stat ns {};
    // A name that is no mount point (its maker died in between) is a file of another device.
    struct stat directory {};
    if (stat(it->path().c_str(), &ns) == 0 && stat(kDirectory, &directory) == 0 &&
        ns.st_dev != directory.st_dev) {
      kill_all_in(ns);
    }
    remove_name(name);
  }
}

}  // namespace qvid::lab
