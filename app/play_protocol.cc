#include "app/play_protocol.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/url.h"
#include "base/text.h"
#include "media/live_timeline.h"

namespace qvid::app {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxText = 4096;
// What is written: a byte that is no UTF-8 becomes three.
constexpr std::size_t kMaxWrittenText = kMaxText / 3;
constexpr int kMaxFramesPerSecond = 240;

std::optional<json> parse_object(std::string_view text) {
  if (text.size() > kMaxControlMessage) return std::nullopt;
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) return std::nullopt;
  return value;
}

// Empty: missing, no string, or too long.
std::optional<std::string> string_field(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_string()) return std::nullopt;
  auto text = it->get<std::string>();
  if (text.size() > kMaxText) return std::nullopt;
  return text;
}

// The same, to be shown to a person.
std::optional<std::string> text_field(const json& object, const char* key) {
  auto text = string_field(object, key);
  if (text) text = printable(std::move(*text));
  return text;
}

std::optional<std::int64_t> integer(const json& value, std::int64_t low, std::int64_t high) {
  if (!value.is_number_integer()) return std::nullopt;
  // Larger than the signed type holds: not in any range used here.
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  const auto number = value.get<std::int64_t>();
  if (number < low || number > high) return std::nullopt;
  return number;
}
std::optional<std::int64_t> integer_field(const json& object, const char* key, std::int64_t low,
                                          std::int64_t high) {
  const auto it = object.find(key);
  if (it == object.end()) return std::nullopt;
  return integer(*it, low, high);
}

std::optional<FrameRate> rate_field(const json& object) {
  const auto it = object.find("rate");
  if (it == object.end() || !it->is_array() || it->size() != 2) return std::nullopt;
  const auto numerator = integer((*it)[0], 1, FrameRate::kMaxNumerator);
  const auto denominator = integer((*it)[1], 1, FrameRate::kMaxDenominator);
  if (!numerator || !denominator) return std::nullopt;
  const FrameRate rate{static_cast<std::int32_t>(*numerator),
                       static_cast<std::int32_t>(*denominator)};
  if (rate.per_second() > kMaxFramesPerSecond || rate.per_second() < 0.1) return std::nullopt;
  return rate;
}

std::string shortened(const std::string& text) { return text.substr(0, kMaxWrittenText); }

// Text of a peer may be any bytes; JSON is UTF-8.
std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Playing> parse_playing(const json& object) {
  const auto codec = text_field(object, "codec");
  const auto rate = rate_field(object);
  const auto window = integer_field(object, "window", media::kMinWindow, media::kMaxWindow);
  const auto stream = integer_field(object, "stream", 0, std::numeric_limits<std::uint32_t>::max());
  if (!codec || !rate || !window || !stream) return std::nullopt;
  return Playing{.codec = *codec,
                 .rate = *rate,
                 .window = static_cast<int>(*window),
                 .stream = static_cast<std::uint32_t>(*stream)};
}

}  // namespace

std::string serialise(const PlayRequest& r) {
  return dump({{"type", "play"}, {"name", r.name}, {"window", r.window}});
}

std::string serialise(const ServerMessage& message) {
  struct Visitor {
    json operator()(const Playing& m) const {
      return {{"type", "playing"},
              {"codec", m.codec},
              {"rate", {m.rate.numerator, m.rate.denominator}},
              {"window", m.window},
              {"stream", m.stream}};
    }
    json operator()(const Refused& m) const {
      return {{"type", "refused"}, {"reason", shortened(m.reason)}};
    }
    json operator()(const Status& m) const {
      return {{"type", "status"}, {"ok", m.ok}, {"text", shortened(m.text)}};
    }
    json operator()(const Ended& m) const {
      return {{"type", "ended"}, {"reason", shortened(m.reason)}};
    }
  };
  return dump(std::visit(Visitor{}, message));
}

Result<PlayRequest> parse_play_request(std::string_view text) {
  const Error bad{"no valid request to play"};
  const auto object = parse_object(text);
  if (!object || string_field(*object, "type") != "play") return bad;
  const auto name = string_field(*object, "name");
  const auto window = integer_field(*object, "window", media::kMinWindow, media::kMaxWindow);
  if (!name || name->size() > kMaxName || !window) return bad;
  return PlayRequest{.name = *name, .window = static_cast<int>(*window)};
}

Result<ServerMessage> parse_server_message(std::string_view text) {
  const Error bad{"no valid answer of a server"};
  const auto object = parse_object(text);
  if (!object) return bad;
  const auto type = string_field(*object, "type");
  if (type == "playing") {
    if (auto playing = parse_playing(*object)) return ServerMessage(*playing);
  } else if (type == "refused") {
    if (auto reason = text_field(*object, "reason")) return ServerMessage(Refused{*reason});
  } else if (type == "status") {
    const auto ok = object->find("ok");
    const auto status = text_field(*object, "text");
    if (status && ok != object->end() && ok->is_boolean()) {
      return ServerMessage(Status{.ok = ok->get<bool>(), .text = *status});
    }
  } else if (type == "ended") {
    if (auto reason = text_field(*object, "reason")) return ServerMessage(Ended{*reason});
  }
  return bad;
}

}  // namespace qvid::app
