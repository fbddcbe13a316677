#include "ui/text/glyph_painter.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace qvid::ui {
namespace {

constexpr float kParts = 64;  // of a pixel, in FreeType's units

// Red, green, blue, alpha, multiplied by alpha.
using Pixel = std::array<float, 4>;

Pixel pixel_of(const FT_Bitmap& bitmap, int x, int y) {
  const unsigned char* row = bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch;
  if (bitmap.pixel_mode == FT_PIXEL_MODE_BGRA) {
    const unsigned char* p = row + 4 * x;
    return {float(p[2]), float(p[1]), float(p[0]), float(p[3])};
  }
  const auto alpha = float(row[x]);
  return {alpha, alpha, alpha, alpha};
}

// The mean of what lies under a pixel of a picture that is `by` times as large.
Pixel mean_of(const FT_Bitmap& bitmap, int x, int y, float by) {
  const auto range = [by](int at, unsigned int length) {
    const int first = std::min(static_cast<int>(static_cast<float>(at) / by), int(length) - 1);
    const int end = static_cast<int>(static_cast<float>(at + 1) / by);
    return std::pair(first, std::clamp(end, first + 1, int(length)));
  };
  const auto [left, right] = range(x, bitmap.width);
  const auto [top, bottom] = range(y, bitmap.rows);
  Pixel sum{};
  for (int row = top; row < bottom; ++row) {
    for (int column = left; column < right; ++column) {
      const Pixel one = pixel_of(bitmap, column, row);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
    }
  }
  for (float& channel : sum) channel /= static_cast<float>((right - left) * (bottom - top));
  return sum;
}

std::uint32_t packed(const Pixel& pixel) {
  const float alpha = pixel[3];
  if (alpha <= 0) return 0;
  const auto byte = [](float value) {
    return static_cast<std::uint32_t>(std::clamp(std::lround(value), 0L, 255L));
  };
  const auto plain = [&](float value) { return byte(value * 255 / alpha); };
  const std::array<std::uint8_t, 4> bytes{
      static_cast<std::uint8_t>(plain(pixel[0])), static_cast<std::uint8_t>(plain(pixel[1])),
      static_cast<std::uint8_t>(plain(pixel[2])), static_cast<std::uint8_t>(byte(alpha))};
  return std::bit_cast<std::uint32_t>(bytes);
}

}  // namespace

struct GlyphPainter::Library {
  Library() {
    if (FT_Init_FreeType(&handle) != 0) handle = nullptr;
  }
  ~Library() {
    if (handle != nullptr) FT_Done_FreeType(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  FT_Library handle = nullptr;
};

struct GlyphPainter::Face {
  explicit Face(FT_Face of) : handle(of) {}
  ~Face() { FT_Done_Face(handle); }
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;

  // How much smaller than what FreeType gives a glyph of that em is; 0: there is none.
  float set_em(float em) const {
    if (FT_IS_SCALABLE(handle)) {
      const auto size = static_cast<FT_F26Dot6>(std::lround(em * kParts));
      constexpr FT_UInt kPixelsAPoint = 72;
      const bool set = FT_Set_Char_Size(handle, 0, size, kPixelsAPoint, kPixelsAPoint) == 0;
      return set ? 1 : 0;
    }
    int best = -1;  // the smallest that is not too small, or else the largest
    const auto size_of = [this](int i) {
      return static_cast<float>(handle->available_sizes[i].y_ppem) / kParts;
    };
    for (int i = 0; i < handle->num_fixed_sizes; ++i) {
      const bool better =
          best < 0 || (size_of(best) < em ? size_of(i) > size_of(best)
                                          : size_of(i) >= em && size_of(i) < size_of(best));
      if (better) best = i;
    }
    if (best < 0 || size_of(best) <= 0 || FT_Select_Size(handle, best) != 0) return 0;
    return em / size_of(best);
  }

  FT_Face handle;
};

GlyphPainter::GlyphPainter() : library_(std::make_unique<Library>()) {}
GlyphPainter::~GlyphPainter() = default;

std::optional<PaintedGlyph> GlyphPainter::paint(const FontData& font, char32_t c, float em) {
  if (library_->handle == nullptr) return std::nullopt;
  const auto [place, is_new] = faces_.try_emplace(&font);
  if (is_new) {
    FT_Face face = nullptr;
    if (FT_New_Memory_Face(library_->handle, font.bytes.data(),
                           static_cast<FT_Long>(font.bytes.size()), font.face, &face) == 0) {
      place->second = std::make_unique<Face>(face);
    }
  }
  if (place->second == nullptr) return std::nullopt;
  FT_Face face = place->second->handle;
  const float by = place->second->set_em(em);
  if (by <= 0 || FT_Get_Char_Index(face, c) == 0) return std::nullopt;
  if (FT_Load_Char(face, c, FT_LOAD_RENDER | FT_LOAD_COLOR) != 0) return std::nullopt;
  const FT_GlyphSlot slot = face->glyph;
  const FT_Bitmap& bitmap = slot->bitmap;
  const bool coloured = bitmap.pixel_mode == FT_PIXEL_MODE_BGRA;
  if (!coloured && bitmap.pixel_mode != FT_PIXEL_MODE_GRAY) return std::nullopt;
  const auto length = [by](unsigned int of) {
    return static_cast<int>(std::ceil(static_cast<float>(of) * by));
  };
  PaintedGlyph glyph{.width = length(bitmap.width),
                     .height = length(bitmap.rows),
                     .left = static_cast<float>(slot->bitmap_left) * by,
                     .above = static_cast<float>(slot->bitmap_top) * by,
                     .advance = static_cast<float>(slot->advance.x) / kParts * by,
                     .coloured = coloured,
                     .rgba = {}};
  if (std::max(glyph.width, glyph.height) > kMostSide) return std::nullopt;
  for (int y = 0; y < glyph.height; ++y) {
    for (int x = 0; x < glyph.width; ++x) glyph.rgba.push_back(packed(mean_of(bitmap, x, y, by)));
  }
  return glyph;
}

}  // namespace qvid::ui
