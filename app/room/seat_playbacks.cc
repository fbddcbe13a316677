#include "app/room/seat_playbacks.h"

#include <algorithm>
#include <utility>

#include "app/log/log.h"
#include "app/protocol/video_about.h"
#include "base/clock.h"
#include "base/text.h"

namespace qvid::app {

SeatPlaybacks::SeatPlaybacks(const char* what, int window, media::PlayoutMode playout,
                             media::DecoderMaker decoders, PresentationClocks& clocks,
                             OnPicture on_picture)
    : what_(what),
      window_(window),
      playout_(playout),
      decoders_(std::move(decoders)),
      clocks_(clocks),
      on_picture_(std::move(on_picture)) {}

// Playbacks show what they have until they end, and look at seats meanwhile: those go after them.
SeatPlaybacks::~SeatPlaybacks() {
  Ending ending;
  const std::lock_guard lock(mutex_);
  for (auto& [number, seat] : seats_) empty(seat, ending);
  for (auto& left : left_) ending.push_back(std::move(left));
  left_.clear();
}

void SeatPlaybacks::show(const qps::Seat& seat) {
  Ending ending;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++seats_[seat.seat].newest;
  }
  auto fresh = !seat.name.empty() ? make_playback(seat, number) : nullptr;
  const std::lock_guard lock(mutex_);
  Seat& place = seats_[seat.seat];
  note_end(place);
  if (fresh) {
    ending.push_back(std::exchange(place.leaving, std::exchange(place.playback, std::move(fresh))));
  } else {
    empty(place, ending);
  }
  if (!place.name.empty() && !seat.name.empty()) ++place.switches;
  place.name = seat.name;
}

void SeatPlaybacks::clear() {
  Ending ending;
  const std::lock_guard lock(mutex_);
  for (auto& [number, seat] : seats_) {
    note_end(seat);
    ++seat.newest;
    empty(seat, ending);
    seat.name.clear();
  }
}

void SeatPlaybacks::on_message(int seat, std::uint64_t position, const Payload& data,
                               Timestamp now) {
  LiveReception* playback = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto it = seats_.find(seat);
    if (it != seats_.end()) playback = it->second.playback.get();
  }
  // Only this thread replaces it.
  if (playback != nullptr) playback->on_picture(position, data, now);
}

void SeatPlaybacks::tidy() {
  Ending ending;
  const std::lock_guard lock(mutex_);
  ending.swap(left_);
}

std::int64_t SeatPlaybacks::decode_errors() const {
  const std::lock_guard lock(mutex_);
  std::int64_t errors = 0;
  for (const auto& [number, seat] : seats_) {
    if (seat.playback) errors += seat.playback->report().playback.decode_errors;
  }
  return errors;
}

Duration SeatPlaybacks::held() const {
  const std::lock_guard lock(mutex_);
  Duration longest{};
  for (const auto& [number, seat] : seats_) {
    if (seat.playback) longest = std::max(longest, seat.playback->report().playback.playout);
  }
  return longest;
}

void SeatPlaybacks::add_to(std::vector<SeatReport>& seats, SeenReports& seen) const {
  const std::lock_guard lock(mutex_);
  seen = seen_;
  for (const auto& [number, seat] : seats_) {
    SeatReport report{.seat = number,
                      .name = seat.name,
                      .playback = {},
                      .switches = seat.switches,
                      .longest_switch = seat.longest_switch};
    add_seen(seat, seen);
    if (seat.playback) report.playback = seat.playback->report().playback;
    report.playback.frames_shown += seat.shown_before;
    seats.push_back(std::move(report));
  }
}

std::unique_ptr<LiveReception> SeatPlaybacks::make_playback(const qps::Seat& seat,
                                                            std::uint64_t number) {
  const auto about = parse_video_about(seat.about);
  if (!about) {
    log_warning("{}: {}", printable(seat.name), about.error().message);
    return nullptr;
  }
  auto on_picture = [this, at = seat.seat, name = seat.name, number,
                     first = true](media::ShownPicture picture) mutable {
    if (!note_picture(at, number)) return;
    if (std::exchange(first, false)) {
      log_info("first picture of {} {}: '{}'", what_, at, printable(name));
    }
    on_picture_(at, name, std::move(picture));
  };
  auto reception = std::make_unique<LiveReception>(LiveReceptionOptions{
      .on_picture = std::move(on_picture),
      .extras = {.playout = playout_,
                 .presentation = about->apart ? std::make_shared<media::PresentationClock>()
                                              : clocks_.of(seat.name)},
      .decoders = decoders_});
  const auto error = reception->begin(
      {.picture = PictureFormat{.rate = about->rate, .codec = about->codec, .window = window_}});
  if (!error) return reception;
  log_warning("{}: {}", printable(seat.name), error->message);
  return nullptr;
}

// On a decode thread. False: a newer one has taken the seat.
bool SeatPlaybacks::note_picture(int seat, std::uint64_t number) {
  const Timestamp now = steady_now();
  const std::lock_guard lock(mutex_);
  Seat& place = seats_[seat];
  if (number < place.shown) return false;
  if (number > place.shown) {
    if (place.last_picture) {
      place.longest_switch = std::max(place.longest_switch, now - *place.last_picture);
    }
    place.shown = number;
    // Ended by tidy(): not here, with the lock that it may want.
    if (place.leaving) left_.push_back(std::move(place.leaving));
  }
  place.last_picture = now;
  return true;
}

// Its playback will be another, or none.
void SeatPlaybacks::note_end(Seat& seat) {
  if (seat.playback) seat.shown_before += seat.playback->report().playback.frames_shown;
  add_seen(seat, seen_);
}

// Nothing of what its playbacks still have is shown.
void SeatPlaybacks::empty(Seat& seat, Ending& ending) {
  ending.push_back(std::move(seat.playback));
  ending.push_back(std::move(seat.leaving));
  seat.shown = seat.newest;
  seat.last_picture.reset();
}

void SeatPlaybacks::add_seen(const Seat& seat, SeenReports& seen) {
  if (!seat.playback || (seen.size() >= kMostSeen && !seen.contains(seat.name))) return;
  const media::PlaybackStats stats = seat.playback->report().playback;
  SeenReport& sum = seen[seat.name];
  sum.shown += stats.frames_shown;
  sum.lost += stats.frames_lost;
  sum.full += stats.shown_full;
  sum.longest_gap = std::max(sum.longest_gap, stats.longest_gap);
}

}  // namespace qvid::app
