#include "lab/glass/virtual_display.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "lab/emulator/unique_fd.h"

namespace qvid::lab {
namespace {

constexpr Duration kStartTime = 10s;
constexpr Duration kEndTime = 3s;  // then it is killed
constexpr Duration kLookAgain = 10ms;

// The line that Xvfb writes to `pipe` when it listens: its number.
std::string display_number(int pipe, ChildProcess& server, const std::stop_token& stop) {
  const Timestamp give_up = steady_now() + kStartTime;
  std::string line;
  while (line.empty() || line.back() != '\n') {
    if (stop.stop_requested()) throw std::runtime_error("stopped before its begin");
    if (steady_now() > give_up) throw std::runtime_error("Xvfb does not start");
    pollfd waiting{pipe, POLLIN, 0};
    poll(&waiting, 1, static_cast<int>(to_ms(kLookAgain)));
    char c = 0;
    if ((waiting.revents & POLLIN) != 0 && read(pipe, &c, 1) == 1) {
      line.push_back(c);
    } else if (server.poll()) {
      throw std::runtime_error("Xvfb does not start here");
    }
  }
  line.pop_back();
  const bool digits = !line.empty() && std::all_of(line.begin(), line.end(), [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
  if (!digits) throw std::runtime_error("Xvfb says no number of a display");
  return line;
}

}  // namespace

VirtualDisplay::VirtualDisplay(int width, int height, const std::stop_token& stop) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  const UniqueFd read_end(ends[0]);
  const UniqueFd write_end(ends[1]);
  const UniqueFd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::string screen = std::to_string(width) + "x" + std::to_string(height) + "x24";
  auto started = ChildProcess::start({.command = {"Xvfb", "-displayfd", "1", "-screen", "0", screen,
                                                  "-nolisten", "tcp", "-noreset"},
                                      .environment = {},
                                      .input = nothing.get(),
                                      .output = write_end.get(),
                                      .errors = nothing.get()});
  if (std::get_if<StartFailure>(&started) != nullptr) {
    throw std::runtime_error("Xvfb is not installed: it is in the package xvfb");
  }
  server_ = std::get<ChildProcess>(std::move(started));
  name_ = ":" + display_number(read_end.get(), server_, stop);
}

VirtualDisplay::~VirtualDisplay() {
  server_.signal(SIGTERM);  // it takes its files along
  server_.ends_within(kEndTime);
}

}  // namespace qvid::lab
