#include "lab/emulator/stop_on_signal.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>
#include <utility>

namespace qvid::lab {
namespace {

constexpr int kTickMs = 1000;

UniqueFd blocked_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return UniqueFd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

StopOnSignal::StopOnSignal(std::function<void()> tick)
    : tick_(std::move(tick)),
      signals_(blocked_signals()),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!signals_ || !wake_) throw std::system_error(errno, std::generic_category(), "signalfd");
  thread_ = std::jthread([this](const std::stop_token& end) { watch(end); });
}

StopOnSignal::~StopOnSignal() {
  thread_.request_stop();
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
}

void StopOnSignal::watch(const std::stop_token& end) {
  while (!end.stop_requested()) {
    std::array<pollfd, 2> polled{{{signals_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    poll(polled.data(), polled.size(), kTickMs);
    signalfd_siginfo info{};
    while (read(signals_.get(), &info, sizeof info) == sizeof info) source_.request_stop();
    if (!end.stop_requested()) tick_();
  }
}

}  // namespace qvid::lab
