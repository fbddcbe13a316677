// Whom a RoomParty watches, and what it says of how it shows them.
#include <utility>

#include "app/log/log.h"
#include "app/room/room_party.h"
#include "app/room/seat_criteria.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

constexpr Duration kFrameTime = std::chrono::milliseconds(34);  // what a window is counted in

}  // namespace

Duration RoomParty::watch_window() const { return kFrameTime * options_.window; }

void RoomParty::watch() {
  if (!options_.watches || !client_ || !client_->joined()) return;
  best_.told();
  watch_pictures();
  watch_sound();
  client_->watch(share_watch());
}

void RoomParty::watch_pictures() {
  if (!options_.watches || !client_ || !client_->joined()) return;
  preferred_.told();
  client_->watch({.viewer = kPictureViewer,
                  .names = options_.names,
                  .best = best_.current().empty() ? preferred_.current() : best_.current(),
                  .seats = options_.seats,
                  .window = watch_window()});
}

void RoomParty::watch_sound() {
  if (!options_.watches || !client_ || !client_->joined()) return;
  auto wanted = seats_.sound_watch({.names = options_.names,
                                    .best = best_.current(),
                                    .seats = options_.seats,
                                    .window = watch_window()});
  if (!wanted) return;
  wanted->viewer = kSoundViewer;
  wanted->track = kSoundTrack;
  if (sound_watch_ == wanted) return;
  sound_watch_ = wanted;
  client_->watch(*wanted);
}

void RoomParty::set_names(std::vector<std::string> names) {
  options_.names = std::move(names);
  watch();
}

void RoomParty::set_best(std::string best) {
  if (best.size() > qps::kMaxCriterion) {
    return callbacks_.notice(
        ui::filled(ui::tr("criteria refused: they have more than {} bytes"), qps::kMaxCriterion));
  }
  if (!ended_) best_.want(std::move(best));
}

void RoomParty::prefer(const std::vector<std::string>& names) {
  if (!ended_ && options_.names.empty()) preferred_.want(criteria_for(names));
}

void RoomParty::on_not_watched(const qps::NotWatched& refused) {
  if (refused.viewer == kPictureViewer) {
    best_.refused();
    preferred_.refused();
  }
  log_warning("viewer {} refused: {}", refused.viewer, refused.reason);
  callbacks_.notice(ui::filled(refused.viewer == kShareViewer
                                   ? ui::tr("what others share is not shown: {}")
                                   : ui::tr("criteria refused: {}"),
                               refused.reason));
}

void RoomParty::show_heights(const ShownHeights& heights) {
  if (std::exchange(shown_heights_, heights) == heights) return;
  if (client_ && client_->joined()) {
    client_->set_attributes({{kHeightsAttribute, heights.attribute()}});
  }
}

}  // namespace qvid::app
