// What is told of sound: for a person, for the overlay, and for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/room/party_report.h"
#include "base/duration_histogram.h"

namespace qvid::app {

nlohmann::json json_of(const media::SoundPlayoutStats& playout, std::optional<Duration> sync_error);
// Of what is shown beside it, absolute: how many pictures were compared, 95% and the worst.
nlohmann::json json_of_sync(const DurationHistogram& errors);
// One line, without its end.
std::string text_of(const media::SoundPlayoutStats& playout, std::optional<Duration> sync_error);
// "sound" and "lips", short.
std::vector<std::pair<std::string, std::string>> sound_rows(const media::SoundPlayoutStats& playout,
                                                            std::optional<Duration> sync_error);

// Of a party.
nlohmann::json json_of(const SoundReport& sound);
std::string text_of(const SoundReport& sound);
std::vector<std::pair<std::string, std::string>> sound_rows(const SoundReport& sound);

}  // namespace qvid::app
