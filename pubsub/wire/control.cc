#include "pubsub/wire/control.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "pubsub/wire/json_fields.h"

namespace qps {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxRate = 100'000'000'000;  // bit/s

bool within_depth(const json& value, int levels) {
  if (!value.is_structured()) return true;
  if (levels == 0) return false;
  return std::ranges::all_of(value, [&](const json& v) { return within_depth(v, levels - 1); });
}

std::optional<std::string> name_field(const json& object, const char* key) {
  auto name = string_field(object, key, kMaxName);
  if (!name || !is_name(*name)) return std::nullopt;
  return name;
}

std::optional<json> attributes_field(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !are_attributes(*it)) return std::nullopt;
  return *it;
}

std::optional<std::uint32_t> viewer_field(const json& object) {
  const auto viewer = integer_field(object, "viewer", 0, kMaxViewer);
  if (!viewer) return std::nullopt;
  return static_cast<std::uint32_t>(*viewer);
}

// Where it is missing: the default one.
std::optional<std::string> track_field(const json& object) {
  if (!object.contains("track")) return std::string();
  auto track = string_field(object, "track", kMaxTrack);
  if (!track || !is_track(*track)) return std::nullopt;
  return track;
}

// Those that a member publishes, each once.
std::optional<std::vector<std::string>> tracks_field(const json& object, bool publishes) {
  std::vector<std::string> tracks;
  const auto field = object.find("tracks");
  if (field == object.end()) {
    if (publishes) tracks.emplace_back();
    return tracks;
  }
  if (!field->is_array() || field->empty() == publishes || field->size() > kMaxTracks) {
    return std::nullopt;
  }
  for (const json& track : *field) {
    if (!track.is_string()) return std::nullopt;
    auto name = track.get<std::string>();
    if (!is_track(name) || std::ranges::find(tracks, name) != tracks.end()) return std::nullopt;
    tracks.push_back(std::move(name));
  }
  return tracks;
}

std::optional<qvid::DataRate> rate_field(const json& object, const char* key) {
  const auto rate = integer_field(object, key, 0, kMaxRate);
  if (!rate) return std::nullopt;
  return qvid::DataRate::from_bps(*rate);
}

std::optional<ToBroker> parse_join(const json& object) {
  auto room = name_field(object, "room");
  auto name = name_field(object, "name");
  auto attributes = attributes_field(object, "attributes");
  auto token = object.contains("token") ? string_field(object, "token", kMaxToken)
                                        : std::optional<std::string>("");
  if (!room || !name || !attributes || !token) return std::nullopt;
  return Join{.room = *std::move(room),
              .name = *std::move(name),
              .token = *std::move(token),
              .attributes = *std::move(attributes)};
}

std::optional<ToBroker> parse_watch(const json& object) {
  const auto viewer = viewer_field(object);
  const auto window =
      integer_field(object, "window_ms", 0,
                    std::chrono::duration_cast<std::chrono::milliseconds>(kMaxWindow).count());
  auto track = track_field(object);
  if (!viewer || !window || !track || object.contains("names") == object.contains("best")) {
    return std::nullopt;
  }
  Watch watch{.viewer = *viewer,
              .names = {},
              .best = {},
              .seats = 1,
              .window = std::chrono::milliseconds(*window),
              .track = *std::move(track)};
  if (const auto names = object.find("names"); names != object.end()) {
    if (!names->is_array() || names->empty() || names->size() > kMaxSeats) {
      return std::nullopt;
    }
    for (const json& name : *names) {
      if (!name.is_string()) return std::nullopt;
      watch.names.push_back(name.get<std::string>());
      if (!is_name(watch.names.back())) return std::nullopt;
    }
    watch.seats = static_cast<int>(watch.names.size());
    return watch;
  }
  auto best = string_field(object, "best", kMaxCriterion);
  const auto seats = integer_field(object, "seats", 1, kMaxSeats);
  if (!best || !seats) return std::nullopt;
  watch.best = *std::move(best);
  watch.seats = static_cast<int>(*seats);
  return watch;
}

