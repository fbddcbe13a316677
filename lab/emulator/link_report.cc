#include "lab/emulator/link_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace qvid::lab {
namespace {

DataRate mean_rate(const LinkStats& s, Duration time) {
  return DataRate::of(ByteCount(static_cast<std::int64_t>(s.delivered_bytes)), time);
}

std::string text_of(const LinkStats& s, Duration running) {
  std::string text = fmt::format(
      "{} packets, {} delivered ({:.3f} Mbit/s), {} dropped and {} marked by the queue, {} lost "
      "at random\n",
      s.packets, s.delivered, mean_rate(s, running).mbps(), s.queue_drops, s.queue_marks, s.lost);
  if (s.reordered + s.duplicated > 0) {
    text += fmt::format("        {} came later than others, {} came twice\n", s.reordered,
                        s.duplicated);
  }
  if (s.udp_drops + s.flow_drops + s.pipe_overflow > 0) {
    text += fmt::format(
        "        {} UDP packets refused, {} dropped by drop-flow, {} too many in flight\n",
        s.udp_drops, s.flow_drops, s.pipe_overflow);
  }
  if (s.policed > 0) text += fmt::format("        {} dropped by the policer\n", s.policed);
  text += fmt::format(
      "        queue: waited {:.2f} ms mean, {:.2f} ms median, {:.2f} ms 99%, {:.2f} ms worst; at "
      "most {} bytes\n"
      "        emulator late: {:.3f} ms median, {:.3f} ms 99%, {:.3f} ms worst\n",
      to_ms(s.waiting.mean()), to_ms(s.waiting.percentile(0.5)), to_ms(s.waiting.percentile(0.99)),
      to_ms(s.waiting.most()), s.max_queue.value(), to_ms(s.lateness.percentile(0.5)),
      to_ms(s.lateness.percentile(0.99)), to_ms(s.lateness.most()));
  return text;
}

nlohmann::json json_of(const DurationHistogram& h) {
  return {{"mean", to_ms(h.mean())},
          {"median", to_ms(h.percentile(0.5))},
          {"p99", to_ms(h.percentile(0.99))},
          {"worst", to_ms(h.most())}};
}

nlohmann::json json_of(const LinkStats& s, Duration running) {
  return {{"packets", s.packets},
          {"bytes", s.bytes},
          {"delivered", s.delivered},
          {"delivered_bytes", s.delivered_bytes},
          {"mbps", mean_rate(s, running).mbps()},
          {"queue_drops", s.queue_drops},
          {"queue_marks", s.queue_marks},
          {"lost", s.lost},
          {"reordered", s.reordered},
          {"duplicated", s.duplicated},
          {"policed", s.policed},
          {"udp_drops", s.udp_drops},
          {"flow_drops", s.flow_drops},
          {"pipe_overflow", s.pipe_overflow},
          {"max_queue_bytes", s.max_queue.value()},
          {"waiting_ms", json_of(s.waiting)},
          {"lateness_ms", json_of(s.lateness)}};
}

}  // namespace

std::string text_of(const LinkReport& r) {
  std::string text = fmt::format("link: {:.1f} s\n  up    {}  down  {}", to_seconds(r.running),
                                 text_of(r.up, r.running), text_of(r.down, r.running));
  if (r.nat_drops > 0) {
    text += fmt::format("  {} packets came to ports that a NAT has forgotten\n", r.nat_drops);
  }
  if (r.refused_by_kernel > 0) {
    text += fmt::format("  {} delivered packets were refused by the kernel\n", r.refused_by_kernel);
  }
  if (!r.realtime) text += "  without real-time priority: a busy machine makes the emulator late\n";
  return text;
}

nlohmann::json json_of(const LinkReport& r) {
  return {{"seconds", to_seconds(r.running)},   {"up", json_of(r.up, r.running)},
          {"down", json_of(r.down, r.running)}, {"refused_by_kernel", r.refused_by_kernel},
          {"nat_drops", r.nat_drops},           {"realtime", r.realtime}};
}

}  // namespace qvid::lab
