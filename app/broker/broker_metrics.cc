#include "app/broker/broker_metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <concepts>
#include <limits>
#include <vector>

namespace qvid::app {
namespace {

class Families {
 public:
  void counter(const char* name, const char* help, double value) {
    add(name, help, prometheus::MetricType::Counter).counter.value = value;
  }
  void counter(const char* name, const char* help, std::int64_t value) {
    counter(name, help, static_cast<double>(value));
  }
  // One of several of a name, which are added one behind the other.
  void counter(const char* name, const char* help, std::int64_t value,
               const prometheus::ClientMetric::Label& label) {
    one_of(name, help, prometheus::MetricType::Counter, label).counter.value =
        static_cast<double>(value);
  }
  void gauge(const char* name, const char* help, std::integral auto value,
             const prometheus::ClientMetric::Label& label) {
    one_of(name, help, prometheus::MetricType::Gauge, label).gauge.value =
        static_cast<double>(value);
  }
  void gauge(const char* name, const char* help, std::integral auto value) {
    add(name, help, prometheus::MetricType::Gauge).gauge.value = static_cast<double>(value);
  }
  // In seconds; the bounds are part of what dashboards read.
  void histogram(const char* name, const char* help, const DurationHistogram& of) {
    prometheus::ClientMetric::Histogram& h =
        add(name, help, prometheus::MetricType::Histogram).histogram;
    h.sample_count = static_cast<std::uint64_t>(of.count());
    h.sample_sum = to_seconds(of.sum());
    for (const int ms : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000}) {
      h.bucket.push_back({.cumulative_count = static_cast<std::uint64_t>(
                              of.count_up_to(std::chrono::milliseconds(ms))),
                          .upper_bound = ms / 1000.0});
    }
    h.bucket.push_back({.cumulative_count = h.sample_count,
                        .upper_bound = std::numeric_limits<double>::infinity()});
  }
  std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  prometheus::ClientMetric& one_of(const char* name, const char* help, prometheus::MetricType type,
                                   const prometheus::ClientMetric::Label& label) {
    const bool first = families_.empty() || families_.back().name != name;
    prometheus::ClientMetric& metric =
        first ? add(name, help, type) : families_.back().metric.emplace_back();
    metric.label = {label};
    return metric;
  }
  prometheus::ClientMetric& add(const char* name, const char* help, prometheus::MetricType type) {
    prometheus::MetricFamily& family = families_.emplace_back();
    family.name = name;
    family.help = help;
    family.type = type;
    return family.metric.emplace_back();
  }

  std::vector<prometheus::MetricFamily> families_;
};

// What a cluster's node tells besides.
void add_node(Families& f, const NodeState& node) {
  f.gauge("qvid_cluster_directory_works", "1: the directory answers", node.directory ? 1 : 0);
  f.gauge("qvid_cluster_displaced", "1: another program has this node's name",
          node.displaced ? 1 : 0);
  f.gauge("qvid_cluster_nodes", "Other nodes that the directory knows", node.nodes);
  f.gauge("qvid_cluster_names", "Members of all nodes", node.names);
  for (const auto& [name, link] : node.links) {
    f.gauge("qvid_cluster_link_ready", "1: the link to that node works", link.ready ? 1 : 0,
            {"node", name});
  }
  for (const auto& [name, link] : node.links) {
    f.gauge("qvid_cluster_link_rooms", "Rooms of that link", link.rooms, {"node", name});
  }
  for (const auto& [name, link] : node.links) {
    f.gauge("qvid_cluster_link_members", "Members seen by that link", link.members, {"node", name});
  }
  for (const auto& [name, link] : node.links) {
    f.counter("qvid_cluster_link_fragments_total", "Fragments that came by that link",
              link.counts.fragments, {"node", name});
  }
  for (const auto& [name, link] : node.links) {
    f.counter("qvid_cluster_link_bytes_total", "Bytes of these", link.counts.bytes.value(),
              {"node", name});
  }
  for (const auto& [name, link] : node.links) {
    f.counter("qvid_cluster_link_lost_total", "Times that link was lost", link.lost,
              {"node", name});
  }
}

}  // namespace

NodeState state_of(const qps::Cluster& cluster, Timestamp now) {
  const qps::Directory& directory = cluster.directory();
  return {.directory = directory.works(now),
          .displaced = directory.displaced(),
          .nodes = directory.nodes().size(),
          .names = directory.name_count(),
          .links = cluster.links()};
}

