#include "ui/text/fonts.h"

#include <imgui.h>

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

}  // namespace

void Fonts::note(std::string_view shown) {
  while (!shown.empty()) {
    if (const char32_t c = take_character(shown); c > kLastOfLatin1) characters_.note(c);
  }
}

void Fonts::build(float pixels_per_unit) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  ImGui::GetIO().FontGlobalScale = 1.0f / pixels_per_unit;
  const std::vector<char32_t> more = characters_.load();
  const FontData* own = &files_.interface_font();
  std::vector<FontFiles::Cover> covers = files_.cover(more);
  if (covers.empty() || covers.front().font != own) covers.insert(covers.begin(), {own, {}});
  for (char32_t c = U' '; c <= kLastOfLatin1; ++c) covers.front().characters.push_back(c);
  covers.front().characters.push_back(kNoGlyph);
  std::vector<ImVector<ImWchar>> ranges(covers.size());
  for (std::size_t i = 0; i < covers.size(); ++i) {
    add(covers[i], i > 0, pixels_per_unit, ranges[i]);
  }
  atlas.Build();
}

std::string drawn_text(std::string_view text) {
  std::string shown = shown_text(text);
  note_text(shown);
  return shown;
}

void note_text(std::string_view text) { static_cast<Fonts*>(ImGui::GetIO().UserData)->note(text); }

}  // namespace qvid::ui
