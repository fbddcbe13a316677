#include "lab/simulator/flow.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace qvid::lab::simulator {
namespace {

constexpr Duration kFrame = 33'333'333ns;  // 30 frames a second
constexpr std::size_t kMostFrames = 5;     // 166 ms of video wait at the most
constexpr std::int64_t kHeader = 20;       // of a chunk record
constexpr std::int64_t kHello = 100;       // bytes, the greeting
// As the session engine cuts chunks: a quarter of what may be written, between the controller's least and this.
constexpr std::int64_t kMostChunk = 16 * 1024;
// Hosts are not exact clockworks; without this, drop-tail favours whoever has the lucky phase.
constexpr double kHostJitter = 0.2e-3;  // s, uniform

std::unique_ptr<paceline::Controller> controller_of(const std::string& name, Duration wall) {
  auto made = paceline::make_controller({.name = name, .wall_clock = wall});
  if (!made) throw std::invalid_argument(made.error().message);
  return std::move(*made);
}

}  // namespace

Flow::Flow(EventLoop& loop, const FlowOptions& options, TcpSender::Transmit transmit)
    : loop_(loop),
      options_(options),
      controller_(controller_of(options.controller, options.wall_clock)),
      tcp_(loop, options.congestion_control, std::move(transmit)),
      random_(options.seed) {
  loop_.at(options_.start, [this] {
    note_written(kHello);
    tcp_.write(kHello);
  });
  loop_.at(options_.start + kSlot, [this] { end_slot(); });
}

// Content begins when the first round trip is over, as behind a session's greeting.
void Flow::on_hello() {
  greeted_ = true;
  if (options_.demand > DataRate()) make_frame();
  pump();
}

void Flow::make_frame() {
  if (!running()) return;
  const double size = static_cast<double>(options_.demand.bytes_in(kFrame).value()) *
                      std::uniform_real_distribution(0.7, 1.3)(random_);
  if (frames_.size() >= kMostFrames) frames_.pop_front();
  frames_.push_back(std::max(std::int64_t{1}, static_cast<std::int64_t>(size)));
  loop_.after(kFrame, [this] { make_frame(); });
  pump();
}

void Flow::pump() {
  if (!running() || !greeted_) return;
  const Timestamp now = loop_.now();
  if (controller_->needs_socket() && options_.sample_socket) {
    const paceline::SocketSample sample{.cwnd = tcp_.cwnd(),
                                        .sacked = tcp_.sacked(),
                                        .mss = ByteCount(kMss),
                                        .unacked = ByteCount(tcp_.unacked()),
                                        .unsent = ByteCount(tcp_.unsent()),
                                        .slow_start_over = tcp_.slow_start_over(),
                                        .repairs = tcp_.repairs()};
    controller_->on_socket(sample, now);
    if (const auto off = hystart_.change(sample, controller_->wants_no_hystart())) {
      tcp_.become(*off ? CongestionControl::kReno : options_.congestion_control);
    }
  }
  // What a turn writes is one call of the system: its chunks share segments.
  if (const std::int64_t bytes = produce(now); bytes > 0) tcp_.write(bytes);
}

std::int64_t Flow::produce(Timestamp now) {
  std::int64_t turn = 0;
  while (options_.demand == DataRate() || !frames_.empty()) {
    const std::int64_t allowance = controller_->allowance(now).value();
    if (allowance <= 0) {
      gate_waited_ = true;
      const Timestamp opens = controller_->opens_at(now);
      if (opens < wake_ || wake_ <= now) {
        wake_ = opens;
        if (opens != kNever) {
          loop_.at(opens, [this, opens] {
            if (wake_ == opens) pump();
          });
        }
      }
      break;
    }
    if (tcp_.unacked() + turn >= tcp_.buffer()) break;  // the socket is full
    std::int64_t chunk = std::clamp(allowance / 4, controller_->least_chunk().value(), kMostChunk);
    if (options_.demand > DataRate()) {
      chunk = std::min(chunk, frames_.front());
      frames_.front() -= chunk;
      if (frames_.front() == 0) frames_.pop_front();
    }
    note_written(chunk + kHeader);
    turn += chunk + kHeader;
  }
  return turn;
}

void Flow::note_written(std::int64_t bytes) {
  written_ += bytes;
  unacked_ += bytes;
  outstanding_.push_back({.end = written_, .bytes = bytes, .written = loop_.now()});
  controller_->on_written(ByteCount(bytes), loop_.now());
}

void Flow::on_segment(const Packet& packet, Duration way_back) {
  const std::int64_t before = receiver_.next();
  const std::int64_t next = receiver_.on_segment(packet.sequence, packet.bytes);
  const Duration jitter = from_seconds(std::uniform_real_distribution(0.0, kHostJitter)(random_));
  last_back_ = std::max(last_back_, loop_.now() + way_back + jitter);
  loop_.at(last_back_, [this, before, next, sequence = packet.sequence] {
    tcp_.on_ack(next, sequence);
    if (next > before) on_app_ack(next);
    pump();
  });
}

void Flow::on_app_ack(std::int64_t next) {
  const Timestamp now = loop_.now();
  std::int64_t acked = 0;
  Duration rtt{};
  while (!outstanding_.empty() && outstanding_.front().end <= next) {
    rtt = now - outstanding_.front().written;
    largest_rtt_ = std::max(largest_rtt_, rtt);
    acked += outstanding_.front().bytes;
    outstanding_.pop_front();
  }
  if (acked == 0) return;
  unacked_ -= acked;
  acked_in_slot_ += acked;
  controller_->on_acked({.acked = ByteCount(acked),
                         .unacked = ByteCount(unacked_),
                         .rtt = rtt,
                         .gate_limited = gate_waited_},
                        now);
  gate_waited_ = false;
  if (!greeted_) on_hello();
}

void Flow::end_slot() {
  const Timestamp now = loop_.now();
  if (!outstanding_.empty()) {
    largest_rtt_ = std::max(largest_rtt_, now - outstanding_.front().written);
  }
  slots_.push_back(
      {.oldest_unacked = largest_rtt_, .acked = acked_in_slot_, .signals = controller_->signals()});
  largest_rtt_ = {};
  acked_in_slot_ = 0;
  if (now < options_.stop) loop_.after(kSlot, [this] { end_slot(); });
}

}  // namespace qvid::lab::simulator