std::string metrics_text(const qps::BrokerStats& stats, const qps::BrokerCounts& counts,
                         const paceline::HostStats& host, bool draining, const ProcessUsage& usage,
                         const BrokerBounds& bounds, const std::optional<NodeState>& node,
                         const std::vector<qps::RoomCounts>& rooms) {
  Families f;
  f.counter("qvid_broker_sockets_total", "Connections that were accepted",
            static_cast<std::int64_t>(host.sockets));
  for (std::size_t i = 0; i < host.turned_away_for.size(); ++i) {
    f.counter("qvid_broker_sockets_turned_away_total", "Those that came to no session",
              static_cast<std::int64_t>(host.turned_away_for[i]),
              {"reason", paceline::kTurnedAway[i]});
  }
  f.counter("qvid_broker_joins_total", "Joins of a room", stats.joined);
  for (std::size_t i = 0; i < stats.refusals.size(); ++i) {
    f.counter("qvid_broker_joins_refused_total", "Joins that were refused", stats.refusals[i],
              {"reason", qps::kRefusals[i]});
  }
  f.counter("qvid_broker_wrong_tokens_total", "Refused for their token", stats.wrong_tokens);
  f.counter("qvid_broker_turned_away_total", "Sessions beyond those of one address",
            stats.turned_away);
  f.counter("qvid_broker_removed_total", "Members put out", stats.removed);
  f.counter("qvid_broker_faults_total", "Clients closed for what they sent", stats.faults);
  f.counter("qvid_broker_slowed_total", "Times a client asked for more than it may", stats.slowed);
  f.counter("qvid_broker_put_off_total", "Messages that waited for that", stats.put_off);
  f.counter("qvid_broker_hoarders_total", "Clients closed for the memory that they held",
            stats.hoarders);
  f.counter("qvid_broker_without_memory_fragments_total", "Fragments given up for want of memory",
            stats.items_without_memory);
  f.counter("qvid_broker_criteria_steps_total", "Steps of evaluating criteria",
            stats.criteria_steps);
  f.counter("qvid_broker_received_fragments_total", "Fragments from publishers",
            stats.fragments_in);
  f.counter("qvid_broker_received_bytes_total", "Bytes of items from publishers",
            stats.bytes_in.value());
  f.counter("qvid_broker_delivered_fragments_total", "Fragments that reached viewers",
            stats.fragments_out);
  f.counter("qvid_broker_delivered_bytes_total", "Bytes of items that reached viewers",
            stats.bytes_out.value());
  f.counter("qvid_broker_dropped_fragments_total",
            "Fragments given up on their way to slow viewers", stats.fragments_lost);
  f.histogram("qvid_broker_delivery_seconds",
              "From a fragment's arrival to a viewer's acknowledgement", stats.delivery);
  f.counter("qvid_broker_seat_switches_total", "Seats that went to another publication",
            stats.switches);
  f.counter("qvid_broker_measurements_total", "Measurements of a client's rate",
            stats.measuring.begun);
  f.counter("qvid_broker_measurements_put_off_total", "Those that were not, for their bounds",
            stats.measuring.put_off);
  f.counter("qvid_broker_measured_bytes_total", "Bytes of filling for these",
            stats.measuring.bytes.value());
  f.counter("qvid_broker_chat_messages_total", "Messages that members wrote", stats.said);
  f.counter("qvid_broker_chat_refused_total", "Those that were not handed on", stats.not_said);
  f.counter("qvid_broker_chat_lost_total", "Messages that a recipient did not get",
            stats.chat_lost);
  f.gauge("qvid_broker_greeting", "Connections that have not greeted", host.greeting);
  f.gauge("qvid_broker_greeting_places", "The most that may be", host.greeting_places);
  f.gauge("qvid_broker_clients", "Sessions", counts.clients);
  f.gauge("qvid_broker_max_clients", "The most that may be", bounds.clients);
  f.gauge("qvid_broker_members", "Clients in a room", counts.members);
  f.gauge("qvid_broker_rooms", "Rooms", counts.rooms);
  f.gauge("qvid_broker_publications", "Tracks that members publish", counts.publications);
  f.gauge("qvid_broker_viewers", "Subscriptions of members", counts.viewers);
  f.gauge("qvid_broker_seats", "Seats of viewers that show a publication", counts.seats);
  f.gauge("qvid_broker_slow_clients", "Clients that take less than they are sent",
          counts.slow_clients);
  f.gauge("qvid_broker_memory_bytes", "Held by messages, of all clients together",
          counts.memory.value());
  f.gauge("qvid_broker_max_memory_bytes", "The most that they may", counts.max_memory.value());
  f.gauge("qvid_broker_memory_allowed_bytes", "The most that they may now, as the machine has it",
          counts.memory_allowed.value());
  f.gauge("qvid_broker_threads", "That it works on", bounds.threads);
  f.gauge("qvid_broker_draining", "1 while it is being replaced", draining ? 1 : 0);
  f.gauge("qvid_broker_far_members", "Members of its rooms on other nodes", counts.far);
  f.gauge("qvid_broker_linked_nodes", "Other nodes that watch members here", counts.links);
  if (node) add_node(f, *node);
  for (const auto& room : rooms) {
    f.gauge("qvid_room_members", "Members of that room who are here", room.members,
            {"room", room.room});
  }
  for (const auto& room : rooms) {
    f.gauge("qvid_room_far_members", "Members of that room on other nodes", room.far,
            {"room", room.room});
  }
  for (const auto& room : rooms) {
    f.gauge("qvid_room_tracks", "Tracks that members here publish in that room", room.tracks,
            {"room", room.room});
  }
  for (const auto& room : rooms) {
    f.gauge("qvid_room_seats", "Seats of members here that show something in that room", room.seats,
            {"room", room.room});
  }
  f.counter("process_cpu_seconds_total", "User and system time", to_seconds(usage.cpu));
  f.gauge("process_resident_memory_bytes", "Memory in use", usage.resident.value());
  f.gauge("process_open_fds", "Open files and sockets", usage.open_files);
  f.gauge("process_max_fds", "The most that may be open; 0: no limit", usage.max_files);
  return f.text();
}

}  // namespace qvid::app
