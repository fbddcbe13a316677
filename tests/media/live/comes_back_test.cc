// Shows that a viewer whose encoder knows of each loss always comes back: what the sender takes for
// decodable is so, whichever headers and units a bad network loses, delays or lets overtake each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "media/codec/av1/av1_reference_plan.h"
#include "media/live/live_sender.h"
#include "media/playout/playback_engine.h"

namespace qvid::media::comes_back_test {
namespace {

constexpr FrameRate kRate{30, 1};
constexpr int kWindow = 3;
constexpr int kGop = 1800;  // no key frame comes but one that is asked for
constexpr int kPhase = 60;  // frames: of three, one is bad
constexpr Duration kTransit = 25ms;
constexpr Duration kOutAlready = 40ms;  // before it arrives a message can be cancelled no more
constexpr Duration kRepair = 120ms;

// One sender, a network and one player, in steps of a millisecond.
class Call {
 public:
  explicit Call(std::uint32_t seed)
      : random_(seed),
        sender_(kRate, kWindow, AdaptationPolicy()),
        engine_(kRate, kWindow, PlayoutMode::kEarly) {
    sender_.set_encoder_informed(true);
  }
  // Gives the longest time for which the picture stood while the network was good.
  Duration run(int frames) {
    Timestamp next = now_;
    for (int n = 0; n < frames; now_ += 1ms) {
      if (now_ >= next) {
        next += kRate.frame_time();
        if (n % kPhase == 0) begin_phase(n / kPhase % 3 == 0);
        encode(n++);
      }
      poll();
      deliver();
      play();
    }
    return worst_;
  }
  int shown() const { return shown_; }

 private:
  struct Flight {
    LiveSender::Send send;
    std::uint64_t message = 0;
    Timestamp arrives;
    bool cancelled = false;
  };

  void begin_phase(bool bad) {
    bad_ = bad;
    good_since_ = bad ? kNever : std::min(good_since_, now_);
    loss_ = std::uniform_real_distribution<>(0, 0.6)(random_);
    most_late_ms_ = std::uniform_int_distribution<>(1, 300)(random_);
  }
  Duration transit() {
    if (!bad_) return kTransit;
    Duration time = kTransit + std::uniform_int_distribution<>(0, most_late_ms_)(random_) * 1ms;
    while (std::bernoulli_distribution(loss_)(random_)) time += kRepair;
    return time;
  }

  // As the codec av1 with one layer does it, and as FeedSender asks for a synchronisation point.
  void encode(std::int64_t n) {
    for (const UnitKey& lost : sender_.take_lost()) plan_.on_lost(lost.frame);
    broken_ = sender_.wants_sync_point() ? broken_ + 1 : 0;
    const bool asked = sender_.begun() && (broken_ == 9 || (broken_ > 0 && broken_ % 30 == 0));
    const Av1PlannedFrame planned = asked ? Av1PlannedFrame() : plan_.next();
    plan_.on_coded(FrameNumber(n), planned,
                   planned.is_sync_point() ? std::uint8_t{0xff}
                                           : static_cast<std::uint8_t>(1U << planned.slot));
    CodedUnit unit;
    if (planned.reference) unit.depends_on = {{planned.reference->frames_back, 0}};
    unit.needed_for = kGop - plan_.length();
    unit.data = Payload::copy_of(std::string_view("data"));
    CodedFrame frame;
    frame.number = FrameNumber(n);
    frame.captured = frame.due = now_;
    frame.units = {std::move(unit)};
    sender_.on_frame(std::make_shared<const WireFrame>(serialise(std::move(frame))));
  }

  void poll() {
    const auto decisions = sender_.poll(now_);
    for (const auto& send : decisions.sends) {
      const std::uint64_t message = next_message_++;
      if (send.unit) {
        sender_.on_taken(*send.unit, message, 0);
      } else {
        sender_.on_header_taken(send.number, message);
      }
      flights_.push_back({.send = send, .message = message, .arrives = now_ + transit()});
    }
    cancel(decisions.cancels);
  }
  void cancel(const std::vector<UnitKey>& units) {
    for (const UnitKey& unit : units) {
      const auto flight =
          std::ranges::find(flights_, sender_.message_of(unit),
                            [](const Flight& f) { return std::optional(f.message); });
      if (flight != flights_.end() && flight->arrives > now_ + kOutAlready)
        flight->cancelled = true;
    }
  }
  void deliver() {
    std::vector<Flight> over;
    std::erase_if(flights_, [&](const Flight& f) {
      const bool can_end = f.arrives > now_ + kOutAlready;
      const bool ends = f.arrives <= now_ || (can_end && (f.cancelled || f.send.deadline <= now_));
      if (ends) over.push_back(f);
      return ends;
    });
    for (const Flight& f : over) {
      const bool arrived = f.arrives <= now_;
      if (arrived) engine_.on_message(f.send.position, f.send.payload, now_);
      const auto unit = sender_.take(f.message);
      cancel(unit ? sender_.on_ended(unit->unit, arrived)
                  : sender_.on_header_ended(f.message, arrived));
    }
  }

  // A decoder that can decode all that it is given.
  void play() {
    while (const auto task = engine_.poll_decode(now_)) {
      std::vector<PlaybackEngine::Decoded> results;
      for (const ReceivedFrame& frame : task->frames) {
        DecodedFrame decoded;
        decoded.number = frame.number;
        results.emplace_back(std::optional(std::move(decoded)));
      }
      engine_.on_decoded(*task, std::move(results), now_);
    }
    while (engine_.poll_shown(now_)) {
      last_shown_ = now_;
      ++shown_;
    }
    if (good_since_ < now_) worst_ = std::max(worst_, now_ - std::max(last_shown_, good_since_));
  }

  std::mt19937 random_;
  LiveSender sender_;
  PlaybackEngine engine_;
  Av1ReferencePlan plan_;
  std::vector<Flight> flights_;
  std::uint64_t next_message_ = 1;
  Timestamp now_{1h};
  Timestamp good_since_ = kNever;
  Timestamp last_shown_{};
  Duration worst_{};
  double loss_ = 0;
  int most_late_ms_ = 1;
  int broken_ = 0;
  int shown_ = 0;
  bool bad_ = false;
};

TEST(ComesBack, SoonAfterTheNetworkIsGoodAgain) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Call call(seed);
    EXPECT_LT(call.run(15 * kPhase), 700ms) << "seed " << seed;
    EXPECT_GT(call.shown(), 10 * kPhase * 9 / 10) << "seed " << seed;
  }
}

}  // namespace
}  // namespace qvid::media::comes_back_test