constexpr std::array<std::pair<AdminAction, std::string_view>, 3> kActions{
    {{AdminAction::kRooms, "rooms"}, {AdminAction::kStats, "stats"}, {AdminAction::kKick, "kick"}}};

std::string_view name_of(AdminAction action) {
  return std::ranges::find(kActions, action, [](const auto& a) { return a.first; })->second;
}

std::optional<AdminAction> action_field(const json& object) {
  const auto name = string_field(object, "do");
  if (!name) return std::nullopt;
  const auto* it = std::ranges::find(kActions, *name, [](const auto& a) { return a.second; });
  if (it == kActions.end()) return std::nullopt;
  return it->first;
}

// A field that may be missing: then it is empty.
bool read_text(const json& object, const char* key, std::size_t longest, std::string& text) {
  if (!object.contains(key)) return true;
  auto field = string_field(object, key, longest);
  if (!field) return false;
  text = *std::move(field);
  return true;
}

std::optional<ToBroker> parse_admin(const json& object) {
  const auto action = action_field(object);
  if (!action) return std::nullopt;
  Admin admin;
  admin.action = *action;
  if (!read_text(object, "token", kMaxToken, admin.token) ||
      !read_text(object, "room", kMaxName, admin.room) ||
      !read_text(object, "name", kMaxName, admin.name) ||
      !read_text(object, "reason", kMaxReason, admin.reason) ||
      !read_text(object, "after", kMaxName, admin.after)) {
    return std::nullopt;
  }
  if (*action == AdminAction::kKick && (!is_name(admin.room) || !is_name(admin.name))) {
    return std::nullopt;
  }
  admin.reason = qvid::printable(std::move(admin.reason));
  return admin;
}

std::optional<ToBroker> parse_client(const json& object) {
  const auto type = string_field(object, "type");
  if (type == "admin") return parse_admin(object);
  if (type == "join") return parse_join(object);
  if (type == "watch") return parse_watch(object);
  if (type == "unpublish") {
    if (auto track = track_field(object)) return Unpublish{*std::move(track)};
    return std::nullopt;
  }
  if (type == "attributes") {
    if (auto set = attributes_field(object, "set")) return SetAttributes{*std::move(set)};
    return std::nullopt;
  }
  if (type == "publish") {
    const auto stream = stream_field(object);
    auto about = string_field(object, "about", kMaxAbout);
    auto track = track_field(object);
    if (!stream || !about || !track) return std::nullopt;
    return Publish{.stream = *stream, .about = *std::move(about), .track = *std::move(track)};
  }
  const auto viewer = viewer_field(object);
  if (!viewer) return std::nullopt;
  if (type == "pause") return PauseViewer{*viewer};
  if (type == "resume") return ResumeViewer{*viewer};
  if (type == "unwatch") return Unwatch{*viewer};
  return std::nullopt;
}

std::optional<FromBroker> parse_seat(const json& object) {
  const auto viewer = viewer_field(object);
  const auto seat = integer_field(object, "seat", 0, kMaxSeats - 1);
  auto name = string_field(object, "name", kMaxName);
  const auto stream = stream_field(object);
  auto about = string_field(object, "about", kMaxAbout);
  if (!viewer || !seat || !name || !stream || !about) return std::nullopt;
  if (!name->empty() && !is_name(*name)) return std::nullopt;
  return Seat{.viewer = *viewer,
              .seat = static_cast<int>(*seat),
              .name = *std::move(name),
              .stream = *stream,
              .about = *std::move(about)};
}

std::optional<FromBroker> parse_member(const json& object) {
  auto name = name_field(object, "name");
  const auto publishes = flag_field(object, "publishes");
  auto attributes = attributes_field(object, "attributes");
  if (!name || !publishes || !attributes) return std::nullopt;
  auto tracks = tracks_field(object, *publishes);
  if (!tracks) return std::nullopt;
  return Member{
      .name = *std::move(name), .attributes = *std::move(attributes), .tracks = *std::move(tracks)};
}

