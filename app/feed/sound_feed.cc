#include "app/feed/sound_feed.h"

#include <algorithm>
#include <utility>

namespace qvid::app {

SoundFeed::SoundFeed(boost::asio::io_context& io, media::SoundEngineOptions options)
    : rate_(!options.encoder.voice, options.encoder.coding.packet),
      post_(io, [this](const media::SoundPacket& packet) { on_packet(packet); }) {
  engine_ = std::make_unique<media::SoundEngine>(
      std::move(options),
      media::SoundEngine::Callbacks{
          .packet = [this](media::SoundPacket&& packet) { post_.post(std::move(packet)); }});
  engine_->set_sending(false);
}

SoundFeed::~SoundFeed() = default;

void SoundFeed::add(SoundListener* listener) {
  listeners_.try_emplace(listener);
  engine_->set_sending(true);
}

void SoundFeed::remove(SoundListener* listener) {
  listeners_.erase(listener);
  if (listeners_.empty()) engine_->set_sending(false);
}

void SoundFeed::on_path(SoundListener* listener, DataRate path, Timestamp now) {
  const auto it = listeners_.find(listener);
  if (it == listeners_.end()) return;
  it->second = path;
  for (const auto& [other, others_path] : listeners_)
    path = std::min(path, others_path.value_or(path));
  const media::SoundCoding coding = rate_.on_path(path, now);
  if (std::exchange(coding_set_, coding) != coding) engine_->set_coding(coding);
}

void SoundFeed::on_packet(const media::SoundPacket& packet) {
  const Payload wire = media::serialise(packet);
  for (const auto& [listener, path] : listeners_) listener->on_sound(packet, wire);
}

}  // namespace qvid::app
