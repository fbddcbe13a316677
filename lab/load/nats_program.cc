#include "lab/load/nats_program.h"

#include <filesystem>

namespace qvid::lab {
namespace {

constexpr const char* kNats = "nats";

// Of "Listening for client connections on 127.0.0.1:PORT", once it is ready.
std::string port_in(const std::string& log) {
  constexpr std::string_view kBefore = "Listening for client connections on 127.0.0.1:";
  if (log.find("Server is ready") == std::string::npos) return {};
  const std::size_t found = log.find(kBefore);
  if (found == std::string::npos) return {};
  const std::size_t from = found + kBefore.size();
  return log.substr(from, log.find_first_not_of("0123456789", from) - from);
}

}  // namespace

std::string NatsProgram::program() {
  for (const char* place : {"/usr/sbin/nats-server", "/usr/bin/nats-server"}) {
    if (std::filesystem::exists(place)) return place;
  }
  return {};
}

NatsProgram::NatsProgram(const std::stop_token& stop) { start(stop); }

void NatsProgram::kill() { process_ = ChildProcess(); }

void NatsProgram::start(const std::stop_token& stop) {
  process_ = folder_.launch(kNats, {program(), "-a", "127.0.0.1", "-p", port_, "-js", "-sd",
                                    folder_.file("store").string()});
  port_ = folder_.await(kNats, process_, port_in, stop);
}

}  // namespace qvid::lab
