#include "app/settings/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "app/options/toml_text.h"
#include "app/options/url.h"
#include "app/options/values.h"
#include "app/reception/volume.h"
#include "base/ascii.h"
#include "pubsub/wire/control_values.h"
#include "transport/proxy/proxy_server.h"
#include "ui/window/window_options.h"

namespace qvid::app {
namespace {

constexpr std::size_t kLongestDevice = 256;  // bytes of a name
constexpr std::int64_t kMostWindow = 16'384;

constexpr std::string_view kHeader =
    "# What Qvid remembers: docs/settings.md has every key. Yours to change while no Qvid runs;\n"
    "# comments and unknown keys stay.\n";

Trouble name_text(const std::string& text) {
  if (text.empty() || qps::is_name(text)) return std::nullopt;
  return "write a name of 1 to 64 bytes";
}
Trouble device_text(const std::string& text) {
  if (text.size() <= kLongestDevice) return std::nullopt;
  return fmt::format("write the name of a device, at most {} bytes", kLongestDevice);
}
Trouble layout_text(const std::string& text) {
  if (text == kGrid || text == kSpeaker) return std::nullopt;
  return fmt::format("write \"{}\" or \"{}\"", kGrid, kSpeaker);
}
Trouble rate_text(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto rate = parse_bitrate(text);
  return rate ? std::nullopt : Trouble(rate.error().message);
}
Trouble proxy_text(const std::string& text) {
  if (text.empty() || text == "direct") return std::nullopt;
  const auto proxy = paceline::parse_proxy(text);
  return proxy ? std::nullopt : Trouble(proxy.error().message);
}
Trouble language_text(const std::string& text) {
  constexpr std::size_t kLongest = 16;
  const auto is_part = [](char c) {
    return (lower_case(c) >= 'a' && lower_case(c) <= 'z') || c == '_' || c == '@';
  };
  if (text.size() <= kLongest && std::ranges::all_of(text, is_part)) return std::nullopt;
  return "write a language, as \"de\" or \"pt_BR\"";
}
// "0.5 Ann"
std::optional<std::pair<std::string, float>> volume_in(const std::string& text) {
  const std::size_t space = text.find(' ');
  if (space == std::string::npos || !qps::is_name(text.substr(space + 1))) return std::nullopt;
  float level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + space, level);
  const bool is_number = error == std::errc() && end == text.data() + space;
  if (!is_number || !(level >= Volume::kLeast && level <= Volume::kMost)) return std::nullopt;
  return std::pair(text.substr(space + 1), level);
}
Trouble volume_text(const std::string& text) {
  if (volume_in(text)) return std::nullopt;
  return fmt::format("write how loud, from {} to {}, and a name: \"0.5 Ann\"", Volume::kLeast,
                     Volume::kMost);
}
Trouble link_text(const std::string& text) {
  const auto url = parse_url(text, "");
  return url ? std::nullopt : Trouble(url.error().message);
}

struct Key {
  std::string_view name;
  TomlField<Settings> field;
};

using S = Settings;
const std::array kKeys{
    Key{"name", TextField<S>{&S::name, name_text}},
    Key{"camera", TextField<S>{&S::camera, device_text}},
    Key{"microphone", TextField<S>{&S::microphone, device_text}},
    Key{"loudspeaker", TextField<S>{&S::loudspeaker, device_text}},
    Key{"join_muted", FlagField<S>{&S::join_muted}},
    Key{"join_without_camera", FlagField<S>{&S::join_without_camera}},
    Key{"push_to_talk", FlagField<S>{&S::push_to_talk}},
    Key{"layout", TextField<S>{&S::layout, layout_text}},
    Key{"window_width", CountField<S>{&S::window_width, 0, kMostWindow}},
    Key{"window_height", CountField<S>{&S::window_height, 0, kMostWindow}},
    Key{"scale", FactorField<S>{&S::scale, ui::kLeastScale, ui::kMostScale}},
    Key{"language", TextField<S>{&S::language, language_text}},
    Key{"notifications", FlagField<S>{&S::notifications}},
    Key{"reduced_motion", FlagField<S>{&S::reduced_motion}},
    Key{"limit_up", TextField<S>{&S::limit_up, rate_text}},
    Key{"limit_down", TextField<S>{&S::limit_down, rate_text}},
    Key{"proxy", TextField<S>{&S::proxy, proxy_text}},
    Key{"recent", TextsField<S>{&S::recent, link_text, kMostRecent}},
    Key{"volumes", TextsField<S>{&S::volumes, volume_text, kMostVolumes}},
};

ReadSettings read(const toml::table& table, const std::string& file) {
  ReadSettings result;
  for (const Key& key : kKeys) {
    const toml::node* node = table.get(key.name);
    if (node == nullptr) continue;
    if (const auto trouble = read_field(*node, key.field, result.settings)) {
      result.troubles.push_back(
          error_at(file, node->source(),
                   fmt::format("'{}': {}", key.name, cut_short(*trouble, 400)))
              .message);
    }
  }
  return result;
}

// As TOML writes values.
std::string written(const std::string& text) {
  std::string quoted = "\"";
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t c = take_character(rest);
    if (c == U'"' || c == U'\\') quoted += '\\';
    if (c == kNoCharacter || is_control(c) || is_direction(c)) {
      quoted += '?';
    } else {
      quoted += before.substr(0, before.size() - rest.size());
    }
  }
  return quoted + '"';
}
std::string written(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) list += "\n  " + written(text) + ",";
  return list + (texts.empty() ? "]" : "\n]");
}
std::string written(bool flag) { return flag ? "true" : "false"; }
std::string written(std::size_t number) { return std::to_string(number); }
std::string written(float number) { return fmt::format("{}", number); }
std::string written(Duration time) { return fmt::format("{}", to_seconds(time)); }

