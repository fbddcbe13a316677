// What a RoomParty shares beside its camera: a track of pictures of its own, which the transport
// sends fairly beside the other (transport/send/send_queue.h).
#include <algorithm>
#include <utility>

#include "app/room/room_party.h"
#include "base/clock.h"
#include "media/sound/sound_rate.h"

namespace qvid::app {

void RoomParty::set_share(std::optional<media::LiveInOptions> share) {
  share_.set(std::move(share));
  note_share();
}

void RoomParty::freeze_share(bool on) { share_.freeze(on); }

void RoomParty::note_share() {
  {
    const std::lock_guard lock(mutex_);
    report_.shares = share_.active();
  }
  callbacks_.changed();
}

std::vector<RoomPublisher*> RoomParty::publishers() const {
  std::vector<RoomPublisher*> all{source_.publisher(), share_.publisher()};
  std::erase(all, nullptr);
  return all;
}

RoomPublisher* RoomParty::publisher_of(const std::string& track) const {
  if (track == kPictureTrack) return source_.publisher();
  return track == kShareTrack ? share_.publisher() : nullptr;
}

// Whoever shares is shown, whatever the criteria say of faces.
qps::Watch RoomParty::share_watch() const {
  const bool named = !options_.names.empty();
  return {.viewer = kShareViewer,
          .names = options_.names,
          .best = "",
          .seats = named ? static_cast<int>(options_.names.size()) : kShareSeats,
          .window = kFrameTime * options_.window,
          .track = kShareTrack};
}

// They have the path as they have used it of late, as a broker's seats have it (Broker::on_path_rate).
void RoomParty::on_path_rate(const paceline::PathRate& path) {
  const Timestamp now = steady_now();
  const std::vector<RoomPublisher*> all = publishers();
  ByteCount offered;
  for (const RoomPublisher* publisher : all) offered += publisher->offered(now);
  for (RoomPublisher* publisher : all) {
    const double part = all.size() == 1 ? 1
                        : offered == ByteCount()
                            ? 1 / static_cast<double>(all.size())
                            : static_cast<double>(publisher->offered(now).value()) /
                                  static_cast<double>(offered.value());
    if (part > 0) publisher->on_path_rate({path.rate * part, path.reason});
  }
}

// What the path takes of pictures, for the sound beside them; zero: not known.
DataRate RoomParty::picture_path() const {
  DataRate limited;
  bool any = false;
  for (const RoomPublisher* publisher : publishers()) {
    any = any || publisher->path() == media::kAnySound;
    if (publisher->path() != media::kAnySound) limited = limited + publisher->path();
  }
  return limited == DataRate() && any ? media::kAnySound : limited;
}

}  // namespace qvid::app
