#include "web/engine/picture_seats.h"

#include <algorithm>
#include <utility>

#include "app/protocol/video_about.h"
#include "base/text.h"
#include "web/engine/browser.h"
#include "web/engine/link_json.h"

namespace qvid::web {
namespace {

std::int64_t in_ms(Duration d) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
}

}  // namespace

std::optional<Error> PictureSeats::show(const qps::Seat& seat) {
  if (seat.seat < 0 || seat.seat >= kMostSeats) return Error{"there is no such seat"};
  if (seat.name.empty()) {
    seats_.erase(seat.seat);
    wipe(seat.seat);
    return std::nullopt;
  }
  Seat& place = seats_[seat.seat];
  if (place.name != seat.name) {
    place = {};
    wipe(seat.seat);
  }
  place.name = seat.name;
  const auto about = app::parse_video_about(seat.about);
  if (!about) {
    place.playback.reset();
    place.leaving.reset();
    wipe(seat.seat);
    return about.error();
  }
  auto clock = about->apart ? std::make_shared<media::PresentationClock>() : clocks_.of(seat.name);
  auto fresh = std::make_unique<WebPlayback>(about->rate, window_, std::move(clock));
  place.leaving = std::exchange(place.playback, std::move(fresh));
  return std::nullopt;
}

std::vector<int> PictureSeats::clear() {
  std::vector<int> numbers;
  for (const auto& entry : seats_) {
    numbers.push_back(entry.first);
    wipe(entry.first);
  }
  seats_.clear();
  return numbers;
}

void PictureSeats::wipe(int number) const {
  qvid_js_picture_wipe(static_cast<int>(viewer_), number);
}

void PictureSeats::on_message(int seat, std::uint64_t position, const Payload& data,
                              Timestamp now) {
  const auto it = seats_.find(seat);
  if (it != seats_.end() && it->second.playback) {
    it->second.playback->on_message(position, data, now);
  }
}

void PictureSeats::on_stood(Timestamp now) {
  for (auto& [number, seat] : seats_) {
    if (seat.leaving) seat.leaving->on_stood(now);
    if (seat.playback) seat.playback->on_stood(now);
  }
}

void PictureSeats::turn(Timestamp now) {
  for (auto& entry : seats_) {
    Seat& seat = entry.second;
    bool shown = false;
    const auto show = [&](media::ShownPicture&& picture) {
      shown = true;
      draw(entry.first, picture);
    };
    if (seat.leaving) seat.leaving->turn(now, show);
    shown = false;
    if (seat.playback) seat.playback->turn(now, show);
    if (shown) seat.leaving.reset();
  }
}

void PictureSeats::draw(int number, const media::ShownPicture& picture) const {
  const media::DecodedFrame& decoded = picture.decoded;
  qvid_js_picture_show(static_cast<int>(viewer_), number,
                       *static_cast<const int*>(decoded.picture.owner.get()), decoded.nominal.width,
                       decoded.nominal.height);
}

bool PictureSeats::on_decoded(int ticket, std::optional<int> picture, media::PictureSize size,
                              Timestamp now) {
  return std::ranges::any_of(seats_, [&](auto& entry) {
    Seat& seat = entry.second;
    return (seat.playback && seat.playback->on_decoded(ticket, picture, size, now)) ||
           (seat.leaving && seat.leaving->on_decoded(ticket, picture, size, now));
  });
}

std::int64_t PictureSeats::decode_errors(Timestamp now) const {
  std::int64_t errors = 0;
  for (const auto& [number, seat] : seats_) {
    if (seat.playback) errors += seat.playback->stats(now).decode_errors;
  }
  return errors;
}

Duration PictureSeats::held(Timestamp now) const {
  Duration longest{};
  for (const auto& [number, seat] : seats_) {
    if (seat.playback) longest = std::max(longest, seat.playback->stats(now).playout);
  }
  return longest;
}

void PictureSeats::tick(Timestamp now) {
  for (auto& [number, seat] : seats_) {
    if (!seat.playback) continue;
    const media::PlaybackStats stats = seat.playback->stats(now);
    seat.meter.add({now, stats.frames_shown, stats.frames_lost, stats.shown_full});
  }
}

void PictureSeats::add_to(nlohmann::json& list, Timestamp now) const {
  for (const auto& [number, seat] : seats_) {
    nlohmann::json entry = {{"viewer", viewer_}, {"seat", number}, {"name", printable(seat.name)}};
    if (seat.playback) {
      const media::PlaybackStats stats = seat.playback->stats(now);
      entry["shown"] = stats.frames_shown;
      entry["full"] = stats.shown_full;
      entry["lost"] = stats.frames_lost;
      entry["errors"] = stats.decode_errors;
      entry["failure"] = seat.playback->last_failure();
      entry["freezes"] = stats.freezes;
      entry["fps"] = stats.recent_fps;
      entry["kbps"] = stats.recent_kbps;
      entry["delay_ms"] = in_ms(stats.delay);
      entry["playout_ms"] = in_ms(stats.playout);
      entry["link"] = link_json(seat.meter.picture());
      if (stats.sync_error) entry["sync_ms"] = in_ms(*stats.sync_error);
    }
    list.push_back(std::move(entry));
  }
}

}  // namespace qvid::web
