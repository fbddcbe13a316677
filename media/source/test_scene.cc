#include "media/source/test_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numbers>
#include <string_view>
#include <vector>

#include "media/source/bitmap_font.h"

namespace qvid::media {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;

struct Rgb {
  float r = 0, g = 0, b = 0;  // 0..1
};
struct Yuv {
  float y = 0, u = 0, v = 0;  // as stored: 16..235, 16..240
};
constexpr Rgb kWhite{1, 1, 1};

Rgb mix(Rgb a, Rgb b, float t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}
float smooth_step(float from, float to, float x) {
  const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// Shapes drawn over one another, in pixels of luma. Chroma is sampled in the middle of its four.
class Canvas {
 public:
  explicit Canvas(NewFrame& picture)
      : width(picture.frame.size.width),
        height(picture.frame.size.height),
        picture_(picture),
        hd_(picture.frame.matrix == ColorMatrix::kBt709) {}

  Yuv yuv(Rgb c) const {
    const float kr = hd_ ? 0.2126f : 0.299f;
    const float kb = hd_ ? 0.0722f : 0.114f;
    const float y = kr * c.r + (1 - kr - kb) * c.g + kb * c.b;
    return {16 + 219 * y, 128 + 112 * (c.b - y) / (1 - kb), 128 + 112 * (c.r - y) / (1 - kr)};
  }
  std::uint8_t* row(std::size_t plane, int y) const {
    return picture_.writable[plane] + std::ptrdiff_t{y} * picture_.frame.planes[plane].stride;
  }

  // Blends `color` over a box around (cx, cy), by coverage(x, y) in 0..1.
  template <class Coverage>
  void blend(float cx, float cy, float half_width, float half_height, Rgb color,
             Coverage coverage) const {
    const Yuv to = yuv(color);
    const int left = std::max(0, static_cast<int>(cx - half_width) & ~1);
    const int top = std::max(0, static_cast<int>(cy - half_height) & ~1);
    const int right = std::min(width, (static_cast<int>(cx + half_width) + 2) & ~1);
    const int bottom = std::min(height, (static_cast<int>(cy + half_height) + 2) & ~1);
    for (int y = top; y < bottom; ++y) {
      std::uint8_t* luma = row(0, y);
      for (int x = left; x < right; ++x) {
        const float c =
            coverage(static_cast<float>(x) + 0.5f - cx, static_cast<float>(y) + 0.5f - cy);
        if (c > 0) luma[x] = mixed(luma[x], to.y, c);
      }
      if (y % 2 != 0) continue;
      std::uint8_t* u = row(1, y / 2);
      std::uint8_t* v = row(2, y / 2);
      for (int x = left; x < right; x += 2) {
        const float c = coverage(static_cast<float>(x) + 1 - cx, static_cast<float>(y) + 1 - cy);
        if (c <= 0) continue;
        u[x / 2] = mixed(u[x / 2], to.u, c);
        v[x / 2] = mixed(v[x / 2], to.v, c);
      }
    }
  }

  const int width;
  const int height;

 private:
  static std::uint8_t mixed(std::uint8_t below, float above, float coverage) {
    const float b = below;
    const float up = b + (above - b) * coverage + 0.5f;
    return static_cast<std::uint8_t>(up);
  }

  NewFrame& picture_;
  bool hd_;
};

// A slow dusk-coloured gradient. Sums of one table per direction, so a pixel costs four loads: the
// gradient, two long waves and a fine moving weave that gives the codec something to do.
void draw_background(const Canvas& canvas, float seconds) {
  const int w = canvas.width;
  const int h = canvas.height;
  const auto unit = static_cast<float>(std::max(w, h));
  const Yuv top = canvas.yuv({0.10f, 0.12f, 0.36f});
  const Yuv middle = canvas.yuv({0.36f, 0.20f, 0.52f});
  const Yuv bottom = canvas.yuv({0.93f, 0.50f, 0.42f});

  std::vector<std::int16_t> across(static_cast<std::size_t>(w));
  std::vector<std::int16_t> diagonal(static_cast<std::size_t>(w + h));
  std::vector<float> hue(static_cast<std::size_t>(w));
  for (int x = 0; x < w; ++x) {
    const float at = static_cast<float>(x) / unit;
    const float wave = std::sin(2 * kPi * (at * 1.3f + seconds * 0.11f));
    across[static_cast<std::size_t>(x)] = static_cast<std::int16_t>(256 * 7 * wave);
    hue[static_cast<std::size_t>(x)] = 5 * wave;
  }
  for (int d = 0; d < w + h; ++d) {
    const float at = static_cast<float>(d) / unit;
    const float wave = 6 * std::sin(2 * kPi * (at * 0.9f - seconds * 0.17f));
    const float weave = 2.5f * std::sin(2 * kPi * (static_cast<float>(d) / 11 + seconds * 0.7f));
    diagonal[static_cast<std::size_t>(d)] = static_cast<std::int16_t>(256 * (wave + weave));
  }
  // An ordered dither hides the steps of the gradient.
  constexpr std::array<std::array<std::int16_t, 4>, 4> kDither = {
      {{0, 128, 32, 160}, {192, 64, 224, 96}, {48, 176, 16, 144}, {240, 112, 208, 80}}};
  for (int y = 0; y < h; ++y) {
    const float down = static_cast<float>(y) / static_cast<float>(h);
    const float bend = down + 0.05f * std::sin(2 * kPi * (seconds * 0.07f));
    const float t = std::clamp(bend, 0.0f, 1.0f);
    const Yuv from = t < 0.5f ? top : middle;
    const Yuv to = t < 0.5f ? middle : bottom;
    const float part = t < 0.5f ? t * 2 : t * 2 - 1;
    const int base = static_cast<int>(256 * (from.y + (to.y - from.y) * part));
    const auto& dither = kDither[static_cast<std::size_t>(y % 4)];
    const std::int16_t* slant = diagonal.data() + y;
    std::uint8_t* luma = canvas.row(0, y);
    for (int x = 0; x < w; ++x) {
      const int sum = base + across[static_cast<std::size_t>(x)] + slant[x] +
                      dither[static_cast<std::size_t>(x % 4)];
      luma[x] = static_cast<std::uint8_t>(sum >> 8);
    }
    if (y % 2 != 0) continue;
    std::uint8_t* u = canvas.row(1, y / 2);
    std::uint8_t* v = canvas.row(2, y / 2);
    const float u_base = from.u + (to.u - from.u) * part;
    const float v_base = from.v + (to.v - from.v) * part;
    for (int x = 0; x < w / 2; ++x) {
      const float lean = hue[2 * static_cast<std::size_t>(x)];
      const float u_up = u_base + lean + 0.5f;
      const float v_up = v_base - lean + 0.5f;
      u[x] = static_cast<std::uint8_t>(u_up);
      v[x] = static_cast<std::uint8_t>(v_up);
    }
  }
}

// A band of test colours that drifts to the left, along the lower edge.
void draw_color_band(const Canvas& canvas, float seconds) {
  constexpr std::array<Rgb, 7> kBars = {{{0.95f, 0.95f, 0.95f},
                                         {0.98f, 0.83f, 0.25f},
                                         {0.25f, 0.80f, 0.85f},
                                         {0.35f, 0.78f, 0.40f},
                                         {0.80f, 0.35f, 0.75f},
                                         {0.90f, 0.28f, 0.30f},
                                         {0.22f, 0.35f, 0.85f}}};
  const int w = canvas.width;
  const int top = canvas.height - std::max(2, canvas.height / 24 * 2);
  const float bar = static_cast<float>(w) / 14;
  const float drift = seconds * bar * 0.8f;
  std::vector<Yuv> line(static_cast<std::size_t>(w / 2));
  for (int x = 0; x < w / 2; ++x) {
    const float at = (static_cast<float>(2 * x) + drift) / bar;
    const auto index = static_cast<std::size_t>(at);
    line[static_cast<std::size_t>(x)] =
        canvas.yuv(mix(kBars[index % 7], kBars[(index + 1) % 7],
                       smooth_step(0.8f, 1.0f, at - static_cast<float>(index))));
  }
  for (int y = top; y < canvas.height; ++y) {
    std::uint8_t* luma = canvas.row(0, y);
    std::uint8_t* u = canvas.row(1, y / 2);
    std::uint8_t* v = canvas.row(2, y / 2);
    for (int x = 0; x < w / 2; ++x) {
      const Yuv& c = line[static_cast<std::size_t>(x)];
      luma[2 * x] = luma[2 * x + 1] = static_cast<std::uint8_t>(c.y);
      u[x] = static_cast<std::uint8_t>(c.u);
      v[x] = static_cast<std::uint8_t>(c.v);
    }
  }
}

// 1 up to a distance of `from`, 0 beyond `to`; a root is taken only in between.
float fade(float dx, float dy, float from, float to) {
  const float square = dx * dx + dy * dy;
  if (square >= to * to) return 0;
  if (square <= from * from) return 1;
  return 1 - smooth_step(from, to, std::sqrt(square));
}

void draw_ball(const Canvas& canvas, float x, float y, float radius, Rgb color) {
  const float edge = std::max(1.0f, radius * 0.04f);
  const float reach = radius + edge + 1;
  canvas.blend(
      x + radius * 0.12f, y + radius * 0.22f, reach * 1.2f, reach * 1.2f, {0, 0, 0},
      [=](float dx, float dy) { return 0.28f * fade(dx, dy, radius * 0.75f, radius * 1.2f); });
  const auto disc = [=](float dx, float dy) { return fade(dx, dy, radius - edge, radius + edge); };
  canvas.blend(x, y, reach, reach, mix(color, {0, 0, 0}, 0.30f), disc);
  // Light from the upper left.
  canvas.blend(x, y, reach, reach, color, [=](float dx, float dy) {
    const float inside = disc(dx, dy);
    if (inside <= 0) return 0.0f;
    return inside * fade(dx + radius * 0.18f, dy + radius * 0.22f, radius * 0.3f, radius * 1.1f);
  });
  canvas.blend(x - radius * 0.35f, y - radius * 0.4f, radius * 0.5f, radius * 0.5f, kWhite,
               [=](float dx, float dy) { return 0.75f * fade(dx, dy * 1.22f, 0, radius * 0.42f); });
}

// Forth and back between 0 and 1 once in two units.
float ping_pong(float t) {
  const float part = t - 2 * std::floor(t / 2);
  return part < 1 ? part : 2 - part;
}

void draw_balls(const Canvas& canvas, float seconds) {
  struct Ball {
    float size, speed, bounces, phase;  // radius by height; crossings and bounces a second
    Rgb color;
  };
  constexpr std::array<Ball, 4> kBalls = {{{0.085f, 0.16f, 0.62f, 0.10f, {0.25f, 0.78f, 0.95f}},
                                           {0.060f, 0.23f, 0.80f, 0.55f, {1.00f, 0.80f, 0.28f}},
                                           {0.105f, 0.11f, 0.50f, 0.85f, {0.96f, 0.40f, 0.58f}},
                                           {0.045f, 0.31f, 0.95f, 0.30f, {0.50f, 0.90f, 0.50f}}}};
  const auto w = static_cast<float>(canvas.width);
  const auto h = static_cast<float>(canvas.height);
  const float floor_line = h - static_cast<float>(std::max(2, canvas.height / 24 * 2));
  for (const Ball& ball : kBalls) {
    const float radius = std::max(2.0f, ball.size * std::min(h, w));
    const float x = radius + (w - 2 * radius) * ping_pong(seconds * ball.speed + ball.phase * 2);
    // A parabola between bounces.
    const float fall = 2 * ((seconds * ball.bounces + ball.phase) -
                            std::floor(seconds * ball.bounces + ball.phase)) -
                       1;
    const float rise = (floor_line - 2 * radius) * (0.55f + 0.35f * ball.phase) * (1 - fall * fall);
    draw_ball(canvas, x, floor_line - radius - rise, radius, ball.color);
  }
}

// A dial whose hand goes round once a second.
void draw_clock(const Canvas& canvas, float turn) {
  const auto side = static_cast<float>(std::min(canvas.width, canvas.height));
  const float radius = std::max(4.0f, side * 0.115f);
  const float x = static_cast<float>(canvas.width) - radius * 1.45f;
  const float y = radius * 1.45f;
  const float reach = radius * 1.1f;
  const float edge = std::max(0.7f, radius * 0.03f);
  canvas.blend(x, y, reach, reach, {0.05f, 0.05f, 0.14f}, [=](float dx, float dy) {
    return 0.60f * fade(dx, dy, radius - edge, radius + edge);
  });

  const float angle = turn * 2 * kPi;
  const float hand_x = std::sin(angle);
  const float hand_y = -std::cos(angle);
  const float ring = std::max(0.8f, radius * 0.045f);
  const float thick = std::max(0.9f, radius * 0.06f);
  canvas.blend(x, y, reach, reach, kWhite, [=](float dx, float dy) {
    const float distance = std::sqrt(dx * dx + dy * dy);
    float ink = fade(distance - radius * 0.94f, 0, ring - edge, ring + edge);
    // Four ticks: near an axis, near the rim.
    if (distance > radius * 0.74f && distance < radius * 0.94f) {
      const float off_axis = std::min(std::abs(dx), std::abs(dy));
      ink = std::max(ink, fade(off_axis, 0, ring - edge, ring + edge));
    }
    // The hand: by the distance to its segment.
    const float along = std::clamp(dx * hand_x + dy * hand_y, -0.12f * radius, 0.72f * radius);
    return std::max(ink,
                    fade(dx - along * hand_x, dy - along * hand_y, thick - edge, thick + edge));
  });
  canvas.blend(x, y, radius * 0.2f, radius * 0.2f, {1.0f, 0.45f, 0.35f}, [=](float dx, float dy) {
    return fade(dx, dy, radius * 0.11f - edge, radius * 0.11f + edge);
  });
}

// Text with its dots melted together. (left, top) is its corner, `dot` the size of a dot.
void draw_text(const Canvas& canvas, std::string_view text, float left, float top, float dot,
               Rgb color) {
  // Between the centres of dots ink is interpolated; its edge is where about half of it is left.
  constexpr float kEdge = 0.42f;
  const float softness = std::min(0.4f, 0.5f / dot);
  const float per_dot = 1 / dot;
  for (const char c : text) {
    const Glyph glyph = glyph_of(c);
    // With a blank margin: the box below reaches over the glyph, by up to 3 pixels of rounding.
    constexpr int kMargin = 5;
    std::array<std::array<float, kGlyphWidth + 2 * kMargin>, kGlyphHeight + 2 * kMargin> ink{};
    for (std::size_t row = 0; row < kGlyphHeight; ++row) {
      for (std::size_t column = 0; column < kGlyphWidth; ++column) {
        const bool set = (glyph[row] >> (kGlyphWidth - 1 - column) & 1) != 0;
        ink[row + kMargin][column + kMargin] = set ? 1.0f : 0.0f;
      }
    }
    const auto coverage = [&](float dx, float dy) {
      const float x = dx * per_dot + (kGlyphWidth / 2.0f - 0.5f + kMargin);
      const float y = dy * per_dot + (kGlyphHeight / 2.0f - 0.5f + kMargin);
      const int column = static_cast<int>(x);
      const int row = static_cast<int>(y);
      const float* upper = &ink[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
      const float* lower = upper + ink[0].size();
      const float sum = upper[0] + upper[1] + lower[0] + lower[1];
      if (sum <= 0.0f || sum >= 4.0f) return sum / 4;
      const float right = x - static_cast<float>(column);
      const float above = upper[0] + (upper[1] - upper[0]) * right;
      const float below = lower[0] + (lower[1] - lower[0]) * right;
      const float amount = above + (below - above) * (y - static_cast<float>(row));
      return smooth_step(kEdge - softness, kEdge + softness, amount);
    };
    canvas.blend(left + kGlyphWidth * dot / 2, top + kGlyphHeight * dot / 2,
                 (kGlyphWidth + 1) * dot / 2, (kGlyphHeight + 1) * dot / 2, color, coverage);
    left += kGlyphAdvance * dot;
  }
}

float text_width(std::size_t letters, float dot) {
  return (static_cast<float>(letters) * kGlyphAdvance - 1) * dot;
}

// Darkens a rounded box, so that what is written on it can be read whatever is behind. Row by row
// and in whole numbers, as it covers a third of the picture.
void draw_panel(const Canvas& canvas, float cx, float cy, float half_width, float half_height) {
  constexpr int kBelow = 87;  // 256ths that show through
  const Yuv color = canvas.yuv({0.05f, 0.05f, 0.14f});
  const auto darken = [](std::uint8_t* row, int from, int to, float above) {
    const int add = static_cast<int>(above * (256 - kBelow)) + 128;
    for (int x = from; x < to; ++x) {
      row[x] = static_cast<std::uint8_t>((row[x] * kBelow + add) >> 8);
    }
  };
  const float corner = half_height * 0.35f;
  const int top = std::max(0, static_cast<int>(cy - half_height));
  const int bottom = std::min(canvas.height, static_cast<int>(cy + half_height));
  for (int y = top; y < bottom; ++y) {
    const float dy = std::abs(static_cast<float>(y) + 0.5f - cy) - (half_height - corner);
    const float round = dy <= 0 ? 0 : corner - std::sqrt(std::max(0.0f, corner * corner - dy * dy));
    const int left = std::max(0, static_cast<int>(cx - half_width + round)) & ~1;
    const int right = std::min(canvas.width, static_cast<int>(cx + half_width - round) & ~1);
    darken(canvas.row(0, y), left, right, color.y);
    if (y % 2 != 0) continue;
    darken(canvas.row(1, y / 2), left / 2, right / 2, color.u);
    darken(canvas.row(2, y / 2), left / 2, right / 2, color.v);
  }
}

void draw_readout(const Canvas& canvas, std::int64_t frame_index, Duration elapsed) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  std::array<char, 48> time{};
  std::array<char, 48> number{};
  std::snprintf(time.data(), time.size(), "%02lld:%02lld.%03lld",
                static_cast<long long>(ms / 60'000), static_cast<long long>(ms / 1000 % 60),
                static_cast<long long>(ms % 1000));
  std::snprintf(number.data(), number.size(), "#%06lld", static_cast<long long>(frame_index));
  const std::string_view lines[2] = {time.data(), number.data()};

  const auto w = static_cast<float>(canvas.width);
  const auto h = static_cast<float>(canvas.height);
  // Whole dots are sharper; two are the least that can be read once coded.
  const float fits = std::min(w / 78, h / 46);
  const float dot = fits >= 2 ? std::floor(fits) : std::max(1.0f, fits);
  const float cx = std::floor(w / 2);
  const float cy = std::floor(h * 0.53f);
  const float width = text_width(std::max(lines[0].size(), lines[1].size()), dot);
  draw_panel(canvas, cx, cy, width / 2 + 3 * dot, 12 * dot);
  const float top = cy - 9 * dot;
  draw_text(canvas, lines[0], std::floor(cx - text_width(lines[0].size(), dot) / 2), top, dot,
            kWhite);
  draw_text(canvas, lines[1], std::floor(cx - text_width(lines[1].size(), dot) / 2), top + 11 * dot,
            dot, {1.0f, 0.86f, 0.45f});
}

}  // namespace

void draw_test_scene(NewFrame& picture, std::int64_t frame_index, Duration elapsed) {
  picture.frame.range = ColorRange::kLimited;
  picture.frame.matrix =
      picture.frame.size.height >= 720 ? ColorMatrix::kBt709 : ColorMatrix::kBt601;
  // An hour keeps a float exact to a fraction of a millisecond.
  const Duration in_hour = elapsed % Duration(1h);
  const auto seconds = static_cast<float>(to_seconds(in_hour));
  const Canvas canvas(picture);
  draw_background(canvas, seconds);
  draw_color_band(canvas, seconds);
  draw_balls(canvas, seconds);
  draw_clock(canvas, static_cast<float>(to_seconds(elapsed % Duration(1s))));
  const float dot = std::max(1.0f, std::floor(static_cast<float>(canvas.height) / 110));
  draw_text(canvas, "Qvid", 4 * dot, 4 * dot, dot * 1.5f, kWhite);
  draw_readout(canvas, frame_index, elapsed);
}

}  // namespace qvid::media
