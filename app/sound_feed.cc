#include "app/sound_feed.h"

#include <utility>

namespace qvid::app {

SoundFeed::SoundFeed(boost::asio::io_context& io, media::SoundEngineOptions options)
    : post_(io, [this](const media::SoundPacket& packet) { on_packet(packet); }) {
  engine_ = std::make_unique<media::SoundEngine>(
      std::move(options),
      media::SoundEngine::Callbacks{
          .packet = [this](media::SoundPacket&& packet) { post_.post(std::move(packet)); }});
  engine_->set_sending(false);
}

SoundFeed::~SoundFeed() = default;

void SoundFeed::add(SoundListener* listener) {
  listeners_.push_back(listener);
  engine_->set_sending(true);
}

void SoundFeed::remove(SoundListener* listener) {
  std::erase(listeners_, listener);
  if (listeners_.empty()) engine_->set_sending(false);
}

void SoundFeed::on_packet(const media::SoundPacket& packet) {
  const Payload wire = media::serialise(packet);
  for (SoundListener* listener : listeners_) listener->on_sound(packet, wire);
}

}  // namespace qvid::app
