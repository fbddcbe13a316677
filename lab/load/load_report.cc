#include "lab/load/load_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace qvid::lab {
namespace {

nlohmann::json json_of(const LoadReport::Delay& d) {
  return {
      {"p50", to_ms(d.p50)}, {"p95", to_ms(d.p95)}, {"p99", to_ms(d.p99)}, {"max", to_ms(d.most)}};
}

std::string text_of(const LoadReport::Delay& d) {
  return fmt::format("p50 {:.2f} ms, p95 {:.2f}, p99 {:.2f}, most {:.2f}", to_ms(d.p50),
                     to_ms(d.p95), to_ms(d.p99), to_ms(d.most));
}

double gbit(ByteCount bytes) { return 8e-9 * static_cast<double>(bytes.value()); }

}  // namespace

DataRate LoadReport::forwarded() const {
  return measured > Duration::zero() ? DataRate::of(bytes, measured) : DataRate();
}

double LoadReport::joins_a_second() const {
  return join_time > Duration::zero() ? static_cast<double>(joined) / to_seconds(join_time) : 0;
}

double LoadReport::cpu_per_gbit() const {
  if (!broker || bytes <= ByteCount()) return 0;
  return broker->cpu * to_seconds(measured) / gbit(bytes);
}

double LoadReport::viewers_per_core() const {
  constexpr double kOneMbit = 1e-3;  // in Gbit/s
  const double cpu = cpu_per_gbit();
  return cpu > 0 ? 1 / (cpu * kOneMbit) : 0;
}

double LoadReport::memory_growth() const {
  if (memory.size() < kLeastLooks) return 0;
  const std::size_t quarter = memory.size() / 4;
  const auto sum_from = [&](std::size_t begin) {
    double sum = 0;
    for (std::size_t i = begin; i < begin + quarter; ++i) {
      sum += static_cast<double>(memory[i].resident.value());
    }
    return sum;
  };
  const double before = sum_from(quarter);
  return before > 0 ? sum_from(memory.size() - quarter) / before - 1 : 0;
}

LoadReport::Delay delay_of(const DurationHistogram& h) {
  return {.p50 = h.percentile(0.5),
          .p95 = h.percentile(0.95),
          .p99 = h.percentile(0.99),
          .most = h.most()};
}

std::string text_of(const LoadReport& r) {
  std::string text = fmt::format(
      "load test: {} publishers of {:.2f} Mbit/s, {} subscribers, {} rooms, measured {:.1f} s\n"
      "  joined    {} of {} in {:.2f} s, {:.0f} a second\n"
      "  arrived   {} parts, {:.1f} Mbit/s\n"
      "  delay     base  {}\n"
      "            all   {}\n"
      "  gap       the longest without a base part, at any subscriber: {:.0f} ms\n"
      "  lost      base {:.3f} %, details {:.3f} %, {:.3f} %, {:.3f} %\n",
      r.publishers, static_cast<double>(r.rate.bps()) / 1e6, r.subscribers, r.rooms,
      to_seconds(r.measured), r.joined, r.publishers + r.subscribers, to_seconds(r.join_time),
      r.joins_a_second(), r.parts, static_cast<double>(r.forwarded().bps()) / 1e6, text_of(r.base),
      text_of(r.all), to_ms(r.longest_gap), 100 * r.lost[0], 100 * r.lost[1], 100 * r.lost[2],
      100 * r.lost[3]);
  if (r.lost_sessions > 0) {
    text +=
        fmt::format("  sessions  {} ended, the first because: {}\n", r.lost_sessions, r.first_loss);
  }
  if (r.broker) {
    text += fmt::format(
        "  broker    {:.0f} % of a core, {:.2f} CPU s a forwarded Gbit, {:.0f} viewers of 1 Mbit/s "
        "a core\n"
        "            {:.1f} MB, {:.0f} kB a client\n",
        100 * r.broker->cpu, r.cpu_per_gbit(), r.viewers_per_core(),
        static_cast<double>(r.broker->resident.value()) / 1e6,
        static_cast<double>(r.broker->resident_each.value()) / 1e3);
  }
  if (r.churn) {
    text += fmt::format("  churn     {} came and went, {} of them lost, {} late\n", r.churn->joined,
                        r.churn->lost, r.churn->late);
    if (r.churn->lost > 0) text += fmt::format("            the first: {}\n", r.churn->first_loss);
  }
  if (!r.memory.empty()) {
    text += fmt::format("  memory    last quarter beside the second: {:+.2f} %\n",
                        100 * r.memory_growth());
  }
  text += fmt::format("  this end  {:.0f} % of a core\n", 100 * r.load_cpu);
  return text;
}

nlohmann::json json_of(const LoadReport& r) {
  nlohmann::json json{{"publishers", r.publishers},
                      {"subscribers", r.subscribers},
                      {"rooms", r.rooms},
                      {"rate", r.rate.bps()},
                      {"seconds", to_seconds(r.measured)},
                      {"joined", r.joined},
                      {"join_seconds", to_seconds(r.join_time)},
                      {"joins_per_second", r.joins_a_second()},
                      {"sessions_lost", r.lost_sessions},
                      {"parts", r.parts},
                      {"bytes", r.bytes.value()},
                      {"forwarded_bps", r.forwarded().bps()},
                      {"base_delay_ms", json_of(r.base)},
                      {"delay_ms", json_of(r.all)},
                      {"longest_gap_ms", to_ms(r.longest_gap)},
                      {"lost", r.lost},
                      {"parts_given_up", r.given_up},
                      {"load_cpu", r.load_cpu},
                      {"load_is_bottleneck", r.is_bottleneck()}};
  if (r.churn) {
    json["churn"] = {{"joined", r.churn->joined}, {"lost", r.churn->lost}, {"late", r.churn->late}};
    if (r.churn->lost > 0) json["churn"]["first_loss"] = r.churn->first_loss;
  }
  if (!r.memory.empty()) {
    json["memory_growth"] = r.memory_growth();
    for (const LoadReport::Memory& look : r.memory) {
      json["memory"].push_back({to_seconds(look.at), look.resident.value()});
    }
  }
  if (r.lost_sessions > 0) json["first_loss"] = r.first_loss;
  if (!r.broker) return json;
  json["broker"] = {{"pid", r.broker->pid},
                    {"cpu", r.broker->cpu},
                    {"resident", r.broker->resident.value()},
                    {"resident_each", r.broker->resident_each.value()},
                    {"cpu_seconds_per_gbit", r.cpu_per_gbit()},
                    {"viewers_per_core", r.viewers_per_core()}};
  return json;
}

}  // namespace qvid::lab