// What a publisher is told of one of its tracks.
std::optional<FromBroker> parse_to_publisher(std::string_view type, const json& object) {
  auto track = track_field(object);
  if (!track) return std::nullopt;
  if (type == "begin") return Begin{*std::move(track)};
  if (type == "wanted") {
    const auto on = flag_field(object, "on");
    if (!on) return std::nullopt;
    return Wanted{.on = *on, .track = *std::move(track)};
  }
  const auto most = rate_field(object, "most");
  const auto least = rate_field(object, "least");
  if (!most || !least) return std::nullopt;
  return Demand{.most = *most, .least = *least, .track = *std::move(track)};
}

std::optional<FromBroker> parse_answer(const json& object) {
  const auto action = action_field(object);
  if (!action) return std::nullopt;
  Answer answer{.action = *action, .error = {}};
  if (object.contains("error")) {
    auto error = text_field(object, "error");
    if (!error || error->empty()) return std::nullopt;
    answer.error = *std::move(error);
    return answer;
  }
  const auto data = object.find("data");
  if (data == object.end() || !data->is_object() || !within_depth(*data, kMaxAttributeDepth)) {
    return std::nullopt;
  }
  answer.data = *data;
  return answer;
}

std::optional<FromBroker> parse_broker(const json& object) {
  const auto type = string_field(object, "type");
  if (type == "seat") return parse_seat(object);
  if (type == "listed") return Listed{};
  if (type == "member") return parse_member(object);
  if (type == "wanted" || type == "begin" || type == "demand") {
    return parse_to_publisher(*type, object);
  }
  if (type == "answer") return parse_answer(object);
  if (type == "joined") {
    auto room = name_field(object, "room");
    auto name = name_field(object, "name");
    if (room && name) return Joined{.room = *std::move(room), .name = *std::move(name)};
  } else if (type == "left") {
    auto name = name_field(object, "name");
    auto reason = text_field(object, "reason");
    if (name && reason) return Left{.name = *std::move(name), .reason = *std::move(reason)};
  } else if (type == "not_watched") {
    const auto viewer = viewer_field(object);
    auto reason = text_field(object, "reason");
    if (viewer && reason) return NotWatched{.viewer = *viewer, .reason = *std::move(reason)};
  } else if (type == "refused") {
    if (auto reason = text_field(object, "reason")) return JoinRefused{*std::move(reason)};
  } else if (type == "moving") {
    if (auto reason = text_field(object, "reason")) return Moving{*std::move(reason)};
  } else if (type == "removed") {
    if (auto reason = text_field(object, "reason")) return Removed{*std::move(reason)};
  }
  return std::nullopt;
}

json of_viewer(const char* type, std::uint32_t viewer) {
  return {{"type", type}, {"viewer", viewer}};
}

json with_track(json object, const std::string& track) {
  if (!track.empty()) object["track"] = track;
  return object;
}

struct ToBrokerJson {
  json operator()(const Join& m) const {
    json object{{"type", "join"}, {"room", m.room}, {"name", m.name}, {"attributes", m.attributes}};
    if (!m.token.empty()) object["token"] = m.token;
    return object;
  }
  json operator()(const SetAttributes& m) const { return {{"type", "attributes"}, {"set", m.set}}; }
  json operator()(const Publish& m) const {
    return with_track({{"type", "publish"}, {"stream", m.stream}, {"about", m.about}}, m.track);
  }
  json operator()(const Unpublish& m) const { return with_track({{"type", "unpublish"}}, m.track); }
  json operator()(const Watch& m) const {
    json object = with_track(of_viewer("watch", m.viewer), m.track);
    object["window_ms"] = std::chrono::duration_cast<std::chrono::milliseconds>(m.window).count();
    if (m.names.empty()) {
      object["best"] = m.best;
      object["seats"] = m.seats;
    } else {
      object["names"] = m.names;
    }
    return object;
  }
  json operator()(const PauseViewer& m) const { return of_viewer("pause", m.viewer); }
  json operator()(const ResumeViewer& m) const { return of_viewer("resume", m.viewer); }
  json operator()(const Unwatch& m) const { return of_viewer("unwatch", m.viewer); }
  json operator()(const Admin& m) const {
    json object{{"type", "admin"}, {"do", name_of(m.action)}};
    const auto add = [&](const char* key, const std::string& text) {
      if (!text.empty()) object[key] = text;
    };
    add("token", m.token);
    add("room", m.room);
    add("name", m.name);
    add("reason", m.reason);
    add("after", m.after);
    return object;
  }
};

