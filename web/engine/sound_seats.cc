#include "web/engine/sound_seats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "app/protocol/sound_about.h"
#include "app/room/room_tracks.h"
#include "base/text.h"
#include "media/sound/sound_packet.h"
#include "web/engine/browser.h"
#include "web/engine/link_json.h"
#include "web/engine/numbers.h"

namespace qvid::web {
namespace {

constexpr const char* kTheLoudest = "ORDER BY speaking DESC, loudness DESC";
// Periods of voices, in frames: 400 to 70 Hz.
constexpr std::size_t kLeastPeriod = media::kSoundRate / 400;
constexpr std::size_t kMostPeriod = media::kSoundRate / 70;

}  // namespace

// What is in a packet by then are samples: floats of this machine, stereo.
class SoundSeats::Decoded final : public media::SoundDecoder {
 public:
  std::vector<float> decode(const media::SoundPacket& packet) override {
    std::vector<float> samples(packet.opus.size() / sizeof(float));
    if (!samples.empty()) {
      std::memcpy(samples.data(), packet.opus.data(), samples.size() * sizeof(float));
    }
    last_ = samples;
    return samples;
  }

  // The last period again and again; the engine fades it.
  std::vector<float> conceal(std::size_t frames) override {
    std::vector<float> samples(2 * frames, 0.0F);
    const std::size_t have = last_.size() / 2;
    if (have < 2 * kLeastPeriod) return samples;
    const std::size_t period = period_of_last(std::min(kMostPeriod, have / 2));
    for (std::size_t i = 0; i < frames; ++i) {
      const std::size_t from = have - period + i % period;
      samples[2 * i] = last_[2 * from];
      samples[2 * i + 1] = last_[2 * from + 1];
    }
    return samples;
  }

 private:
  std::size_t period_of_last(std::size_t most) const {
    const std::size_t have = last_.size() / 2;
    std::size_t best = most;
    double best_match = 0;
    for (std::size_t period = kLeastPeriod; period <= most; ++period) {
      double product = 0;
      double energy = 1e-9;
      for (std::size_t i = have - period; i < have; i += 2) {
        const double before = last_[2 * (i - period)];
        product += last_[2 * i] * before;
        energy += before * before;
      }
      const double match = product / std::sqrt(energy * static_cast<double>(period));
      if (match <= best_match) continue;
      best_match = match;
      best = period;
    }
    return best;
  }

  std::vector<float> last_;
};

qps::Watch SoundSeats::watch() const {
  return {.viewer = app::kSoundViewer,
          .names = {},
          .best = kTheLoudest,
          .seats = kSeats,
          .window = window_.now(),
          .track = app::kSoundTrack};
}

std::optional<Error> SoundSeats::hear(const qps::Seat& told) {
  if (told.seat < 0 || told.seat >= kSeats) return Error{"there is no such seat"};
  Seat& seat = seats_[told.seat];
  empty(seat);
  if (told.name.empty()) {
    seats_.erase(told.seat);
    return std::nullopt;
  }
  seat.name = told.name;
  const auto volume = volumes_.find(printable(told.name));
  if (volume != volumes_.end()) seat.volume = volume->second;
  if (const auto about = app::parse_sound_about(told.about); !about) return about.error();
  seat.decoder = next_number();
  seat.engine = std::make_unique<media::SoundPlayoutEngine>(std::make_unique<Decoded>(),
                                                            clocks_.of(told.name));
  return std::nullopt;
}

void SoundSeats::empty(Seat& seat) {
  if (seat.decoder != 0) qvid_js_sound_decoder_end(seat.decoder);
  seat = {};
}

void SoundSeats::clear() {
  for (auto& [number, seat] : seats_) empty(seat);
  seats_.clear();
}

void SoundSeats::on_message(int number, std::uint64_t position, const Payload& data,
                            Timestamp now) {
  const auto it = seats_.find(number);
  if (it == seats_.end() || !it->second.engine) return;
  Seat& seat = it->second;
  auto packet = media::parse_sound_packet(data);
  if (!packet) return seat.engine->on_malformed();
  if (seat.decoding.size() >= kMostDecoding) return;
  const int ticket = next_number();
  const Payload opus = packet->opus;
  const auto duration =
      std::chrono::duration_cast<std::chrono::microseconds>(packet->duration).count();
  seat.decoding[ticket] = {.number = position, .packet = *std::move(packet), .asked = now};
  qvid_js_sound_decode(seat.decoder, ticket, static_cast<int>(duration), opus.data(),
                       static_cast<int>(opus.size()));
}

bool SoundSeats::on_decoded(int ticket, std::span<const float> stereo, Timestamp now) {
  for (auto& entry : seats_) {
    Seat& seat = entry.second;
    const auto it = seat.decoding.find(ticket);
    if (it == seat.decoding.end()) continue;
    Waiting waiting = std::move(it->second);
    seat.decoding.erase(it);
    if (stereo.empty()) {
      seat.engine->on_malformed();
      return true;
    }
    waiting.packet.opus = Payload::copy_of(std::as_bytes(stereo));
    seat.engine->on_packet(waiting.number, std::move(waiting.packet), now);
    return true;
  }
  return false;
}

void SoundSeats::look_at_decoder(Seat& seat, Timestamp now) {
  // Tickets rise: the first is the oldest.
  if (seat.decoding.empty() || now - seat.decoding.begin()->second.asked < kDecoderPatience) return;
  qvid_js_sound_decoder_end(seat.decoder);
  seat.decoder = next_number();
  for (std::size_t i = 0; i < seat.decoding.size(); ++i) seat.engine->on_malformed();
  seat.decoding.clear();
}

bool SoundSeats::tick(Duration late, Timestamp now) {
  Duration needed{};
  for (auto& [number, seat] : seats_) {
    if (!seat.engine) continue;
    look_at_decoder(seat, now);
    seat.engine->expect_late(late);
    const media::SoundPlayoutStats stats = seat.engine->stats();
    seat.meter.add({now, stats.packets, stats.lost + stats.late, stats.packets});
    needed = std::max(needed, seat.engine->window());
  }
  return window_.follow(needed, now);
}

std::span<const float> SoundSeats::turn(Timestamp heard) {
  std::array<float, 2 * media::kSoundTurn> one{};
  mixer_.begin();
  for (auto& [number, seat] : seats_) {
    if (!seat.engine) continue;
    seat.engine->pull(heard + media::SoundMixer::kDelay, one);
    mixer_.add(&seat, one, seat.volume);
  }
  return mixer_.end();
}

void SoundSeats::set_volume(const std::string& name, float volume) {
  if (volumes_.size() >= kMostVolumes && !volumes_.contains(name)) return;
  volumes_[name] = volume;
  for (auto& [number, seat] : seats_) {
    if (printable(seat.name) == name) seat.volume = volume;
  }
}

void SoundSeats::add_to(nlohmann::json& list) const {
  const auto in_ms = [](Duration d) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
  };
  for (const auto& [number, seat] : seats_) {
    nlohmann::json entry = {{"seat", number}, {"name", printable(seat.name)}};
    if (seat.engine) {
      const media::SoundPlayoutStats stats = seat.engine->stats();
      entry["packets"] = stats.packets;
      entry["lost"] = stats.lost;
      entry["late"] = stats.late;
      entry["malformed"] = stats.malformed;
      entry["concealed"] = stats.concealed;
      entry["underruns"] = stats.underruns;
      entry["delay_ms"] = in_ms(stats.delay);
      entry["volume"] = seat.volume;
      entry["link"] = link_json(seat.meter.sound());
    }
    list.push_back(std::move(entry));
  }
}

}  // namespace qvid::web
