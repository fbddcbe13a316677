#include "lab/load/broker_trial.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/process.h"
#include "lab/load/broker_program.h"
#include "lab/load/broker_trouble.h"
#include "lab/load/herd_run.h"
#include "lab/load/load_run.h"

namespace qvid::lab {
namespace {

constexpr const char* kRoom = "den";
constexpr Duration kLook = std::chrono::milliseconds(20);

RunResult herd_result(const RunSpec& spec, const std::stop_token& stop) {
  RunResult result;
  result.spec = spec;
  const auto herd = run_herd(spec.trial->herd, spec.trial->of_room, stop);
  if (!herd) {
    result.error = herd.error().message;
    return result;
  }
  result.trial = {.joined = static_cast<double>(herd->joined),
                  .back = static_cast<double>(herd->back),
                  .refused = static_cast<double>(herd->refused),
                  .half_back_s = to_seconds(herd->half),
                  .most_back_s = to_seconds(herd->most),
                  .last_back_s = to_seconds(herd->last),
                  .herd_broker_cpu = herd->broker_cpu,
                  .herd_cpu = herd->own_cpu};
  return result;
}

Result<LoadRunOptions> load_options(const RunSpec& spec, const BrokerProgram& broker,
                                    const paceline::TrustOptions& trust_options) {
  auto plan =
      plan_load({.publishers = 1, .subscribers = spec.trial->viewers, .rooms = spec.trial->rooms});
  if (!plan) return plan.error();
  auto trust = paceline::Trust::make(trust_options);
  if (!trust) return trust.error();
  return LoadRunOptions{
      .each = {.remote = {.address = broker.url().address, .trust = *std::move(trust)},
               .session = {},
               .token = {},
               .rate = spec.trial->rate,
               .items = {.numerator = spec.trial->items, .denominator = 1},
               .window = std::chrono::milliseconds(100)},
      .plan = *std::move(plan),
      .room = kRoom,
      .warm_up = spec.warm_up,
      .measure = spec.duration - spec.warm_up,
      .broker_pid = broker.pid(),
      .churn = spec.trial->churn};
}

RunResult try_in_place(const RunSpec& spec, boost::asio::io_context& io, Trouble& trouble,
                       const std::stop_token& stop) {
  RunResult result;
  result.spec = spec;
  BrokerProgram broker(trouble.arguments(), stop, trouble.place());
  const paceline::TrustOptions trust{
      .fingerprint = broker.url().fingerprint, .ca_file = {}, .known_hosts = {}};
  auto options = load_options(spec, broker, trust);
  if (!options) {
    result.error = options.error().message;
    return result;
  }
  options->all_joined = [&] { trouble.begin(broker, kRoom, trust, spec.warm_up); };
  LoadRun run(io, *std::move(options));
  run.start();
  while (!run.over() && !io.stopped()) {
    io.run_one_for(kLook);
    if (stop.stop_requested()) run.stop();
  }
  const LoadReport report = run.report();
  result.measured = report.measured;
  result.trial = {.longest_gap_ms = to_ms(report.longest_gap),
                  .delay_ms = to_ms(report.base.p50),
                  .delay_p99_ms = to_ms(report.base.p99),
                  .lost = report.lost[0],
                  .sessions_lost = static_cast<double>(report.lost_sessions),
                  .broker_cpu = report.broker ? report.broker->cpu : 0,
                  .load_cpu = report.load_cpu,
                  .memory_growth = report.memory_growth()};
  if (report.churn) {
    result.trial.churned = static_cast<double>(report.churn->joined);
    result.trial.churn_lost = static_cast<double>(report.churn->lost);
  }
  for (const LoadReport::Memory& look : report.memory) {
    result.trial.memory_mb.emplace_back(to_seconds(look.at),
                                        static_cast<double>(look.resident.value()) / 1e6);
  }
  if (report.joined < spec.trial->viewers + spec.trial->rooms) {
    result.error = "not all joined: " + report.first_loss;
  } else if (stop.stop_requested()) {
    result.error = "stopped before its end";
  } else {
    trouble.tell(result.trial, stop);
  }
  return result;
}

}  // namespace

RunResult try_broker(const RunSpec& spec, const std::stop_token& stop) {
  if (spec.trial->herd > 0) return herd_result(spec, stop);
  raise_file_limit();
  RunResult result;
  boost::asio::io_context io(1);
  Trouble trouble(spec.trial->trouble, io);
  trouble.run([&] { result = try_in_place(spec, io, trouble, stop); });
  return result;
}

}  // namespace qvid::lab
