#include "lab/bed/session_flow.h"

#include <algorithm>
#include <stdexcept>

#include "lab/bed/frame_timer.h"
#include "lab/bed/goddard_queue.h"
#include "lab/bed/ledger.h"
#include "lab/bed/oldest_unacked.h"
#include "lab/bed/source.h"
#include "transport/session/host.h"

namespace qvid::lab {
namespace {

using paceline::Session;
using paceline::SessionEvent;

// A greedy flow's bytes that wait in the session: enough for any window's next writes.
constexpr ByteCount kGreedyQueue(256 * 1024);
// Of Goddard's frames: two of the largest.
constexpr ByteCount kHandedOn(16 * 1000);
constexpr Duration kNoDeadline = std::chrono::seconds(60);  // longer than anything waits

paceline::Importance importance_of(const Adu& adu) {
  return paceline::Importance(static_cast<std::uint8_t>(200 - 10 * (adu.layer % kLayers)));
}

class SessionNear : public NearEnd {
 public:
  SessionNear(boost::asio::io_context& io, const FlowSetting& setting,
              const paceline::SessionConfig& config)
      : io_(io),
        setting_(setting),
        config_(config),
        greedy_(setting.spec.workload == Workload::kGreedy),
        unacked_(setting.clock),
        signals_(setting.clock.slots()),
        timer_(io, [this](Timestamp now) { send_frame(now); }) {
    config_.controller.wall_clock = setting.clock_ahead;
    config_.fairness = setting.spec.quality_fairness ? paceline::Fairness::kQuality
                                                     : paceline::Fairness::kResource;
    std::int64_t bps = setting.spec.rate.bps();
    for (std::size_t i = 0; i < setting.spec.streams; ++i, bps /= 2) {
      videos_.emplace_back(DataRate::from_bps(bps), setting.seed + i);
    }
  }

  void begin() override {
    session_ = Session::connect(
        io_, {.address = {.host = kFarAddress, .port = setting_.port}, .trust = {}}, config_,
        [this](SessionEvent&& event) { on_event(event); });
  }

  void end() override {
    ended_ = true;
    timer_.stop();
    if (session_) session_->close("the run is over");
  }

  void sample(Timestamp now) override {
    if (!session_ || !established_ || ended_) return;
    const paceline::SessionSignals signals = session_->signals();
    unacked_.note(signals.oldest_unacked, now);
    hand_on(now);
    if (greedy_) refill(signals.queued);
    if (now - setting_.clock.begin >= setting_.clock.duration) return;
    FlowSlot& slot = signals_[setting_.clock.slot(now)];
    slot.window = static_cast<double>(signals.window.value());
    slot.base_rtt_ms = to_ms(signals.base_rtt);
    slot.competing |= signals.competing;
    failovers_ = signals.failovers;
  }

  void fill(FlowResult& result) const override {
    unacked_.fill(result.slots);
    for (std::size_t i = 0; i < signals_.size(); ++i) {
      result.slots[i].window = signals_[i].window;
      result.slots[i].base_rtt_ms = signals_[i].base_rtt_ms;
      result.slots[i].competing = signals_[i].competing;
    }
    result.failovers = failovers_;
    if (result.error.empty()) result.error = error_;
  }
  std::uint32_t frames() const override { return frames_; }
  bool offer(const Adu& frame, Timestamp now) override {
    waiting_.push(frame);
    hand_on(now);
    return true;
  }

 private:
  void on_event(const SessionEvent& event) {
    if (std::holds_alternative<paceline::SessionEstablished>(event)) {
      established_ = true;
      if (ended_) return;
      streams_.push_back(paceline::kFirstStream);
      while (streams_.size() < videos_.size()) streams_.push_back(session_->open_stream());
      if (greedy_) {
        refill({});
      } else if (setting_.spec.workload == Workload::kVideo) {
        timer_.start(RunClock::now());
      }
    } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
      if (!ended_) error_ = "the session ended: " + closed->detail;
      ended_ = true;
      timer_.stop();
    }
  }

  void send_frame(Timestamp captured) {
    frames_ += setting_.clock.frame_counts(captured, setting_.spec.window);
    for (std::size_t i = 0; i < videos_.size(); ++i) {
      for (Adu adu : videos_[i].next(captured)) {
        adu.layer = on_stream(adu.layer, i);
        // Refused only where it could not be sent in time either: the frame's deadline has passed,
        // or the session is about to end.
        (void)session_->send(streams_[i], {.importance = importance_of(adu),
                                           .position = paceline::Position(adu.frame),
                                           .deadline = captured + setting_.spec.window,
                                           .payload = Payload::copy_of(adu.encode()),
                                           .quality = 1.0 / kLayers,
                                           .in_any_order = true});
      }
    }
  }

  // Of Goddard's frames as many as the session is about to send. All scales are as important: the
  // older frame first.
  void hand_on(Timestamp now) {
    if (!established_ || ended_) return;
    while (!waiting_.empty() && session_->queued() < kHandedOn) {
      const Adu frame = waiting_.pop();
      const Timestamp deadline = frame.produced + setting_.spec.window;
      if (deadline <= now) continue;
      (void)session_->send(paceline::kFirstStream, {.importance = importance_of({}),
                                                    .position = paceline::Position(frame.frame),
                                                    .deadline = deadline,
                                                    .payload = Payload::copy_of(frame.encode()),
                                                    .in_any_order = true});
    }
  }

