// What is remembered of a person's choices: a file in TOML, docs/settings.md with every key.
//
//   text --parse_settings--> Settings --changed_text(text, settings)--> text
//
// Who writes it by hand is never punished: a key that is not known, comments and the order stay; a
// value that is none is told, and its default holds.
//
// Bounds: those of app/options/toml_text.h, kMostRecent rooms, kMostVolumes. Pure. Thread: any.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace qvid::app {

inline constexpr std::size_t kMostRecent = 10;
inline constexpr std::size_t kMostVolumes = 64;
inline constexpr std::string_view kGrid = "grid";        // all equal
inline constexpr std::string_view kSpeaker = "speaker";  // one large

struct Settings {
  std::string name{};         // in a room; empty: the login name
  std::string camera{};       // by name; empty: the first one
  std::string microphone{};   // by name; empty: the system's; or "none"
  std::string loudspeaker{};  // the same
  bool join_muted = false;    // as the page before joining was left
  bool join_without_camera = false;
  bool push_to_talk = false;                // as --push-to-talk
  std::string layout = std::string(kGrid);  // or kSpeaker
  std::size_t window_width = 0;             // units; 0: the default
  std::size_t window_height = 0;
  float scale = 0;                     // as --scale; 0: the display's
  std::string language{};              // of the windows, as "de"; empty: the system's
  bool notifications = true;           // of the desktop, while nobody looks at the window
  bool reduced_motion = false;         // nothing in a window moves by itself
  std::string limit_up{};              // as --bitrate; empty: its default
  std::string limit_down{};            // as --limit-down; empty: none
  std::string proxy{};                 // as --proxy; empty: what the environment says
  std::vector<std::string> recent{};   // links of rooms, the latest first
  std::vector<std::string> volumes{};  // "0.5 Ann", who was met last first; who is not there: 1

  bool operator==(const Settings&) const = default;
};

// It goes to the front, once; the oldest goes where there are too many.
void add_recent(Settings& settings, const std::string& link);

// How loud each is played, by name, of those that are not played as they are sent. Who is in `now` is
// as it says; the others stay as they are, the oldest go where there are too many.
std::map<std::string, float> volumes_of(const Settings& settings);
void keep_volumes(Settings& settings, const std::map<std::string, float>& now);

struct ReadSettings {
  Settings settings;
  std::vector<std::string> troubles;  // a sentence each: "FILE:3: 'scale': write a number ..."
};

// `file` is for the troubles. Error: it is no TOML, and nothing of it can be kept.
Result<ReadSettings> parse_settings(std::string_view text, const std::string& file);

// `text` with these settings in it: only values that differ are touched. Error: it is no TOML, or is
// too long then, or has a [table] where a value would be.
Result<std::string> changed_text(const std::string& text, const Settings& settings);

// All keys that are known.
std::vector<std::string_view> settings_keys();

}  // namespace qvid::app
