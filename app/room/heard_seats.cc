#include "app/room/heard_seats.h"

#include <algorithm>
#include <utility>

#include "app/log/log.h"
#include "app/protocol/sound_about.h"
#include "base/text.h"

namespace qvid::app {
namespace {

constexpr const char* kTheLoudest = "ORDER BY speaking DESC, loudness DESC";

}  // namespace

void HeardSeats::clear() {
  const std::lock_guard lock(mutex_);
  for (auto& [number, seat] : seats_) empty(seat);
  seats_.clear();
}

void HeardSeats::empty(Seat& seat) {
  add_heard(seat, std::nullopt, heard_);
  seat = {};
}

void HeardSeats::hear(const qps::Seat& told) {
  const std::lock_guard lock(mutex_);
  Seat& seat = seats_[told.seat];
  empty(seat);
  if (told.name.empty()) {
    seats_.erase(told.seat);
    return;
  }
  seat.name = told.name;
  if (const auto about = parse_sound_about(told.about); !about) {
    return log_warning("{}: {}", printable(told.name), about.error().message);
  }
  seat.reception = std::make_unique<LiveReception>(
      LiveReceptionOptions{.extras = {.presentation = clocks_.of(told.name)}, .engine = &engine_});
  seat.reception->set_volume(played(told.name));
  seat.reception->begin({.sound = true});
  log_info("sound of '{}'", printable(told.name));
}

void HeardSeats::on_message(int number, std::uint64_t position, const Payload& message,
                            Timestamp now) {
  LiveReception* reception = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto it = seats_.find(number);
    if (it != seats_.end()) reception = it->second.reception.get();
  }
  // Only this thread replaces it.
  if (reception != nullptr) reception->on_sound(position, message, now);
}

qps::Watch HeardSeats::watch(const qps::Watch& pictures) const {
  return {.names = pictures.names,
          .best = pictures.names.empty() ? kTheLoudest : "",
          .seats = kSeats,
          .window = window_.now()};
}

bool HeardSeats::tick(Duration late, Timestamp now) {
  Duration needed{};
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, seat] : seats_) {
      if (!seat.reception) continue;
      seat.reception->on_path(late, Duration());
      needed = std::max(needed, seat.reception->sound_needs());
    }
  }
  return window_.follow(needed, now);
}

float HeardSeats::played(const std::string& name) const {
  const auto it = volumes_.find(name);
  const float own = it == volumes_.end() ? 1 : it->second.played();
  return std::min(own * volume_of_all_.played(), Volume::kMost);
}

void HeardSeats::apply_volumes() {
  for (const auto& [number, seat] : seats_) {
    if (seat.reception) seat.reception->set_volume(played(seat.name));
  }
}

void HeardSeats::change_volume(const std::string& name, float factor) {
  const std::lock_guard lock(mutex_);
  if (volumes_.size() >= kMostHeard && !volumes_.contains(name)) return;
  volumes_[name].change(factor);
  apply_volumes();
}

void HeardSeats::set_volume(const std::string& name, float level) {
  const std::lock_guard lock(mutex_);
  if (volumes_.size() >= kMostHeard && !volumes_.contains(name)) return;
  volumes_[name].level = std::clamp(level, Volume::kLeast, Volume::kMost);
  apply_volumes();
}

void HeardSeats::toggle_silence(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (volumes_.size() >= kMostHeard && !volumes_.contains(name)) return;
  Volume& volume = volumes_[name];
  volume.silenced = !volume.silenced;
  apply_volumes();
}

void HeardSeats::change_volume_of_all(float factor) {
  const std::lock_guard lock(mutex_);
  volume_of_all_.change(factor);
  apply_volumes();
}

void HeardSeats::add_heard(const Seat& seat, std::optional<int> number,
                           std::map<std::string, HeardReport>& heard) {
  if (!seat.reception || (heard.size() >= kMostHeard && !heard.contains(seat.name))) return;
  const auto sound = seat.reception->report().sound;
  if (!sound) return;
  HeardReport& report = heard[seat.name];
  const media::SoundPlayoutStats before = report.playout;
  report = {.seat = number,
            .name = seat.name,
            .playout = sound->playout,
            .sync_error = sound->sync_error};
  report.playout += before;
}

void HeardSeats::add_to(PartyReport& report) const {
  const std::lock_guard lock(mutex_);
  auto heard = heard_;
  for (const auto& [number, seat] : seats_) add_heard(seat, number, heard);
  for (auto& [name, one] : heard) report.sound->heard.push_back(std::move(one));
  report.volumes = volumes_;
  report.volume_of_all = volume_of_all_;
}

}  // namespace qvid::app
