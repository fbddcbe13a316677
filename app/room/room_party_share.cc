// What a RoomParty shares beside its camera: a track of pictures of its own, which the transport
// sends fairly beside the other (transport/send/send_queue.h).
#include <algorithm>
#include <utility>

#include "app/room/path_parts.h"
#include "app/room/room_party.h"
#include "base/clock.h"
#include "media/sound/sound_rate.h"

namespace qvid::app {

void RoomParty::set_share(std::optional<media::LiveInOptions> share, bool with_sound) {
  options_.share_sound = with_sound;
  share_.set(std::move(share));
  note_share();
}

void RoomParty::freeze_share(bool on) {
  share_.freeze(on);
  note_share();
}

void RoomParty::note_share() {
  if (sound_ != nullptr) sound_->set_sharing(share_.active() && options_.share_sound);
  {
    const std::lock_guard lock(mutex_);
    report_.shares = share_.active();
    report_.share_frozen = share_.frozen();
  }
  callbacks_.changed();
}

std::vector<RoomPublisher*> RoomParty::publishers(SeatPlaces::Of of) const {
  const bool former = of == SeatPlaces::Of::kFormer;
  std::vector<RoomPublisher*> all{former ? source_.former() : source_.publisher(),
                                  former ? share_.former() : share_.publisher()};
  std::erase(all, nullptr);
  return all;
}

RoomPublisher* RoomParty::publisher_of(const std::string& track, int number) const {
  const auto of = membership(number);
  if (!of || (track != kPictureTrack && track != kShareTrack)) return nullptr;
  const RoomSource& source = track == kPictureTrack ? source_ : share_;
  return *of == SeatPlaces::Of::kFormer ? source.former() : source.publisher();
}

// Whoever shares is shown, whatever the criteria say of faces.
qps::Watch RoomParty::share_watch() const {
  const bool named = !options_.names.empty();
  return {.viewer = kShareViewer,
          .names = options_.names,
          .best = "",
          .seats = named              ? static_cast<int>(options_.names.size())
                   : options_.records ? options_.seats
                                      : kShareSeats,
          .window = watch_window(),
          .track = kShareTrack};
}

void RoomParty::on_path_rate(const paceline::PathRate& path, int number) {
  const auto of = membership(number);
  if (!of) return;
  std::vector<RoomPublisher*> all = publishers(*of);
  std::erase_if(all, [](const RoomPublisher* publisher) { return publisher->paused(); });
  tell_parts(all, path, steady_now());
}

// What the path takes of pictures, for the sound beside them; zero: not known. There is room for all
// sound where who sends most of them says so: a share that has just begun knows nothing yet, and one
// that stands still would say so of any path.
DataRate RoomParty::picture_path() const {
  const Timestamp now = steady_now();
  DataRate limited;
  ByteCount all;
  ByteCount of_who_has_room;
  bool room = false;
  for (const RoomPublisher* publisher : publishers()) {
    const ByteCount offered = publisher->offered(now);
    all += offered;
    if (publisher->path() == media::kAnySound) {
      room = true;
      of_who_has_room += offered;
    } else {
      limited = limited + publisher->path();
    }
  }
  return room && 2 * of_who_has_room.value() >= all.value() ? media::kAnySound : limited;
}

}  // namespace qvid::app
