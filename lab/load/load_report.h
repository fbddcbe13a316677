// What came of a load test, as text and as JSON. Pure.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/load/load_churn.h"
#include "lab/load/load_statistics.h"

namespace qvid::lab {

struct LoadReport {
  std::size_t publishers = 0;  // as asked for
  std::size_t subscribers = 0;
  std::size_t rooms = 0;
  DataRate rate;           // of each publisher
  std::size_t joined = 0;  // of both kinds
  std::size_t lost_sessions = 0;
  std::string first_loss;  // why the first of them ended
  Duration join_time{};    // until all who did had joined
  Duration measured{};
  std::int64_t parts = 0;  // that arrived
  ByteCount bytes;         // in these
  struct Delay {
    Duration p50{};
    Duration p95{};
    Duration p99{};
    Duration most{};
  };
  Delay base;
  Delay all;
  Duration longest_gap{};                              // of base parts, at any subscriber
  std::array<double, LoadStatistics::kLayers> lost{};  // 0..1
  std::int64_t given_up = 0;  // parts that did not get as far as the broker
  double load_cpu = 0;        // of a core
  struct Broker {
    int pid = 0;
    double cpu = 0;  // of a core
    ByteCount resident;
    ByteCount resident_each;  // of what came with the clients, for each
  };
  std::optional<Broker> broker{};
  std::optional<ChurnCounts> churn{};  // of who came and went beside
  struct Memory {
    Duration at{};  // since the measured time began
    ByteCount resident;
  };
  std::vector<Memory> memory{};  // the broker's, with churn

  // From here on the load generator, not the broker, may be what is measured.
  static constexpr double kBusy = 0.9;
  bool is_bottleneck() const { return load_cpu > kBusy; }
  DataRate forwarded() const;
  double joins_a_second() const;
  // CPU seconds for a forwarded Gbit; viewers of 1 Mbit/s that would take all of a core if CPU grew
  // with what is forwarded. 0 where nothing was.
  double cpu_per_gbit() const;
  double viewers_per_core() const;
  // The broker's memory in the last quarter over that in the second, both in the mean, less 1; 0 where
  // fewer than kLeastLooks are known. What it needs to begin with is not in it.
  static constexpr std::size_t kLeastLooks = 8;
  double memory_growth() const;
};

LoadReport::Delay delay_of(const DurationHistogram& histogram);
std::string text_of(const LoadReport& report);
nlohmann::json json_of(const LoadReport& report);

}  // namespace qvid::lab
