#include "ui/text/font_files.h"

#include <fontconfig/fontconfig.h>
#include <stb_truetype.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

#include "ui/text/own_font.h"

namespace qvid::ui {
namespace {

struct PatternDeleter {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
struct CharSetDeleter {
  void operator()(FcCharSet* characters) const { FcCharSetDestroy(characters); }
};
struct FontSetDeleter {
  void operator()(FcFontSet* fonts) const { FcFontSetDestroy(fonts); }
};

FcPattern* interface_pattern() {
  FcPattern* pattern = FcPatternCreate();
  for (const char* family : {"Noto Sans", "DejaVu Sans", "sans-serif"}) {
    FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  }
  FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
  FcPatternAddInteger(pattern, FC_WEIGHT, FC_WEIGHT_REGULAR);
  FcPatternAddInteger(pattern, FC_SLANT, FC_SLANT_ROMAN);
  FcConfigSubstitute(nullptr, pattern, FcMatchPattern);
  FcDefaultSubstitute(pattern);
  return pattern;
}

std::string_view text_of(FcPattern* font, const char* what) {
  FcChar8* text = nullptr;
  if (FcPatternGetString(font, what, 0, &text) != FcResultMatch) return {};
  return reinterpret_cast<const char*>(text);
}

bool flag_of(FcPattern* font, const char* what) {
  FcBool flag = FcFalse;
  return FcPatternGetBool(font, what, 0, &flag) == FcResultMatch && flag == FcTrue;
}

bool is_readable(FcPattern* font) {
  const std::string_view format = text_of(font, FC_FONTFORMAT);
  return format == "TrueType" || format == "CFF";
}
bool is_coloured(FcPattern* font) { return is_readable(font) && flag_of(font, FC_COLOR); }
bool has_outlines(FcPattern* font) {
  return is_readable(font) && flag_of(font, FC_OUTLINE) && !flag_of(font, FC_COLOR);
}

std::vector<unsigned char> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff{file.tellg()} : 0;
  if (size <= 0 || static_cast<std::size_t>(size) > FontFiles::kMostBytes) return {};
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), size);
  return file ? bytes : std::vector<unsigned char>();
}

// As stb_truetype reads it; empty: it does not.
std::optional<stbtt_fontinfo> opened(const FontData& font) {
  const int offset = stbtt_GetFontOffsetForIndex(font.bytes.data(), font.face);
  stbtt_fontinfo info{};
  if (offset < 0 || stbtt_InitFont(&info, font.bytes.data(), offset) == 0) return std::nullopt;
  return info;
}

bool has_glyph(const FontData& font, char32_t c) {
  const auto info = opened(font);
  return info && stbtt_FindGlyphIndex(&*info, static_cast<int>(c)) != 0;
}

// Empty: it is none that can be read.
std::optional<float> line_per_em(const FontData& font) {
  const auto info = opened(font);
  if (!info) return std::nullopt;
  int ascent = 0;
  int descent = 0;
  int gap = 0;
  stbtt_GetFontVMetrics(&*info, &ascent, &descent, &gap);
  const float line =
      static_cast<float>(ascent - descent) * stbtt_ScaleForMappingEmToPixels(&*info, 1);
  return line > 0 ? std::optional(line) : std::nullopt;
}

}  // namespace

// In the order of preference.
struct FontFiles::Installed {
  std::unique_ptr<FcFontSet, FontSetDeleter> all;
  std::vector<FcPattern*> fit;  // of these: those with outlines, then those in colours
  std::size_t outlines = 0;     // how many of the first
  std::unique_ptr<FcCharSet, CharSetDeleter> characters;  // of all that are fit
};

