// Any packets at any times, any turns of the output and any needs of a picture: what is played
// stays finite, every bound and count holds, and a well-behaved stream that follows is played.
//
// The input: actions of four bytes: what (modulo 6), and three numbers.
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_io.h"
#include "media/sound/sound_playout_engine.h"
#include "tests/fuzz/require.h"

namespace {

using qvid::fuzz::require;

using namespace qvid;
using namespace qvid::media;

constexpr std::size_t kMostSoundActions = 2000;

// Loud, and not as long as it was said to be.
class OddDecoder final : public SoundDecoder {
 public:
  std::vector<float> decode(const SoundPacket& packet) override {
    ++calls_;
    const auto frames = static_cast<std::size_t>(sound_frames(packet.duration));
    return std::vector<float>(2 * (frames + calls_ % 3), calls_ % 2 == 0 ? 0.5F : -0.5F);
  }
  std::vector<float> conceal(std::size_t frames) override {
    require(frames > 0 && frames % 120 == 0);
    return std::vector<float>(2 * frames, 0.25F);
  }

 private:
  std::size_t calls_ = 0;
};

class Run {
 public:
  Run()
      : clock_(std::make_shared<PresentationClock>()),
        engine_(std::make_unique<OddDecoder>(), clock_) {}

  void act(unsigned what, unsigned a, unsigned b, unsigned c) {
    switch (what % 6) {
      case 0:
      case 1: packet(a, b, c); break;
      case 2:
        // A number or a time that jumps.
        number_ = a % 4 == 0 ? ~std::uint64_t{0} - b : std::uint64_t{b} << (a % 64);
        captured_ = Timestamp(Duration((c % 2 == 0 ? 1 : -1) * (std::int64_t{b} << (c % 54))));
        packet(0, 0, 8);
        break;
      case 3: now_ += a * 1ms; break;
      case 4:
        clock_->on_picture_needs(now_ - captured_ + (std::int64_t{b} << (a % 40)) * 1ns, now_);
        break;
      default:
        for (unsigned i = 0; i < 1 + a % 8; ++i) turn(b * 1ms);
    }
  }
  void end() {
    // As a sender would, whatever was before.
    captured_ = Timestamp(3h);
    int sound = 0;
    for (int i = 0; i < 400; ++i) {
      engine_.on_packet(5000 + static_cast<std::uint64_t>(i),
                        {.captured = captured_ + i * 20ms, .duration = 20ms}, now_);
      for (int half = 0; half < 2; ++half) sound += turn(30ms) && i >= 250;
    }
    require(sound >= 290);
  }

 private:
  void packet(unsigned a, unsigned b, unsigned c) {
    number_ += a % 3;
    captured_ += b % 8 * 10ms;
    engine_.on_packet(number_ - a / 64,
                      {.captured = captured_, .duration = c % 32 * 2500us, .last = c > 200}, now_);
  }
  bool turn(Duration latency) {
    const bool any = engine_.pull(now_ + latency, out_);
    now_ += 10ms;
    for (const float sample : out_) require(std::isfinite(sample) && std::abs(sample) <= 4);
    const SoundPlayoutStats stats = engine_.stats();
    require(engine_.window() > 0ms && engine_.window() <= 3s);
    require(stats.jitter >= 0ms && stats.target <= SoundPlayoutEngine::kMostDelay);
    require(stats.packets >= 0 && stats.late >= 0 && stats.lost >= 0 && stats.skipped >= 0);
    require(stats.stretched >= 0 && stats.shrunk >= 0 && stats.longest_gap >= 0ms);
    return any;
  }

  std::shared_ptr<PresentationClock> clock_;
  SoundPlayoutEngine engine_;
  Timestamp now_{1h};
  std::uint64_t number_ = 0;
  Timestamp captured_{1h};
  std::vector<float> out_ = std::vector<float>(2 * kSoundTurn);
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteReader in(std::as_bytes(std::span(data, size)));
  Run run;
  for (std::size_t i = 0; i < kMostSoundActions && in.remaining() >= 4; ++i) {
    const unsigned what = in.u8();
    const unsigned a = in.u8();
    const unsigned b = in.u8();
    run.act(what, a, b, in.u8());
  }
  run.end();
  return 0;
}
