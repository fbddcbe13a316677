#include "app/command/recorded_seats.h"

#include <utility>

#include "app/log/log.h"
#include "app/options/member_file.h"
#include "app/protocol/video_about.h"
#include "base/text.h"
#include "media/sound/sound_packet.h"

namespace qvid::app {

RecordedSeats::RecordedSeats(RecordedSeatsOptions options, Callbacks callbacks)
    : options_(std::move(options)), callbacks_(std::move(callbacks)), wanted_(options_.who) {}

std::filesystem::path share_file(const std::filesystem::path& path) {
  std::set<std::filesystem::path> none;
  return member_file(path, "share", none);
}

void RecordedSeats::joined() {
  seats_.clear();
  heard_.clear();
}

void RecordedSeats::show(const qps::Seat& seat) {
  if (!options_.all && !seat.name.empty() && wanted_.empty()) choose(seat.name);
  auto& place = seats_[{seat.viewer, seat.seat}];
  place = nullptr;
  if (seat.name.empty()) return;
  // Whoever was recorded is gone, and may come back.
  if (!options_.all && seat.name != wanted_) return callbacks_.watch_only(wanted_);
  const auto about = parse_video_about(seat.about);
  if (!about || about->codec != "h264") {
    log_warning("{}: cannot be recorded: {}", printable(seat.name),
                about ? "it is coded as " + printable(about->codec) : about.error().message);
    return;
  }
  place = recording_of({.name = seat.name, .share = seat.viewer == kShareViewer});
  if (place == nullptr) return;
  const auto members = callbacks_.members();
  const auto member = members.find(seat.name);
  place->begin(about->rate, member != members.end() && member->second.voice.has_value());
}

// Null: there are too many.
media::Recording* RecordedSeats::recording_of(const RecordedTrack& track) {
  if (const auto it = recordings_.find(track); it != recordings_.end()) return it->second.get();
  if (recordings_.size() >= kMostTracks) {
    log_warning("'{}' is not recorded: {} tracks have been", printable(track.text()), kMostTracks);
    return nullptr;
  }
  const std::filesystem::path path = options_.all
                                         ? member_file(options_.output, track.text(), taken_)
                                     : track.share ? share_file(options_.output)
                                                   : options_.output;
  auto& recording = recordings_[track] = std::make_unique<media::Recording>(media::RecordingOptions{
      .path = path, .replace = options_.replace, .comment = callbacks_.comment()});
  log_info("recording '{}' to {}", printable(track.text()), printable(path.string()));
  return recording.get();
}

void RecordedSeats::choose(const std::string& name) {
  wanted_ = name;
  std::string others;
  for (const auto& [other, member] : callbacks_.members()) {
    if ((!member.picture && !member.shares) || other == name) continue;
    others += (others.empty() ? "" : ", ") + printable(other);
  }
  if (others.empty()) return;
  log_warning("recording '{}', who came first, and not {}: name whom you mean, or say --all",
              printable(name), others);
}

void RecordedSeats::on_picture(std::uint32_t viewer, int seat, std::uint64_t position,
                               const Payload& message, Timestamp) {
  const auto it = seats_.find({viewer, seat});
  if (it == seats_.end() || it->second == nullptr) return;
  if (!std::exchange(began_, true)) callbacks_.began();
  it->second->on_message(position, message);
}

void RecordedSeats::hear(const qps::Seat& seat) { heard_[seat.seat] = seat.name; }

void RecordedSeats::on_sound(int seat, std::uint64_t, const Payload& message, Timestamp) {
  const auto heard = heard_.find(seat);
  if (heard == heard_.end()) return;
  const auto packet = media::parse_sound_packet(message);
  if (!packet) return;
  for (const bool share : {false, true}) {
    const auto it = recordings_.find({.name = heard->second, .share = share});
    if (it != recordings_.end()) it->second->on_sound(*packet);
  }
}

}  // namespace qvid::app