FontFiles::FontFiles() : installed_(std::make_unique<Installed>()), own_{.bytes = own_font()} {
  own_.per_em = line_per_em(own_).value_or(1);
  const std::unique_ptr<FcPattern, PatternDeleter> wanted(interface_pattern());
  FcResult result = FcResultNoMatch;
  installed_->all.reset(FcFontSort(nullptr, wanted.get(), FcFalse, nullptr, &result));
  if (!installed_->all) return;
  const std::span all(installed_->all->fonts, static_cast<std::size_t>(installed_->all->nfont));
  std::vector<FcPattern*>& fit = installed_->fit;
  std::ranges::copy_if(all, std::back_inserter(fit), has_outlines);
  installed_->outlines = fit.size();
  std::ranges::copy_if(all, std::back_inserter(fit), is_coloured);
  installed_->characters.reset(FcCharSetCreate());
  for (FcPattern* font : fit) {
    FcCharSet* has = nullptr;
    if (FcPatternGetCharSet(font, FC_CHARSET, 0, &has) != FcResultMatch) continue;
    FcCharSetMerge(installed_->characters.get(), has, nullptr);
  }
}

FontFiles::~FontFiles() = default;

const FontData& FontFiles::interface_font() {
  for (std::size_t number = 0; number < installed_->outlines; ++number) {
    if (const FontData* font = read(number)) return *font;
  }
  return own_;
}

const FontData* FontFiles::read(std::size_t number) {
  if (const auto known = read_.find(number); known != read_.end()) return known->second.get();
  if (read_.size() == kMostFonts) return nullptr;
  std::unique_ptr<FontData>& font = read_[number];
  FcPattern* pattern = installed_->fit[number];
  auto data = std::make_unique<FontData>();
  FcPatternGetInteger(pattern, FC_INDEX, 0, &data->face);
  data->face &= 0xffff;  // above it is which of a variable font's instances
  data->file = bytes_of(std::string(text_of(pattern, FC_FILE)));
  data->bytes = data->file;
  if (data->bytes.empty()) return nullptr;
  if (number < installed_->outlines) {
    const auto per_em = line_per_em(*data);
    if (!per_em) return nullptr;
    data->per_em = *per_em;
  }
  font = std::move(data);
  return font.get();
}

std::optional<std::size_t> FontFiles::font_with(char32_t c) {
  for (std::size_t number = 0; number < installed_->outlines; ++number) {
    if (holds(number, c) && read(number) != nullptr) return number;
  }
  return has_glyph(own_, c) ? std::optional(installed_->fit.size()) : std::nullopt;
}

bool FontFiles::has(char32_t c) const {
  const auto& characters = installed_->characters;
  return (characters && FcCharSetHasChar(characters.get(), c) != FcFalse) || has_glyph(own_, c);
}

bool FontFiles::holds(std::size_t number, char32_t c) const {
  FcCharSet* has = nullptr;
  return FcPatternGetCharSet(installed_->fit[number], FC_CHARSET, 0, &has) == FcResultMatch &&
         FcCharSetHasChar(has, c) != FcFalse;
}

const FontData* FontFiles::painted_font(char32_t c) {
  constexpr char32_t kFirstPictograph = 0x1f000;
  const FontData* outlines = nullptr;
  const FontData* coloured = nullptr;
  for (std::size_t number = 0; number < installed_->fit.size(); ++number) {
    const FontData*& font = number < installed_->outlines ? outlines : coloured;
    if (font == nullptr && holds(number, c)) font = read(number);
  }
  if (outlines == nullptr && has_glyph(own_, c)) outlines = &own_;
  const bool in_colours = coloured != nullptr && (outlines == nullptr || c >= kFirstPictograph);
  return in_colours ? coloured : outlines;
}

std::vector<FontFiles::Cover> FontFiles::cover(std::span<const char32_t> characters) {
  std::map<std::size_t, std::vector<char32_t>> by_font;
  for (const char32_t c : characters) {
    if (const auto number = font_with(c)) by_font[*number].push_back(c);
  }
  std::vector<Cover> covers;
  for (auto& [number, held] : by_font) {
    covers.push_back({number < installed_->fit.size() ? read(number) : &own_, std::move(held)});
  }
  return covers;
}

}  // namespace qvid::ui
