#include "app/protocol/play_protocol.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/options/url.h"
#include "app/protocol/rate_field.h"
#include "media/live/live_timeline.h"
#include "pubsub/wire/json_fields.h"

namespace qvid::app {
namespace {

using nlohmann::json;
using qps::flag_field;
using qps::integer_field;
using qps::parse_object;
using qps::shortened;
using qps::stream_field;
using qps::string_field;
using qps::text_field;

static_assert(kMaxControlMessage == qps::kMaxControlMessage);
constexpr std::int64_t kMostPixels = 1 << 20;
// Of the entries of a list: what is around them fits in the rest.
constexpr std::size_t kMaxFilesText = qps::kMaxControlMessage - 256;

// Places and durations travel as whole milliseconds.
std::optional<Duration> time_field(const json& object, const char* key) {
  static constexpr std::int64_t kMost =
      std::chrono::duration_cast<std::chrono::milliseconds>(kMaxPlace).count();
  const auto ms = integer_field(object, key, 0, kMost);
  if (!ms) return std::nullopt;
  return std::chrono::milliseconds(*ms);
}
std::int64_t to_wire(Duration d) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
}

std::optional<int> window_field(const json& object) {
  const auto window = integer_field(object, "window", media::kMinWindow, media::kMaxWindow);
  if (!window) return std::nullopt;
  return static_cast<int>(*window);
}

std::optional<ClientMessage> parse_play(const json& object) {
  const auto name = string_field(object, "name");
  const auto window = window_field(object);
  if (!name || name->size() > kMaxName || !window) return std::nullopt;
  PlayRequest request{.name = *name, .window = *window};
  if (object.contains("prefer")) {
    const auto word = string_field(object, "prefer");
    const auto prefer = word ? media::parse_preference(*word) : std::nullopt;
    if (!prefer) return std::nullopt;
    request.prefer = *prefer;
  }
  if (object.contains("start_ms")) {
    const auto start = time_field(object, "start_ms");
    if (!start) return std::nullopt;
    request.start = *start;
  }
  return request;
}

std::optional<ClientMessage> parse_position(const json& object) {
  const auto at = time_field(object, "at_ms");
  const auto buffered = time_field(object, "buffered_ms");
  const auto running = flag_field(object, "running");
  if (!at || !buffered || !running) return std::nullopt;
  return PlayerPosition{.at = *at, .buffered = *buffered, .running = *running};
}

std::optional<ClientMessage> parse_client(const json& object) {
  const auto type = string_field(object, "type");
  if (type == "play") return parse_play(object);
  if (type == "position") return parse_position(object);
  if (type == "pause") return Pause{};
  if (type == "resume") return Resume{};
  if (type == "window") {
    if (const auto window = window_field(object)) return SetWindow{*window};
  } else if (type == "sound") {
    const auto on = flag_field(object, "on");
    const auto window = time_field(object, "window_ms");
    if (on && window && *window <= kMaxSoundWindow) return SoundWanted{*on, *window};
  } else if (type == "seek") {
    if (const auto to = time_field(object, "to_ms")) return Seek{*to};
  } else if (type == "list") {
    const auto after = string_field(object, "after");
    if (after && after->size() <= kMaxName) return ListRequest{*after};
  }
  return std::nullopt;
}

std::optional<ServerMessage> parse_playing(const json& object) {
  const auto codec = text_field(object, "codec");
  const auto rate = rate_field(object);
  const auto window = window_field(object);
  const auto stream = stream_field(object);
  if (!codec || !rate || !window || !stream) return std::nullopt;
  Playing playing{.codec = *codec,
                  .rate = *rate,
                  .window = *window,
                  .stream = *stream,
                  .sound = {},
                  .stored = {}};
  if (object.contains("sound")) {
    playing.sound = stream_field(object, "sound");
    if (!playing.sound) return std::nullopt;
  }
  if (object.contains("duration_ms")) {
    const auto duration = time_field(object, "duration_ms");
    const auto at = time_field(object, "at_ms");
    if (!duration || !at) return std::nullopt;
    playing.stored = Playing::Stored{.duration = *duration, .at = *at};
  }
  return playing;
}

std::optional<ServerMessage> parse_moved(const json& object) {
  const auto stream = stream_field(object);
  const auto at = time_field(object, "at_ms");
  const auto to = time_field(object, "to_ms");
  if (!stream || !at || !to) return std::nullopt;
  Moved moved{.stream = *stream, .sound = {}, .at = *at, .to = *to};
  if (object.contains("sound")) {
    moved.sound = stream_field(object, "sound");
    if (!moved.sound) return std::nullopt;
  }
  return moved;
}

std::optional<ListedFile> parse_file(const json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto name = string_field(object, "name");
  const auto size = integer_field(object, "size", 0, std::numeric_limits<std::int64_t>::max());
  const auto duration = time_field(object, "duration_ms");
  const auto width = integer_field(object, "width", 0, kMostPixels);
  const auto height = integer_field(object, "height", 0, kMostPixels);
  const auto prepared = flag_field(object, "prepared");
  if (!name || name->size() > kMaxName || !size || !duration || !width || !height || !prepared) {
    return std::nullopt;
  }
  return ListedFile{.name = *name,
                    .size = *size,
                    .duration = *duration,
                    .width = static_cast<int>(*width),
                    .height = static_cast<int>(*height),
                    .prepared = *prepared};
}

std::optional<ServerMessage> parse_files(const json& object) {
  const auto list = object.find("files");
  const auto more = flag_field(object, "more");
  if (list == object.end() || !list->is_array() || list->size() > kMaxListed || !more) {
    return std::nullopt;
  }
  Files files{.files = {}, .more = *more};
  for (const json& entry : *list) {
    auto file = parse_file(entry);
    if (!file) return std::nullopt;
    files.files.push_back(*std::move(file));
  }
  return files;
}

std::optional<ServerMessage> parse_server(const json& object) {
  const auto type = string_field(object, "type");
  if (type == "playing") return parse_playing(object);
  if (type == "moved") return parse_moved(object);
  if (type == "files") return parse_files(object);
  if (type == "status") {
    const auto ok = flag_field(object, "ok");
    const auto status = text_field(object, "text");
    if (ok && status) return Status{.ok = *ok, .text = *status};
  } else if (type == "refused") {
    if (auto reason = text_field(object, "reason")) return Refused{*std::move(reason)};
  } else if (type == "limited") {
    if (auto reason = text_field(object, "reason")) return Limited{*std::move(reason)};
  } else if (type == "ended") {
    if (auto reason = text_field(object, "reason")) return Ended{*std::move(reason)};
  }
  return std::nullopt;
}

struct ClientJson {
  json operator()(const PlayRequest& m) const {
    json object{{"type", "play"}, {"name", m.name}, {"window", m.window}};
    if (m.start != Duration::zero()) object["start_ms"] = to_wire(m.start);
    if (m.prefer != media::Preference::kMotion) object["prefer"] = media::name_of(m.prefer);
    return object;
  }
  json operator()(const ListRequest& m) const { return {{"type", "list"}, {"after", m.after}}; }
  json operator()(const Pause&) const { return {{"type", "pause"}}; }
  json operator()(const Resume&) const { return {{"type", "resume"}}; }
  json operator()(const SetWindow& m) const { return {{"type", "window"}, {"window", m.window}}; }
  json operator()(const SoundWanted& m) const {
    return {{"type", "sound"}, {"on", m.on}, {"window_ms", to_wire(m.window)}};
  }
  json operator()(const Seek& m) const { return {{"type", "seek"}, {"to_ms", to_wire(m.to)}}; }
  json operator()(const PlayerPosition& m) const {
    return {{"type", "position"},
            {"at_ms", to_wire(m.at)},
            {"buffered_ms", to_wire(m.buffered)},
            {"running", m.running}};
  }
};

struct ServerJson {
  json operator()(const Playing& m) const {
    json object{{"type", "playing"},
                {"codec", m.codec},
                {"rate", {m.rate.numerator, m.rate.denominator}},
                {"window", m.window},
                {"stream", m.stream}};
    if (m.sound) object["sound"] = *m.sound;
    if (m.stored) {
      object["duration_ms"] = to_wire(m.stored->duration);
      object["at_ms"] = to_wire(m.stored->at);
    }
    return object;
  }
  json operator()(const Moved& m) const {
    json object{{"type", "moved"},
                {"stream", m.stream},
                {"at_ms", to_wire(m.at)},
                {"to_ms", to_wire(m.to)}};
    if (m.sound) object["sound"] = *m.sound;
    return object;
  }
  json operator()(const Refused& m) const { return reason_of("refused", m.reason); }
  json operator()(const Status& m) const {
    return {{"type", "status"}, {"ok", m.ok}, {"text", shortened(m.text)}};
  }
  json operator()(const Limited& m) const { return reason_of("limited", m.reason); }
  json operator()(const Ended& m) const { return reason_of("ended", m.reason); }
  json operator()(const Files& m) const {
    json list = json::array();
    std::size_t size = 0;
    bool more = m.more;
    for (const ListedFile& f : m.files) {
      json entry{{"name", f.name},   {"size", f.size},     {"duration_ms", to_wire(f.duration)},
                 {"width", f.width}, {"height", f.height}, {"prepared", f.prepared}};
      size += qps::dump(entry).size() + 1;
      if (size > kMaxFilesText || list.size() == kMaxListed) {
        more = true;
        break;
      }
      list.push_back(std::move(entry));
    }
    return {{"type", "files"}, {"files", std::move(list)}, {"more", more}};
  }

 private:
  static json reason_of(const char* type, const std::string& reason) {
    return {{"type", type}, {"reason", shortened(reason)}};
  }
};

}  // namespace

std::string serialise(const ClientMessage& message) {
  return qps::dump(std::visit(ClientJson{}, message));
}

std::string serialise(const ServerMessage& message) {
  return qps::dump(std::visit(ServerJson{}, message));
}

Result<ClientMessage> parse_client_message(std::string_view text) {
  if (const auto object = parse_object(text)) {
    if (auto message = parse_client(*object)) return *std::move(message);
  }
  return Error{"no valid request of a player"};
}

Result<ServerMessage> parse_server_message(std::string_view text) {
  if (const auto object = parse_object(text)) {
    if (auto message = parse_server(*object)) return *std::move(message);
  }
  return Error{"no valid answer of a server"};
}

}  // namespace qvid::app
