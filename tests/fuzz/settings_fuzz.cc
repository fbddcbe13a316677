// Any text as a file of settings: refused with a sentence, or read; and what is changed in it is
// read as it was meant, with every other key as it was.
#include <cstdint>
#include <string>

#include "app/options/toml_text.h"
#include "app/settings/settings.h"
#include "tests/fuzz/require.h"

namespace {

using qvid::fuzz::require;

qvid::app::Settings changed(qvid::app::Settings s) {
  s.name = s.name == "Ann" ? "陈伟 \"\\" : "Ann";
  s.scale = s.scale == 2 ? 0.75f : 2;
  s.join_muted = !s.join_muted;
  s.window_width += s.window_width > 9 ? -9ul : 9ul;
  qvid::app::add_recent(s, "qvid://h/ä");
  return s;
}

std::size_t unknown_keys(const toml::table& table) {
  std::size_t count = table.size();
  for (const auto key : qvid::app::settings_keys()) count -= table.contains(key) ? 1u : 0u;
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::app;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto read = parse_settings(text, "fuzz.toml");
  if (!read) {
    const std::string& why = read.error().message;
    require(why.starts_with("fuzz.toml:") && why.size() < 1000);
    for (const char c : why) require(static_cast<unsigned char>(c) >= 0x20);
    require(!changed_text(text, {}));
    return 0;
  }
  for (const std::string& why : read->troubles) require(why.size() < 1000);
  require(read->settings.recent.size() <= kMostRecent);
  const auto same = changed_text(text, read->settings);
  require(same && (text.empty() || *same == text));
  const Settings wanted = changed(read->settings);
  const auto next = changed_text(text, wanted);
  if (!next) return 0;
  const auto again = parse_settings(*next, "fuzz.toml");
  require(again && again->settings == wanted);
  require(unknown_keys(*parse_toml(*next, "")) == unknown_keys(*parse_toml(text, "")));
  return 0;
}