  void refill(ByteCount queued) {
    const Timestamp now = RunClock::now();
    const bool by_udp = config_.datagrams != paceline::Datagrams::kNever;
    for (; queued < kGreedyQueue; queued += ByteCount(kBlock)) {
      const Adu adu{.bytes = kBlock, .frame = block_++, .produced = now};
      // With a deadline, however far, and in any order, it may go by datagrams.
      if (!session_->send(paceline::kFirstStream, {.importance = importance_of(adu),
                                                   .position = paceline::Position(adu.frame),
                                                   .deadline = by_udp ? now + kNoDeadline : kNever,
                                                   .payload = Payload::copy_of(adu.encode()),
                                                   .in_any_order = by_udp})) {
        return;
      }
    }
  }

  boost::asio::io_context& io_;
  FlowSetting setting_;
  paceline::SessionConfig config_;
  bool greedy_;
  std::vector<LayeredVideo> videos_;         // one a stream
  std::vector<paceline::StreamId> streams_;  // empty before the session is established
  OldestUnacked unacked_;
  std::vector<FlowSlot> signals_;
  FrameTimer timer_;
  GoddardQueue waiting_;
  std::shared_ptr<Session> session_;
  std::uint32_t frames_ = 0;
  std::uint32_t block_ = 0;
  std::uint64_t failovers_ = 0;
  bool established_ = false;
  bool ended_ = false;
  std::string error_;
};

class SessionFar : public FarEnd {
 public:
  SessionFar(boost::asio::io_context& io, const FlowSetting& setting,
             const paceline::SessionConfig& config)
      : ledgers_(setting.spec.streams, Ledger(setting.clock, setting.spec, setting.on_unit)) {
    Result<std::unique_ptr<paceline::Host>> opened = paceline::Host::open(
        io,
        {.listen = {.host = "0.0.0.0", .port = setting.port}, .identity = {}, .session = config},
        [this](const std::shared_ptr<Session>& session) {
          session_ = session;
          return [this](SessionEvent&& event) {
            if (auto* arrived = std::get_if<paceline::MessageArrived>(&event)) on_unit(*arrived);
          };
        },
        [this](const std::string& trouble) { error_ = trouble; });
    if (!opened) throw std::runtime_error(opened.error().message);
    host_ = std::move(*opened);
  }

  void end() override {
    if (host_) host_->close();
    if (session_) session_->close("the run is over");
    session_.reset();
  }
  void fill(FlowResult& result, std::uint32_t frames) const override {
    ledgers_[0].fill(result, frames);
    if (result.error.empty()) result.error = error_;
    // Slots and delays are those of all streams together.
    for (std::size_t i = 1; i < ledgers_.size(); ++i) {
      FlowResult other;
      ledgers_[i].fill(other, frames);
      for (std::size_t slot = 0; slot < result.slots.size(); ++slot) {
        result.slots[slot].delivered += other.slots[slot].delivered;
      }
      result.delays_ms.insert(result.delays_ms.end(), other.delays_ms.begin(),
                              other.delays_ms.end());
      result.others.push_back(std::move(other.video));
    }
  }

 private:
  void on_unit(const paceline::MessageArrived& arrived) {
    const Timestamp now = RunClock::now();
    std::optional<Adu> adu = Adu::parse(arrived.payload.bytes());
    if (!adu || stream_of(*adu) >= ledgers_.size()) return;
    Ledger& ledger = ledgers_[stream_of(*adu)];
    adu->layer %= kLayers;
    ledger.on_bytes(static_cast<std::int64_t>(arrived.payload.size()), now);
    ledger.on_adu(*adu, now);
  }

  std::vector<Ledger> ledgers_;  // one a stream
  std::string error_;
  std::unique_ptr<paceline::Host> host_;
  std::shared_ptr<Session> session_;
};

}  // namespace

std::optional<paceline::SessionConfig> session_config_of(std::string_view sender) {
  const auto has = [&sender](std::string_view suffix) {
    if (!sender.ends_with(suffix)) return false;
    sender.remove_suffix(suffix.size());
    return true;
  };
  const bool datagrams = has("+udp");
  const bool failover = has("+fo");
  paceline::SessionConfig config;
  config.controller.name = sender;
  if (!paceline::make_controller(config.controller)) return std::nullopt;
  // Only its datagrams' losses are told to mtp: over TCP it would be plain TCP.
  if (datagrams) {
    config.datagrams = sender == "mtp" ? paceline::Datagrams::kOnly : paceline::Datagrams::kAuto;
  }
  config.failover = failover;
  config.standby = failover ? 1 : 0;
  config.small_segments = failover;
  return config;
}

std::unique_ptr<NearEnd> make_session_near(boost::asio::io_context& io, const FlowSetting& setting,
                                           const paceline::SessionConfig& config) {
  return std::make_unique<SessionNear>(io, setting, config);
}
std::unique_ptr<FarEnd> make_session_far(boost::asio::io_context& io, const FlowSetting& setting,
                                         const paceline::SessionConfig& config) {
  return std::make_unique<SessionFar>(io, setting, config);
}

}  // namespace qvid::lab
