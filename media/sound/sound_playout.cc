#include "media/sound/sound_playout.h"

#include <mutex>
#include <utility>

#include "media/sound/sound_playout_engine.h"

namespace qvid::media {

class SoundPlayout::Impl {
 public:
  Impl(std::unique_ptr<SoundDecoder> decoder, std::shared_ptr<PresentationClock> its_clock)
      : clock(std::move(its_clock)), engine(std::move(decoder), clock) {}
  ~Impl() {
    if (clock) clock->on_sound_ended();
  }
  const std::shared_ptr<PresentationClock> clock;
  std::mutex mutex;  // guards engine
  SoundPlayoutEngine engine;
};

SoundPlayout::SoundPlayout(std::unique_ptr<SoundDecoder> decoder,
                           std::shared_ptr<PresentationClock> clock)
    : impl_(std::make_unique<Impl>(std::move(decoder), std::move(clock))) {}
SoundPlayout::~SoundPlayout() = default;

void SoundPlayout::on_message(std::uint64_t position, const Payload& payload, Timestamp arrival) {
  auto packet = parse_sound_packet(payload);
  const std::lock_guard lock(impl_->mutex);
  if (!packet) return impl_->engine.on_malformed();
  impl_->engine.on_packet(position, std::move(*packet), arrival);
}

void SoundPlayout::expect_late(Duration late) {
  const std::lock_guard lock(impl_->mutex);
  impl_->engine.expect_late(late);
}

bool SoundPlayout::pull(Timestamp heard, std::span<float> frames) {
  const std::lock_guard lock(impl_->mutex);
  return impl_->engine.pull(heard, frames);
}

Duration SoundPlayout::window() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->engine.window();
}

SoundPlayoutStats SoundPlayout::stats() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->engine.stats();
}

}  // namespace qvid::media
