// Kinds of fields that both tables of a broker's messages use (to_broker.cc, from_broker.cc).
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pubsub/wire/control_values.h"
#include "pubsub/wire/measure.h"
#include "pubsub/wire/message_table.h"

namespace qps {

// A name, read in its form (name_form).
struct Name {
  bool (*is)(std::string_view) = is_name;

  std::optional<std::string> read(const nlohmann::json& value) const {
    const auto text = Text{kMaxName}.read(value);
    if (!text) return std::nullopt;
    std::string name = name_form(*text);
    if (name.size() > kMaxName || !is(name)) return std::nullopt;
    return name;
  }
  nlohmann::json write(const std::string& name) const { return name; }
};
inline constexpr Name kName{};
inline constexpr Text kTrack{kMaxTrack, is_track};
inline constexpr Text kAbout{kMaxAbout};
inline constexpr Number<std::uint32_t> kViewer{0, kMaxViewer};
inline constexpr Number<std::uint32_t> kStream{};

inline constexpr Text kNodeAddress{kMaxNodeAddress};
inline constexpr ListOf kKnown{kTrack, 0, kMaxKnown};

// A track that is missing is the default one.
template <class M>
constexpr auto track_field() {
  return optional("track", &M::track, kTrack);
}

// JSON that the broker hands on as it is, within its bounds.
struct Opaque {
  bool (*is)(const nlohmann::json&);

  std::optional<nlohmann::json> read(const nlohmann::json& value) const {
    if (!is(value)) return std::nullopt;
    return value;
  }
  nlohmann::json write(const nlohmann::json& value) const { return value; }
};
inline constexpr Opaque kAttributes{are_attributes};

inline constexpr std::array<std::pair<AdminAction, std::string_view>, 6> kActions{
    {{AdminAction::kRooms, "rooms"},
     {AdminAction::kStats, "stats"},
     {AdminAction::kKick, "kick"},
     {AdminAction::kHold, "hold"},
     {AdminAction::kLock, "lock"},
     {AdminAction::kCluster, "cluster"}}};
inline constexpr Word<AdminAction> kAction{
    .name =
        [](AdminAction action) {
          return std::ranges::find(kActions, action, &decltype(kActions)::value_type::first)
              ->second;
        },
    .parse = [](std::string_view name) -> std::optional<AdminAction> {
      const auto* it = std::ranges::find(kActions, name, &decltype(kActions)::value_type::second);
      if (it == kActions.end()) return std::nullopt;
      return it->first;
    }};

inline constexpr std::int64_t kMaxRate = 100'000'000'000;  // bit/s

struct BitsPerSecond {
  std::optional<qvid::DataRate> read(const nlohmann::json& value) const {
    const auto rate = Number<std::int64_t>{0, kMaxRate}.read(value);
    if (!rate) return std::nullopt;
    return qvid::DataRate::from_bps(*rate);
  }
  nlohmann::json write(qvid::DataRate rate) const { return rate.bps(); }
};

// A number of bytes, up to `most`.
struct Bytes {
  qvid::ByteCount most;

  std::optional<qvid::ByteCount> read(const nlohmann::json& value) const {
    const auto bytes = Number<std::int64_t>{0, most.value()}.read(value);
    if (!bytes) return std::nullopt;
    return qvid::ByteCount(*bytes);
  }
  nlohmann::json write(qvid::ByteCount bytes) const { return bytes.value(); }
};

// Of brokers and of servers of videos alike.
inline constexpr Word<Way> kWay{
    .name = [](Way way) -> std::string_view { return way == Way::kUp ? "up" : "down"; },
    .parse = [](std::string_view name) -> std::optional<Way> {
      if (name == "up") return Way::kUp;
      if (name == "down") return Way::kDown;
      return std::nullopt;
    }};
inline constexpr auto kMeasure = message<Measure>(
    "measure", required("way", &Measure::way, kWay), optional("stream", &Measure::stream, kStream),
    optional("name", &Measure::name, Text{kMaxMeasuredName}),
    optional("token", &Measure::token, Text{kMaxToken}));
inline constexpr auto kMeasuring =
    message<Measuring>("measuring", required("stream", &Measuring::stream, kStream),
                       required("bytes", &Measuring::bytes, Bytes{kMostMeasured}),
                       required("ms", &Measuring::time, Milliseconds{kMeasuringTime}));

}  // namespace qps
