#include "ui/window/tile_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace qvid::ui {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The word's first character, all bytes of it; capital where it is one of ASCII or Latin-1.
std::string first_capital(std::string_view word) {
  std::size_t length = 1;
  while (length < word.size() && length < 4 && continues(word[length])) ++length;
  std::string letter(word.substr(0, length));
  const auto last = static_cast<unsigned char>(letter.back());
  const bool ascii = length == 1 && letter[0] >= 'a' && letter[0] <= 'z';
  // U+00E0 to U+00FE are C3 A0 to C3 BE; U+00F7 is the sign of division.
  const bool latin =
      length == 2 && letter[0] == '\xC3' && last >= 0xA0 && last <= 0xBE && last != 0xB7;
  if (ascii || latin) letter.back() = static_cast<char>(last - 0x20);
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

std::string large_tile(std::span<const TileModel> tiles, const std::string& before) {
  const auto key_of = [&](const auto& wanted) {
    const auto found = std::find_if(tiles.begin(), tiles.end(), wanted);
    return found == tiles.end() ? std::string() : found->key;
  };
  const auto speaks = [](const TileModel& t) { return t.speaking && !t.own; };
  const auto was_large = [&](const TileModel& t) { return t.key == before && !t.own; };
  for (const std::string& key : {
           key_of([](const TileModel& t) { return t.pinned; }),
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
