#include "lab/load/nats_program.h"

#include <filesystem>
#include <utility>

namespace qvid::lab {
namespace {

constexpr const char* kNats = "nats";

// Of "Listening for client connections on HOST:PORT", once it is ready.
std::string port_in(const std::string& log) {
  constexpr std::string_view kBefore = "Listening for client connections on ";
  if (log.find("Server is ready") == std::string::npos) return {};
  const std::size_t found = log.find(kBefore);
  if (found == std::string::npos) return {};
  const std::size_t from = log.find(':', found + kBefore.size()) + 1;
  return log.substr(from, log.find_first_not_of("0123456789", from) - from);
}

}  // namespace

std::string NatsProgram::program() {
  for (const char* place : {"/usr/sbin/nats-server", "/usr/bin/nats-server"}) {
    if (std::filesystem::exists(place)) return place;
  }
  return {};
}

NatsProgram::NatsProgram(const std::stop_token& stop, const ProgramPlace& place,
                         std::vector<std::string> arguments)
    : place_(place), arguments_(std::move(arguments)) {
  start(stop);
}

void NatsProgram::kill() { process_ = ChildProcess(); }

void NatsProgram::start(const std::stop_token& stop) {
  std::vector<std::string> command{program(), "-a",  place_.host, "-p",
                                   port_,     "-js", "-sd",       folder_.file("store").string()};
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  process_ = folder_.launch(kNats, std::move(command), place_);
  port_ = folder_.await(kNats, process_, port_in, stop);
}

}  // namespace qvid::lab
