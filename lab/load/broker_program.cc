#include "lab/load/broker_program.h"

#include <csignal>
#include <stdexcept>
#include <utility>

#include "base/clock.h"

namespace qvid::lab {
namespace {

constexpr const char* kName = "broker";
constexpr Duration kPollTurn = std::chrono::milliseconds(20);

// Of "... join with: qvid call URL".
std::string url_in(const std::string& log) {
  constexpr std::string_view kBefore = "join with: qvid call ";
  const std::size_t found = log.find(kBefore);
  if (found == std::string::npos) return {};
  const std::size_t from = found + kBefore.size();
  const std::size_t to = log.find_first_of(" \n", from);
  return to == std::string::npos ? std::string() : log.substr(from, to - from);
}

}  // namespace

BrokerProgram::BrokerProgram(std::vector<std::string> arguments, const std::stop_token& stop,
                             const ProgramPlace& place)
    : arguments_(std::move(arguments)),
      place_(place),
      url_{.address = {.host = place.host, .port = 0}, .name = {}, .fingerprint = {}} {
  start(stop);
  const std::string text = await(stop);
  const auto url = paceline::parse_url(text, "room");
  if (!url) throw std::runtime_error("the broker's URL: " + url.error().message);
  url_ = *url;
}

void BrokerProgram::await_in_log(const std::string& text, const std::stop_token& stop) {
  folder_.await_text(kName, process_, text, stop);
}

void BrokerProgram::kill() { process_ = ChildProcess(); }

void BrokerProgram::drain(Duration at_most, const std::stop_token& stop) {
  process_.signal(SIGTERM);
  const Timestamp end = steady_now() + at_most;
  while (!process_.ends_within(kPollTurn)) {
    if (steady_now() > end) throw std::runtime_error("a broker that was drained does not end");
    if (stop.stop_requested()) throw std::runtime_error("stopped");
  }
}

void BrokerProgram::start(const std::stop_token& stop) {
  std::vector<std::string> command{product_program(), "broker", "--listen", url_.address.text()};
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  process_ = folder_.launch(kName, std::move(command), place_);
  await(stop);
}

std::string BrokerProgram::await(const std::stop_token& stop) {
  return folder_.await(kName, process_, url_in, stop);
}

}  // namespace qvid::lab
