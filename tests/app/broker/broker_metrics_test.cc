// Shows what a broker tells of itself, in the format of Prometheus, and that docs/operating.md
// explains all of it.
#include "app/broker/broker_metrics.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace qvid::app {
namespace {

std::string sample() {
  DurationHistogram delivery;
  for (const int us : {900, 4'000, 4'000, 30'000'000}) {
    delivery.add(std::chrono::microseconds(us));
  }
  return metrics_text(
      {.joined = 12,
       .refusals = {0, 1, 0, 2, 0, 9},
       .wrong_tokens = 8,
       .faults = 2,
       .fragments_in = 3,
       .fragments_out = 4,
       .bytes_in = ByteCount(5),
       .bytes_out = ByteCount(std::int64_t{1} << 52),
       .fragments_lost = 6,
       .switches = 7,
       .delivery = delivery},
      {.clients = 21,
       .members = 20,
       .far = 27,
       .links = 28,
       .rooms = 3,
       .publications = 19,
       .viewers = 18,
       .seats = 17,
       .slow_clients = 16,
       .memory = ByteCount(15),
       .max_memory = ByteCount(16)},
      {.sockets = 30, .turned_away_for = {0, 0, 14}, .greeting = 13, .greeting_places = 256}, true,
      *usage_of(::getpid()), {.clients = 34, .threads = 35},
      NodeState{.directory = true,
                .displaced = false,
                .nodes = 36,
                .names = 37,
                .links = {{"east-2",
                           {.ready = true,
                            .rooms = 22,
                            .members = 23,
                            .counts = {.fragments = 24, .bytes = ByteCount(25)},
                            .lost = 26}}}},
      {{.room = "den", .members = 29, .far = 31, .tracks = 32, .seats = 33}});
}

// "name value" of each.
std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

TEST(BrokerMetrics, TellsWhatIsThere) {
  const auto lines = lines_of(sample());
  for (const char* line : {"# TYPE qvid_broker_joins_total counter",
                           "qvid_broker_joins_total 12",
                           "qvid_broker_joins_refused_total{reason=\"taken\"} 1",
                           "qvid_broker_joins_refused_total{reason=\"locked\"} 2",
                           "qvid_broker_joins_refused_total{reason=\"memory\"} 9",
                           "qvid_broker_memory_bytes 15",
                           "qvid_broker_max_memory_bytes 16",
                           "qvid_broker_wrong_tokens_total 8",
                           "qvid_broker_faults_total 2",
                           "qvid_broker_received_fragments_total 3",
                           "qvid_broker_delivered_fragments_total 4",
                           "qvid_broker_received_bytes_total 5",
                           "qvid_broker_delivered_bytes_total 4503599627370496",
                           "qvid_broker_dropped_fragments_total 6",
                           "# TYPE qvid_broker_delivery_seconds histogram",
                           "qvid_broker_delivery_seconds_count 4",
                           "qvid_broker_delivery_seconds_bucket{le=\"0.001\"} 1",
                           "qvid_broker_delivery_seconds_bucket{le=\"0.005\"} 3",
                           "qvid_broker_delivery_seconds_bucket{le=\"5\"} 3",
                           "qvid_broker_delivery_seconds_bucket{le=\"+Inf\"} 4",
                           "qvid_broker_seat_switches_total 7",
                           "# TYPE qvid_broker_clients gauge",
                           "qvid_broker_clients 21",
                           "qvid_broker_members 20",
                           "qvid_broker_rooms 3",
                           "qvid_broker_publications 19",
                           "qvid_broker_viewers 18",
                           "qvid_broker_seats 17",
                           "qvid_broker_slow_clients 16",
                           "qvid_broker_sockets_total 30",
                           "qvid_broker_sockets_turned_away_total{reason=\"handshake\"} 14",
                           "qvid_broker_greeting 13",
                           "qvid_broker_greeting_places 256",
                           "qvid_broker_max_clients 34",
                           "qvid_broker_threads 35",
                           "qvid_cluster_directory_works 1",
                           "qvid_cluster_displaced 0",
                           "qvid_cluster_nodes 36",
                           "qvid_cluster_names 37",
                           "qvid_broker_far_members 27",
                           "qvid_broker_linked_nodes 28",
                           "qvid_cluster_link_ready{node=\"east-2\"} 1",
                           "qvid_cluster_link_rooms{node=\"east-2\"} 22",
                           "qvid_cluster_link_members{node=\"east-2\"} 23",
                           "qvid_cluster_link_fragments_total{node=\"east-2\"} 24",
                           "qvid_cluster_link_bytes_total{node=\"east-2\"} 25",
                           "qvid_cluster_link_lost_total{node=\"east-2\"} 26",
                           "qvid_room_members{room=\"den\"} 29",
                           "qvid_room_far_members{room=\"den\"} 31",
                           "qvid_room_tracks{room=\"den\"} 32",
                           "qvid_room_seats{room=\"den\"} 33",
                           "qvid_broker_draining 1"}) {
    EXPECT_TRUE(lines.contains(line)) << line << " is not in\n" << sample();
  }
}

TEST(BrokerMetrics, AllAreExplained) {
  std::ifstream in(QVID_DOCS "/operating.md");
  const std::string docs{std::istreambuf_iterator<char>(in), {}};
  std::size_t metrics = 0;
  for (const std::string& line : lines_of(sample())) {
    if (line.empty() || line.starts_with("#")) continue;
    ++metrics;
    std::string name = line.substr(0, line.find_first_of(" {"));
    // What a histogram is made of.
    for (const char* part : {"_count", "_sum", "_bucket"}) {
      if (name.starts_with("qvid_broker_delivery_seconds") && name.ends_with(part)) {
        name.resize(name.size() - std::strlen(part));
      }
    }
    EXPECT_NE(docs.find("`" + name + "`"), std::string::npos) << name;
  }
  EXPECT_EQ(metrics, 76u + 15u);  // and a histogram of 13 buckets, sum and count
}

// Alerts and dashboard ask for nothing that is not told.
TEST(BrokerMetrics, WhatIsWatchedIsTold) {
  std::set<std::string> told;
  for (const std::string& line : lines_of(sample())) {
    if (!line.starts_with("#")) told.insert(line.substr(0, line.find_first_of(" {")));
  }
  for (const char* file : {"qvid.rules.yaml", "qvid-dashboard.json"}) {
    std::ifstream in(std::string(QVID_PACKAGING "/monitoring/") + file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (std::string(file).ends_with(".json")) {
      EXPECT_FALSE(nlohmann::json::parse(text, nullptr, false).is_discarded());
    }
    const std::regex metric("(qvid_(broker|cluster|room)|process)_[a-z_]+");
    int asked = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), metric), end; it != end; ++it) {
      ++asked;
      EXPECT_TRUE(told.contains(it->str())) << file << " asks for " << it->str();
    }
    EXPECT_GT(asked, 10) << file;
  }
}

TEST(BrokerMetrics, AProcessTakesSomething) {
  const ProcessUsage usage = *usage_of(::getpid());
  EXPECT_GT(usage.resident, 100_KiB);
  EXPECT_GE(usage.open_files, 1);
  EXPECT_GE(usage.cpu, 0s);
}

}  // namespace
}  // namespace qvid::app
