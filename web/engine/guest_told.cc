// What the page is told of its room: who is there, and how it goes.
#include <algorithm>
#include <utility>

#include "app/reception/link_meter.h"
#include "app/room/room_tracks.h"
#include "base/text.h"
#include "pubsub/wire/json_fields.h"
#include "web/engine/events.h"
#include "web/engine/guest.h"
#include "web/engine/link_json.h"

namespace qvid::web {

void Guest::tell_members() {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& entry : members_) {
    const qps::Member& member = entry.second;
    const auto flag = [&](const char* key) {
      return qps::flag_field(member.attributes, key).value_or(false);
    };
    const auto has = [&](const char* track) {
      return std::ranges::find(member.tracks, track) != member.tracks.end();
    };
    list.push_back({{"name", printable(entry.first)},
                    {"picture", has(app::kPictureTrack)},
                    {"sound", has(app::kSoundTrack)},
                    {"share", has(app::kShareTrack)},
                    {"muted", flag("muted")},
                    {"speaking", flag("speaking")},
                    {"records", flag(qps::kRecording)},
                    {"held", std::ranges::find(member.held, app::kSoundTrack) != member.held.end()},
                    {"hand", member.hand}});
  }
  tell("members", {{"of", std::move(list)}, {"listed", listed_}});
}

void Guest::tell_report(Timestamp now) {
  nlohmann::json seats = nlohmann::json::array();
  pictures_.add_to(seats, now);
  shares_.add_to(seats, now);
  nlohmann::json heard = nlohmann::json::array();
  sound_.add_to(heard);
  nlohmann::json report = {
      {"joined", joined_at_.has_value()}, {"seats", std::move(seats)}, {"heard", std::move(heard)}};
  if (client_) {
    const paceline::SessionSignals signals = client_->signals();
    report.update(session_json(signals));
    report["bars"] = signals.interrupted ? 1 : app::bars_of_round_trip(signals.rtt);
    report["channels"] = signals.channels;
    report["queued"] = signals.queued.value();
    report["sent"] = {{"pictures", camera_.frames()},
                      {"enhancements", camera_.enhancements()},
                      {"kbps", camera_.rate().kbps()},
                      {"packets", voice_.packets()}};
    report["shared"] = {{"pictures", share_.frames()}, {"kbps", share_.rate().kbps()}};
  }
  tell("report", std::move(report));
}

}  // namespace qvid::web
