// As media/sound/time_stretcher.cc, without SoundTouch: overlap-add of the most similar parts
// (WSOLA; W. Verhelst, M. Roelands, ICASSP 1993).
//
//   input    |---- sequence ----|         the next one begins a hop * speed later, at that place of
//   output   |---- hop -----|overlap|     the seek window where it is most like the overlap
//
// Bound: what is put in and not used, and what is ready; both are the caller's to limit.
#include "media/sound/time_stretcher.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace qvid::media {
namespace {

// Frames. For speech: the window that is searched holds a period of a deep voice (70 Hz).
constexpr std::size_t kSequence = kSoundRate * 30 / 1000;
constexpr std::size_t kSeek = kSoundRate * 15 / 1000;
constexpr std::size_t kOverlap = kSoundRate * 6 / 1000;
constexpr std::size_t kHop = kSequence - kOverlap;

std::ptrdiff_t samples(std::size_t frames) { return static_cast<std::ptrdiff_t>(2 * frames); }

}  // namespace

class TimeStretcher::Impl {
 public:
  void begin() {
    input.clear();
    output.clear();
    overlap.clear();
    owed = 0;
  }

  void work() {
    for (;;) {
      const double hop = static_cast<double>(kHop) * speed;
      const std::size_t needed =
          std::max(static_cast<std::size_t>(hop + 1) + kOverlap, kSequence) + kSeek;
      if (input.size() / 2 < needed) return;
      const std::size_t at = overlap.empty() ? 0 : best_place();
      const auto from = input.begin() + samples(at);
      if (overlap.empty()) {
        output.insert(output.end(), from, from + samples(kOverlap));
      } else {
        for (std::size_t i = 0; i < 2 * kOverlap; ++i) {
          const auto in = static_cast<float>(i / 2) / static_cast<float>(kOverlap);
          output.push_back(overlap[i] * (1 - in) + from[static_cast<std::ptrdiff_t>(i)] * in);
        }
      }
      output.insert(output.end(), from + samples(kOverlap), from + samples(kHop));
      overlap.assign(from + samples(kHop), from + samples(kSequence));
      // On average in the middle of the window that is searched.
      owed += hop - (at_begin ? static_cast<double>(kSeek) / 2 : 0);
      at_begin = false;
      const double whole = std::floor(std::max(owed, 0.0));
      owed -= whole;
      input.erase(input.begin(), input.begin() + samples(static_cast<std::size_t>(whole)));
    }
  }

  double speed = 1;
  bool at_begin = true;
  std::vector<float> input;
  std::vector<float> output;
  std::vector<float> overlap;  // goes on from what was given; empty: nothing was

 private:
  std::size_t best_place() const {
    std::size_t best = 0;
    double best_match = -1e9;
    for (std::size_t at = 0; at < kSeek; ++at) {
      const double match = likeness(std::span(overlap).first(2 * kOverlap), input.data() + 2 * at);
      if (match <= best_match) continue;
      best_match = match;
      best = at;
    }
    return best;
  }
  double owed = 0;  // of the input, to be left behind
};

TimeStretcher::TimeStretcher() : impl_(std::make_unique<Impl>()) {}
TimeStretcher::~TimeStretcher() = default;

void TimeStretcher::begin(double speed) {
  impl_->begin();
  impl_->at_begin = true;
  set_speed(speed);
}

void TimeStretcher::set_speed(double speed) {
  impl_->speed = std::clamp(speed, kSlowest, kFastest);
}

void TimeStretcher::put(std::span<const float> stereo) {
  impl_->input.insert(impl_->input.end(), stereo.begin(), stereo.end());
  impl_->work();
}

std::size_t TimeStretcher::ready() const { return impl_->output.size() / 2; }

void TimeStretcher::take(std::span<float> stereo) {
  const auto size = static_cast<std::ptrdiff_t>(stereo.size());
  std::copy_n(impl_->output.begin(), size, stereo.begin());
  impl_->output.erase(impl_->output.begin(), impl_->output.begin() + size);
}

}  // namespace qvid::media
