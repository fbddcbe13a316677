#include "app/room/room_sound.h"

#include <boost/asio/post.hpp>
#include <cmath>
#include <utility>

#include "app/protocol/sound_about.h"
#include "app/room/party_seats.h"
#include "app/room/sound_path.h"
#include "pubsub/wire/envelope.h"

namespace qvid::app {

RoomSound::RoomSound(boost::asio::io_context& io, RoomSoundOptions options)
    : io_(io),
      has_microphone_(options.engine.input != nullptr),
      may_share_(options.engine.shared != nullptr),
      rich_(!options.engine.encoder.voice),
      rate_(rich_, options.engine.encoder.coding.packet),
      post_(io, [this](const media::SoundPacket& packet) { send(packet); }) {
  report_.rate = options.engine.encoder.coding.rate;
  const std::weak_ptr weak(alive_);
  engine_ = std::make_unique<media::SoundEngine>(
      std::move(options.engine),
      media::SoundEngine::Callbacks{
          .packet = [this](media::SoundPacket&& packet) { post_.post(std::move(packet)); },
          .voice =
              [this, weak](const media::VoiceState& voice) {
                boost::asio::post(io_, [this, weak, voice] {
                  if (!weak.expired()) tell(voice);
                });
              }});
  engine_->set_sending(false);  // until somebody listens
  engine_->set_muted(options.muted);
}

void RoomSound::send(const media::SoundPacket& packet) {
  const qps::PartId id{.item = next_item_, .part = 0};
  const qps::Envelope envelope{.begins = true,
                               .importance = media::kSoundImportance,
                               .due = packet.captured + packet.duration};
  const Payload payload = media::serialise(packet);
  bool taken = false;
  for (const Way& way : {way_, former_}) {
    if (!way.wanted) continue;
    taken |= way.client->send(id, envelope, payload, packet.captured + packet.duration + kPatience,
                              kSoundTrack);
  }
  if (taken) ++next_item_;
  const std::lock_guard lock(mutex_);
  report_.packet = packet.duration;
  ++(taken ? report_.packets_sent : report_.packets_dropped);
}

void RoomSound::on_part_ended(bool delivered) {
  if (delivered) return;
  const std::lock_guard lock(mutex_);
  ++report_.packets_late;
}

void RoomSound::joined(qps::RoomClient& client) {
  former_ = std::exchange(way_, {.client = &client});
  demand_ = {};
  const auto told = std::exchange(told_muted_, std::nullopt);
  if (!publishes()) return;
  publish(client);
  if (told != silent()) client.set_attributes({{"muted", silent()}});
}

void RoomSound::publish(qps::RoomClient& client) {
  client.publish(serialise(SoundAbout{}), kSoundTrack);
}

void RoomSound::use_microphone(media::SoundEngine::MakeInput make) {
  const bool published = publishes();
  const bool has = make != nullptr;
  engine_->set_input(has ? std::move(make) : [] { return nullptr; });
  const bool had = has_microphone_.exchange(has);
  if (had != has_microphone_) follow_published(published);
}

// `before`: whether this was published, before what has changed.
void RoomSound::follow_published(bool before) {
  const bool now = publishes();
  for (const Way& way : {way_, former_}) {
    if (way.client == nullptr) continue;
    if (now && !before) publish(*way.client);
    if (!now && before) way.client->unpublish(kSoundTrack);
    if (now) way.client->set_attributes({{"muted", silent()}});
    if (!has_microphone_) way.client->set_attributes({{"speaking", false}});
  }
  if (!now) way_.wanted = former_.wanted = false;
  follow_wanted();
}

void RoomSound::use_loudspeaker(media::SoundEngine::MakeOutput make) {
  engine_->set_output(make ? std::move(make) : [] { return nullptr; });
}

void RoomSound::settle() {
  former_ = {};
  follow_wanted();
}

void RoomSound::left() {
  way_ = {};
  settle();
}

// Attributes last as long as the membership: who comes back says them anew.
void RoomSound::tell(const media::VoiceState& voice) {
  if (way_.client == nullptr) return;
  way_.client->set_attributes(
      {{"speaking", voice.speaking}, {"loudness", std::round(voice.loudness)}});
}

void RoomSound::on_wanted(bool wanted, bool former) {
  Way& way = former ? former_ : way_;
  way.wanted = wanted && publishes() && way.client != nullptr;  // it may have been said before
  follow_wanted();
  if (!former && !wanted) demand_ = {};
}

void RoomSound::on_demand(const qps::Demand& demand, Timestamp now) {
  demand_ = demand.least;
  demand_at_ = now;
}

void RoomSound::on_signals(const paceline::SessionSignals& up, Timestamp now) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(sent_before_, report_.packets_sent) == report_.packets_sent) return;
  }
  if (now > demand_at_ + kDemandHolds) demand_ = {};
  on_path(sound_path(up, demand_), now);
}

void RoomSound::on_path(DataRate path, Timestamp now) {
  if (path == DataRate()) return;
  const media::SoundCoding coding = rate_.on_path(path, now);
  if (std::exchange(coding_set_, coding) == coding) return;
  engine_->set_coding(coding);
  const std::lock_guard lock(mutex_);
  report_.rate = coding.rate;
}

bool RoomSound::set_muted(bool muted) {
  engine_->set_muted(muted);
  if (!publishes()) return false;
  if (way_.client != nullptr) way_.client->set_attributes({{"muted", silent()}});
  return true;
}

void RoomSound::set_sharing(bool on) {
  if (!may_share_) return;
  const bool published = publishes();
  sharing_ = on;
  engine_->set_sharing(on);
  rate_.set_rich(rich_ || on);
  if (published != publishes()) follow_published(published);
}

void RoomSound::add_to(PartyReport& report) const {
  const std::lock_guard lock(mutex_);
  report.sound = report_;
  report.sound->packets_dropped += post_.dropped();
  report.sound->muted = engine_->muted();
  report.sound->publishes = publishes();
  report.sound->microphone = has_microphone_;
  report.sound->shared = sharing_ && engine_->can_share();
  report.sound->engine = engine_->stats();
}

}  // namespace qvid::app
