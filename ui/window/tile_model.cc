#include "ui/window/tile_model.h"

#include <locale.h>
#include <wctype.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "ui/text/shown_text.h"
#include "ui/text/translated.h"

namespace qvid::ui {
namespace {

constexpr int kMostMarks = 2;  // of a letter; more are not read any more

// As Unicode has it, whatever the user's language.
char32_t capital(char32_t c) {
  static const locale_t kUnicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (kUnicode == nullptr || c == kNoCharacter) return c;
  return static_cast<char32_t>(towupper_l(static_cast<wint_t>(c), kUnicode));
}

// The word's first letter as a capital, with the marks over it.
std::string first_capital(std::string_view word) {
  std::string_view rest = word;
  const char32_t first = take_character(rest);
  const std::string_view bytes = word.substr(0, word.size() - rest.size());
  std::string letter(bytes);
  if (const char32_t large = capital(first); large != first) {
    letter.clear();
    append_character(letter, large);
  }
  for (int i = 0; i < kMostMarks && !rest.empty(); ++i) {
    std::string_view after = rest;
    if (!is_mark(take_character(after))) break;
    letter += rest.substr(0, rest.size() - after.size());
    rest = after;
  }
  return letter;
}

}  // namespace

std::string initials(const std::string& name) {
  const std::string line = one_line(name);
  std::vector<std::string_view> words;
  std::size_t from = 0;
  while ((from = line.find_first_not_of(" .-_()", from)) != std::string::npos) {
    const std::size_t to = std::min(line.find(' ', from), line.size());
    words.push_back(std::string_view(line).substr(from, to - from));
    from = to;
  }
  if (words.empty()) return "?";
  if (words.size() == 1) return first_capital(words.front());
  return first_capital(words.front()) + first_capital(words.back());
}

float meter_level(double loudness) {
  constexpr double kLeast = -60;  // a quiet room
  constexpr double kMost = -10;   // a shout
  const double level = (loudness - kLeast) / (kMost - kLeast);
  return level > 0 ? static_cast<float>(std::min(level, 1.0)) : 0;  // NaN: 0
}

double shown_loudness(double loudness) {
  constexpr double kStep = 3;
  return meter_level(loudness) > 0 ? std::round(loudness / kStep) * kStep : -127;
}

std::string volume_text(float volume) {
  constexpr float kMost = 100;  // far more than is played
  if (!(volume >= 0 && volume <= kMost)) return {};
  const long percent = std::lround(volume * 100);
  return percent == 100 ? std::string() : std::to_string(percent) + " %";
}

std::string one_line(const std::string& text) {
  std::string line = text;
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return line;
}

std::string tile_title(const TileModel& tile) {
  if (tile.share) {
    return one_line(tile.own && tile.share_sound ? tr("shared, with sound")
                    : tile.own                   ? tr("what you share")
                                                 : filled(tr("{}: share"), tile.name));
  }
  return one_line(tile.own ? filled(tr("{} (you)"), tile.name) : tile.name);
}

std::string large_tile(std::span<const TileModel> tiles, const std::string& before) {
  const auto key_of = [&](const auto& wanted) {
    const auto found = std::find_if(tiles.begin(), tiles.end(), wanted);
    return found == tiles.end() ? std::string() : found->key;
  };
  const auto speaks = [](const TileModel& t) { return t.speaking && !t.own; };
  const auto was_large = [&](const TileModel& t) { return t.key == before && !t.own; };
  const auto shares = [](const TileModel& t) { return t.share && !t.own; };
  for (const std::string& key : {
           key_of([](const TileModel& t) { return t.pinned; }),
           key_of([&](const TileModel& t) { return was_large(t) && shares(t); }),
           key_of(shares),
           key_of([&](const TileModel& t) { return was_large(t) && speaks(t); }),
           key_of(speaks),
           key_of(was_large),
           key_of([](const TileModel& t) { return !t.own; }),
           key_of([](const TileModel&) { return true; }),
       }) {
    if (!key.empty()) return key;
  }
  return {};
}

}  // namespace qvid::ui