struct FromBrokerJson {
  json operator()(const Joined& m) const {
    return {{"type", "joined"}, {"room", m.room}, {"name", m.name}};
  }
  json operator()(const Member& m) const {
    return {{"type", "member"},
            {"name", m.name},
            {"publishes", m.publishes()},
            {"tracks", m.tracks},
            {"attributes", m.attributes}};
  }
  json operator()(const Listed&) const { return {{"type", "listed"}}; }
  json operator()(const Left& m) const {
    return {{"type", "left"}, {"name", m.name}, {"reason", shortened(m.reason)}};
  }
  json operator()(const Seat& m) const {
    json object = of_viewer("seat", m.viewer);
    object["seat"] = m.seat;
    object["name"] = m.name;
    object["stream"] = m.stream;
    object["about"] = m.about;
    return object;
  }
  json operator()(const NotWatched& m) const {
    json object = of_viewer("not_watched", m.viewer);
    object["reason"] = shortened(m.reason);
    return object;
  }
  json operator()(const Wanted& m) const {
    return with_track({{"type", "wanted"}, {"on", m.on}}, m.track);
  }
  json operator()(const Begin& m) const { return with_track({{"type", "begin"}}, m.track); }
  json operator()(const Demand& m) const {
    return with_track({{"type", "demand"}, {"most", m.most.bps()}, {"least", m.least.bps()}},
                      m.track);
  }
  json operator()(const JoinRefused& m) const {
    return {{"type", "refused"}, {"reason", shortened(m.reason)}};
  }
  json operator()(const Moving& m) const {
    return {{"type", "moving"}, {"reason", shortened(m.reason)}};
  }
  json operator()(const Removed& m) const {
    return {{"type", "removed"}, {"reason", shortened(m.reason)}};
  }
  json operator()(const Answer& m) const {
    json object{{"type", "answer"}, {"do", name_of(m.action)}};
    if (m.error.empty()) {
      object["data"] = m.data;
    } else {
      object["error"] = shortened(m.error);
    }
    return object;
  }
};

}  // namespace

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxName || text.front() == ' ' || text.back() == ' ') {
    return false;
  }
  const bool plain = std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return plain;
}

bool is_track(std::string_view text) {
  return text.size() <= kMaxTrack && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

bool are_attributes(const json& value) {
  return value.is_object() && within_depth(value, kMaxAttributeDepth) &&
         dump(value).size() <= kMaxAttributes;
}

std::string serialise(const ToBroker& message) { return dump(std::visit(ToBrokerJson{}, message)); }
std::string serialise(const FromBroker& message) {
  return dump(std::visit(FromBrokerJson{}, message));
}

qvid::Result<ToBroker> parse_to_broker(std::string_view text) {
  if (const auto object = parse_object(text)) {
    if (auto message = parse_client(*object)) return *std::move(message);
  }
  return qvid::Error{"no valid request to a broker"};
}

qvid::Result<FromBroker> parse_from_broker(std::string_view text) {
  if (const auto object = parse_object(text)) {
    if (auto message = parse_broker(*object)) return *std::move(message);
  }
  return qvid::Error{"no valid answer of a broker"};
}

}  // namespace qps