// The byte of `text` at a place that toml++ counts in lines and characters, from 1 on.
std::size_t offset_of(std::string_view text, const toml::source_position& place) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < place.line; ++line) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  for (toml::source_index column = 1; column < place.column && at < text.size(); ++column) {
    std::string_view rest = text.substr(at);
    take_character(rest);
    at = text.size() - rest.size();
  }
  return at;
}

struct Edit {
  std::size_t begin;
  std::size_t end;
  std::string text;
};

// Not written behind a '='.
bool is_apart(const toml::node& node) {
  if (const toml::table* table = node.as_table()) return !table->is_inline();
  return node.is_array_of_tables();
}

// Behind the last key that is in no [table]; where there is none, before the tables.
std::size_t place_for_new(std::string_view text, const toml::table& table) {
  if (table.empty()) return text.size();
  std::size_t place = 0;
  for (const auto& [name, node] : table) {
    if (is_apart(node)) continue;
    const std::size_t line = text.find('\n', offset_of(text, node.source().end));
    place = std::max(place, std::min(line, text.size() - 1) + 1);
  }
  return place;
}

}  // namespace

void add_recent(Settings& settings, const std::string& link) {
  std::erase(settings.recent, link);
  settings.recent.insert(settings.recent.begin(), link);
  if (settings.recent.size() > kMostRecent) settings.recent.resize(kMostRecent);
}

std::map<std::string, float> volumes_of(const Settings& settings) {
  std::map<std::string, float> volumes;
  for (const std::string& text : settings.volumes) {
    if (auto volume = volume_in(text)) volumes.insert(*std::move(volume));
  }
  return volumes;
}

void keep_volumes(Settings& settings, const std::map<std::string, float>& now) {
  std::vector<std::string> kept;
  for (const auto& [name, level] : now) {
    if (level != 1) kept.push_back(fmt::format("{:.3g} {}", level, name));
  }
  for (const std::string& text : settings.volumes) {
    const auto volume = volume_in(text);
    if (volume && !now.contains(volume->first)) kept.push_back(text);
  }
  if (kept.size() > kMostVolumes) kept.resize(kMostVolumes);
  settings.volumes = std::move(kept);
}

Result<ReadSettings> parse_settings(std::string_view text, const std::string& file) {
  const auto table = parse_toml(text, file);
  if (!table) return table.error();
  return read(*table, file);
}

Result<std::string> changed_text(const std::string& text, const Settings& settings) {
  const auto table = parse_toml(text, "settings");
  if (!table) return table.error();
  const Settings before = read(*table, {}).settings;
  std::vector<Edit> edits;
  std::string added;
  std::string refused;
  for (const Key& key : kKeys) {
    std::visit(
        [&](const auto& field) {
          if (before.*field.place == settings.*field.place) return;
          const std::string value = written(settings.*field.place);
          if (const toml::node* node = table->get(key.name)) {
            if (is_apart(*node)) refused = fmt::format("'{}' is a [table] there", key.name);
            edits.push_back({offset_of(text, node->source().begin),
                             offset_of(text, node->source().end), value});
          } else {
            added += fmt::format("{} = {}\n", key.name, value);
          }
        },
        key.field);
  }
  if (!refused.empty()) return Error{refused};
  if (!added.empty()) {
    const std::size_t place = place_for_new(text, *table);
    const bool within_line = place > 0 && text[place - 1] != '\n';
    edits.push_back({place, place, (within_line ? "\n" : "") + added});
  }
  std::ranges::sort(edits, std::ranges::greater(), &Edit::begin);
  std::string changed = text;
  for (const Edit& edit : edits) changed.replace(edit.begin, edit.end - edit.begin, edit.text);
  if (text.empty()) changed.insert(0, kHeader);
  if (changed.size() > kMaxTomlFile) {
    return Error{fmt::format("more than {} bytes: this is no file of settings", kMaxTomlFile)};
  }
  return changed;
}

std::vector<std::string_view> settings_keys() {
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) names.push_back(key.name);
  return names;
}

}  // namespace qvid::app
