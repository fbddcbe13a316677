#include "app/room/room_sound.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "app/protocol/sound_about.h"
#include "app/reception/volume.h"
#include "base/clock.h"
#include "base/text.h"
#include "pubsub/wire/envelope.h"

namespace qvid::app {
namespace {

constexpr std::size_t kMaxVolumes = 256;  // names; of more the volume is not remembered
constexpr const char* kTheLoudest = "ORDER BY speaking DESC, loudness DESC";

}  // namespace

RoomSound::RoomSound(boost::asio::io_context& io, PresentationClocks& clocks,
                     RoomSoundOptions options,
                     std::function<void(const media::VoiceState&)> on_voice)
    : io_(io),
      clocks_(clocks),
      publishes_(options.engine.input != nullptr),
      hears_(options.hears),
      names_(std::move(options.names)),
      on_voice_(std::move(on_voice)),
      rate_set_(options.engine.encoder.rate),
      post_(io, [this](const media::SoundPacket& packet) { send(packet); }) {
  const std::weak_ptr weak(alive_);
  engine_ = std::make_unique<media::SoundEngine>(
      std::move(options.engine),
      media::SoundEngine::Callbacks{
          .packet = [this](media::SoundPacket&& packet) { post_.post(std::move(packet)); },
          .voice =
              [this, weak](const media::VoiceState& voice) {
                boost::asio::post(io_, [this, weak, voice] {
                  if (!weak.expired()) on_voice_(voice);
                });
              }});
  engine_->set_sending(false);  // until somebody listens
  engine_->set_muted(options.muted);
}

RoomSound::~RoomSound() = default;

void RoomSound::send(const media::SoundPacket& packet) {
  if (client_ == nullptr) return;
  const qps::PartId id{.item = next_item_, .part = 0};
  const qps::Envelope envelope{.begins = true,
                               .importance = media::kSoundImportance,
                               .due = packet.captured + packet.duration};
  const bool taken = client_->send(id, envelope, media::serialise(packet),
                                   packet.captured + packet.duration + kPatience, kSoundTrack);
  if (taken) ++next_item_;
  const std::lock_guard lock(mutex_);
  ++(taken ? report_.packets_sent : report_.packets_dropped);
}

void RoomSound::on_part_ended(bool delivered) {
  if (delivered) return;
  const std::lock_guard lock(mutex_);
  ++report_.packets_late;
}

void RoomSound::on_joined(qps::RoomClient& client) {
  client_ = &client;
  next_item_ = 0;
  if (publishes_) client_->publish(serialise(SoundAbout{}), kSoundTrack);
  watch();
}

void RoomSound::on_left() {
  client_ = nullptr;
  engine_->set_sending(false);
  const std::lock_guard lock(mutex_);
  for (auto& [number, seat] : seats_) empty(seat);
  seats_.clear();
}

void RoomSound::on_wanted(bool wanted) { engine_->set_sending(wanted); }

void RoomSound::watch() {
  if (!hears_ || client_ == nullptr) return;
  client_->watch({.viewer = kViewer,
                  .names = names_,
                  .best = names_.empty() ? kTheLoudest : "",
                  .seats = kSeats,
                  .window = window_.now(),
                  .track = kSoundTrack});
}

void RoomSound::set_names(std::vector<std::string> names) {
  names_ = std::move(names);
  watch();
}

void RoomSound::empty(Seat& seat) {
  add_heard(seat, std::nullopt, heard_);
  if (seat.playout) engine_->remove(seat.playout.get());
  seat = {};
}

void RoomSound::add_heard(const Seat& seat, std::optional<int> number,
                          std::map<std::string, HeardReport>& heard) const {
  if (!seat.playout || (heard.size() >= kMostHeard && !heard.contains(seat.name))) return;
  HeardReport& report = heard[seat.name];
  const media::SoundPlayoutStats before = report.playout;
  report = {.seat = number,
            .name = seat.name,
            .playout = seat.playout->stats(),
            .sync_error = seat.clock->sync_error()};
  report.playout += before;
}

void RoomSound::on_seat(const qps::Seat& told) {
  const std::lock_guard lock(mutex_);
  Seat& seat = seats_[told.seat];
  empty(seat);
  if (told.name.empty()) {
    seats_.erase(told.seat);
    return;
  }
  seat.name = told.name;
  const auto about = parse_sound_about(told.about);
  auto decoder = media::SoundDecoder::make();
  if (!about || !decoder) {
    spdlog::warn("{}: {}", printable(told.name), (about ? decoder.error() : about.error()).message);
    return;
  }
  seat.clock = clocks_.of(told.name);
  seat.playout = std::make_shared<media::SoundPlayout>(*std::move(decoder), seat.clock);
  engine_->add(seat.playout);
  engine_->set_volume(seat.playout.get(), volume_of(told.name));
  spdlog::info("sound of '{}'", printable(told.name));
}

void RoomSound::on_part(int number, const qps::Part& part, Timestamp now) {
  std::shared_ptr<media::SoundPlayout> playout;
  {
    const std::lock_guard lock(mutex_);
    const auto it = seats_.find(number);
    if (it != seats_.end()) playout = it->second.playout;
  }
  if (playout) playout->on_message(static_cast<std::uint64_t>(part.id.item), part.data, now);
}

void RoomSound::on_path(DataRate path, Timestamp now) {
  const DataRate rate = rate_.on_path(path, now);
  if (std::exchange(rate_set_, rate) != rate) engine_->set_rate(rate);
}

void RoomSound::expect_late(Duration late) {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, seat] : seats_) {
    if (seat.playout) seat.playout->expect_late(late);
  }
}

// The window follows the playout that waits longest.
void RoomSound::tick(Timestamp now) {
  Duration needed{};
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, seat] : seats_) {
      if (seat.playout) needed = std::max(needed, seat.playout->window());
    }
  }
  if (window_.follow(needed, now)) watch();
}

void RoomSound::set_muted(bool muted) { engine_->set_muted(muted); }

float RoomSound::volume_of(const std::string& name) const {
  const auto it = volumes_.find(name);
  return std::min((it == volumes_.end() ? 1.0F : it->second) * volume_of_all_, Volume::kMost);
}

void RoomSound::apply_volumes() {
  for (const auto& [number, seat] : seats_) {
    if (seat.playout) engine_->set_volume(seat.playout.get(), volume_of(seat.name));
  }
}

void RoomSound::set_volume(const std::string& name, float volume) {
  const std::lock_guard lock(mutex_);
  if (volumes_.size() < kMaxVolumes || volumes_.contains(name)) volumes_[name] = volume;
  apply_volumes();
}

void RoomSound::set_volume_of_all(float volume) {
  const std::lock_guard lock(mutex_);
  volume_of_all_ = volume;
  apply_volumes();
}

SoundReport RoomSound::report() const {
  const std::lock_guard lock(mutex_);
  SoundReport report = report_;
  report.packets_dropped += post_.dropped();
  report.publishes = publishes_;
  report.muted = engine_->muted();
  report.engine = engine_->stats();
  report.rate = rate_set_;
  auto heard = heard_;
  for (const auto& [number, seat] : seats_) add_heard(seat, number, heard);
  for (auto& [name, one] : heard) report.heard.push_back(std::move(one));
  return report;
}

}  // namespace qvid::app
