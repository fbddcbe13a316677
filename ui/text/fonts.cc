#include "ui/text/fonts.h"

#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"
#include "ui/text/shown_text.h"

namespace qvid::ui {
namespace {

constexpr float kEm = 14;    // units of the window
constexpr float kSharp = 2;  // pixels per unit from which letters need no places between pixels

constexpr char32_t kLastOfLatin1 = 0xff;

// ImGui keeps what is read from until the atlas is built: `ranges` is to live so long.
void add(const FontFiles::Cover& cover, bool merge, float pixels_per_unit,
         ImVector<ImWchar>& ranges) {
  ImFontGlyphRangesBuilder builder;
  for (const char32_t c : cover.characters) builder.AddChar(static_cast<ImWchar>(c));
  builder.BuildRanges(&ranges);
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.FontNo = cover.font->face;
  config.MergeMode = merge;
  config.OversampleH = pixels_per_unit < kSharp ? 2 : 1;
  // ImGui only reads it.
  auto* bytes = const_cast<unsigned char*>(cover.font->bytes.data());
  ImGui::GetIO().Fonts->AddFontFromMemoryTTF(bytes, static_cast<int>(cover.font->bytes.size()),
                                             kEm * cover.font->per_em * pixels_per_unit, &config,
                                             ranges.Data);
}

Fonts& current_fonts() { return *static_cast<Fonts*>(ImGui::GetIO().UserData); }

// What no cover has; of two ascending lists.
std::vector<char32_t> not_covered(const std::vector<char32_t>& all,
                                  const std::vector<FontFiles::Cover>& covers) {
  std::vector<char32_t> rest;
  std::ranges::copy_if(all, std::back_inserter(rest), [&](char32_t c) {
    return std::ranges::none_of(covers, [c](const FontFiles::Cover& cover) {
      return std::ranges::binary_search(cover.characters, c);
    });
  });
  return rest;
}

}  // namespace

void Fonts::note(std::string_view shown) {
  while (!shown.empty()) {
    const char32_t c = take_character(shown);
    const bool stands_in = is_private(c) || StandIns::is_typed(c);
    if (c > kLastOfLatin1 && !stands_in) characters_.note(c);
  }
}

std::vector<PaintedGlyphs::Wanted> Fonts::to_paint(const std::vector<char32_t>& not_covered) {
  std::vector<PaintedGlyphs::Wanted> wanted;
  const auto add = [&](char32_t code, char32_t character) {
    const FontData* font = files_.painted_font(character);
    if (font != nullptr) wanted.push_back({.code = code, .character = character, .font = font});
  };
  for (const auto& [code, character] : stand_ins_.load()) add(code, character);
  for (const char32_t c : not_covered) add(c, c);
  return wanted;
}

void Fonts::build(float pixels_per_unit) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  ImGui::GetIO().FontGlobalScale = 1.0f / pixels_per_unit;
  const std::vector<char32_t> more = characters_.load();
  const FontData* own = &files_.interface_font();
  std::vector<FontFiles::Cover> covers = files_.cover(more);
  painted_.reserve(atlas, to_paint(not_covered(more, covers)), kEm * pixels_per_unit);
  if (covers.empty() || covers.front().font != own) covers.insert(covers.begin(), {own, {}});
  for (char32_t c = U' '; c <= kLastOfLatin1; ++c) covers.front().characters.push_back(c);
  covers.front().characters.push_back(kNoGlyph);
  std::vector<ImVector<ImWchar>> ranges(covers.size());
  for (std::size_t i = 0; i < covers.size(); ++i) {
    add(covers[i], i > 0, pixels_per_unit, ranges[i]);
  }
  atlas.Build();
  painted_.place(atlas);
  ++built_;
}

std::string drawn_text(std::string_view text) {
  Fonts& fonts = current_fonts();
  std::string shown = fonts.stand_ins().shown(shown_text(text));
  fonts.note(shown);
  return shown;
}

std::string measured_text(std::string_view text) {
  Fonts& fonts = current_fonts();
  std::string shown = fonts.stand_ins().measured(shown_text(text));
  fonts.note(shown);
  return shown;
}

std::uint64_t fonts_built() { return current_fonts().built(); }

void note_field(std::string_view typed) { current_fonts().note(typed); }

std::string field_text(std::string_view text) {
  Fonts& fonts = current_fonts();
  std::string typed = fonts.stand_ins().typed(text);
  fonts.note(typed);
  return typed;
}

std::string text_of_field(std::string_view typed, std::size_t most_bytes) {
  note_field(typed);
  std::string text = current_fonts().stand_ins().text_of(typed);
  if (text.size() <= most_bytes) return text;
  const auto is_inside = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  std::size_t end = most_bytes;
  while (end > 0 && is_inside(end)) --end;
  text.resize(end);
  return text;
}

}  // namespace qvid::ui
