#include "lab/load/herd_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/clock.h"
#include "base/process.h"
#include "lab/load/broker_program.h"
#include "lab/load/herd.h"

namespace qvid::lab {
namespace {

// Two in use, a standby, one on its way; as many wait for their end when the broker is killed.
constexpr std::size_t kSocketsOfOne = 8;
constexpr std::size_t kFilesBeside = 100;

// Sorted; when `share` of them all had come.
Duration until(const std::vector<Timestamp>& sorted, double share, Timestamp from) {
  if (sorted.empty()) return {};
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return std::max(sorted[std::min(rank, sorted.size() - 1)] - from, Duration());
}

// What a process has used of the processor; nothing where it is no more.
Duration cpu_of(int pid) {
  const auto usage = usage_of(pid);
  return usage ? usage->cpu : Duration();
}

}  // namespace

Result<HerdReport> run_herd(std::size_t clients, std::size_t of_room, const std::stop_token& stop) {
  const std::size_t wanted = clients * kSocketsOfOne + kFilesBeside;
  if (const std::size_t files = raise_file_limit(); files < wanted) {
    return Error{
        fmt::format("{} clients may need {} sockets, and this process may have {}: raise "
                    "its hard limit (ulimit -Hn)",
                    clients, wanted, files)};
  }
  BrokerProgram broker({"--max-clients", std::to_string(clients + 1)}, stop);
  const Timestamp began = steady_now();
  auto herd = Herd::open(
      {.broker = broker.url().address,
       .trust = {.fingerprint = broker.url().fingerprint, .ca_file = {}, .known_hosts = {}},
       .clients = clients,
       .of_room = of_room});
  if (!herd) return herd.error();
  const Herd::State before = (*herd)->await_all({}, kHerdLimit, stop);
  HerdReport report{.clients = clients,
                    .joined = before.members,
                    .refused = before.refused,
                    .first_refusal = before.first_refusal};
  if (!before.since.empty()) report.join_time = before.since.back() - began;
  if (before.members < clients || stop.stop_requested()) return report;
  const Timestamp killed = steady_now();
  broker.kill();
  broker.start(stop);
  const Timestamp listens = steady_now();
  const Duration broker_before = cpu_of(broker.pid());
  const Duration own_before = cpu_of(::getpid());
  Herd::State after = (*herd)->await_all(killed, kHerdLimit, stop);
  const double took = std::max(to_seconds(steady_now() - listens), 1e-3);
  report.broker_cpu = to_seconds(cpu_of(broker.pid()) - broker_before) / took;
  report.own_cpu = to_seconds(cpu_of(::getpid()) - own_before) / took;
  std::erase_if(after.since, [&](Timestamp since) { return since <= killed; });
  report.back = after.since.size();
  report.refused = after.refused;
  report.first_refusal = after.first_refusal;
  report.attempts = after.attempts - before.attempts;
  report.away = listens - killed;
  report.half = until(after.since, 0.5, listens);
  report.most = until(after.since, 0.99, listens);
  report.last = until(after.since, 1, listens);
  return report;
}

std::string text_of(const HerdReport& r) {
  std::string text = fmt::format("herd: {} of {} clients joined in {:.2f} s\n", r.joined, r.clients,
                                 to_seconds(r.join_time));
  if (r.joined == r.clients) {
    text += fmt::format(
        "  killed    it listened again {:.2f} s later\n"
        "  back      {} of {}: half of them {:.2f} s after that, 99 % {:.2f} s, the last {:.2f} s\n"
        "  attempts  {} sessions\n"
        "  CPU       until then the broker's {:.2f} of a core, that of the clients {:.2f}\n",
        to_seconds(r.away), r.back, r.clients, to_seconds(r.half), to_seconds(r.most),
        to_seconds(r.last), r.attempts, r.broker_cpu, r.own_cpu);
  }
  text += fmt::format("  refused   {} for good{}\n", r.refused,
                      r.refused > 0 ? ", the first because: " + r.first_refusal : "");
  return text;
}

nlohmann::json json_of(const HerdReport& r) {
  nlohmann::json json{
      {"clients", r.clients},
      {"joined", r.joined},
      {"join_seconds", to_seconds(r.join_time)},
      {"away_seconds", to_seconds(r.away)},
      {"back", r.back},
      {"back_seconds",
       {{"p50", to_seconds(r.half)}, {"p99", to_seconds(r.most)}, {"last", to_seconds(r.last)}}},
      {"attempts", r.attempts},
      {"broker_cpu", r.broker_cpu},
      {"own_cpu", r.own_cpu},
      {"refused", r.refused}};
  if (r.refused > 0) json["first_refusal"] = r.first_refusal;
  return json;
}

}  // namespace qvid::lab
