#include "ui/window/progress_bar.h"

#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "ui/window/colors.h"

namespace qvid::ui {
namespace {

constexpr int kHeight = 34;      // units, of the strip that takes the mouse
constexpr int kMargin = 78;      // units on either side, for the texts
constexpr float kBarHeight = 6;  // units
constexpr float kKnob = 7;       // radius

Duration place_at(int x, media::PictureSize window, Duration duration) {
  const int width = std::max(1, window.width - 2 * kMargin);
  const double share = std::clamp(static_cast<double>(x - kMargin) / width, 0.0, 1.0);
  return from_seconds(share * to_seconds(duration));
}

}  // namespace

std::string place_text(Duration place) {
  const auto seconds = std::max<std::int64_t>(0, place / std::chrono::seconds(1));
  char text[32];
  if (seconds >= 3600) {
    std::snprintf(text, sizeof text, "%lld:%02d:%02d", static_cast<long long>(seconds / 3600),
                  static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
  } else {
    std::snprintf(text, sizeof text, "%d:%02d", static_cast<int>(seconds / 60),
                  static_cast<int>(seconds % 60));
  }
  return text;
}

bool ProgressBar::seen(Timestamp now) const {
  if (!model_) return false;
  return paused_ || drag_ || pointed_ || (touched_ && now < *touched_ + kStays);
}

std::optional<Timestamp> ProgressBar::end(Timestamp now) const {
  if (!seen(now) || paused_ || drag_ || pointed_) return std::nullopt;
  return *touched_ + kStays;
}

bool ProgressBar::touch(Timestamp now) {
  const bool hidden = model_.has_value() && !seen(now);
  touched_ = now;
  return hidden;
}

void ProgressBar::set(std::optional<ProgressModel> model, bool paused) {
  model_ = model;
  paused_ = paused;
  if (model_ && model_->duration > Duration::zero()) return;
  drag_.reset();
  pointed_.reset();
}

std::optional<Duration> ProgressBar::place_under(int x, int y, media::PictureSize window,
                                                 Timestamp now) const {
  if (!seen(now) || model_->duration <= Duration::zero()) return std::nullopt;
  if (y < window.height - kHeight || y >= window.height) return std::nullopt;
  return place_at(x, window, model_->duration);
}

bool ProgressBar::press(int x, int y, media::PictureSize window, Timestamp now) {
  const auto place = place_under(x, y, window, now);
  if (place) drag_ = place;
  return place.has_value();
}

bool ProgressBar::point(int x, int y, media::PictureSize window, Timestamp now) {
  const auto before = pointed();
  pointed_ = place_under(x, y, window, now);
  if (drag_) drag_ = place_at(x, window, model_->duration);
  return pointed() != before;
}

float ProgressBar::x_of(Duration place, media::PictureSize window) const {
  const double share = std::clamp(to_seconds(place) / to_seconds(model_->duration), 0.0, 1.0);
  return static_cast<float>(kMargin + share * (window.width - 2 * kMargin));
}

std::optional<Duration> ProgressBar::release() { return std::exchange(drag_, std::nullopt); }

float ProgressBar::height(Timestamp now) const {
  return seen(now) ? static_cast<float>(kHeight) : 0.0f;
}

void ProgressBar::draw(Timestamp now) const {
  if (!seen(now)) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float top = display.y - static_cast<float>(kHeight);
  list.AddRectFilled({0, top}, display, kStrip);
  const Duration place = drag_.value_or(model_->place);
  const float middle = top + static_cast<float>(kHeight) / 2;
  const auto text = [&](const std::string& words, float right) {
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    list.AddText({right - size.x, middle - size.y / 2}, kBright, words.c_str());
  };
  constexpr float kGap = 12;
  const float left = static_cast<float>(kMargin);
  const float right = display.x - left;
  text(place_text(place), left - kGap);
  if (model_->duration <= Duration::zero() || right <= left) return;
  const std::string all = place_text(model_->duration);
  text(all, right + kGap + ImGui::CalcTextSize(all.c_str()).x);
  const media::PictureSize window{static_cast<int>(display.x), static_cast<int>(display.y)};
  const auto at = [&](Duration there) { return x_of(there, window); };
  const auto bar = [&](float to, ImU32 color) {
    list.AddRectFilled({left, middle - kBarHeight / 2}, {to, middle + kBarHeight / 2}, color,
                       kBarHeight / 2);
  };
  bar(right, kBarRest);
  bar(at(model_->place + model_->buffered), kBarThere);
  bar(at(place), kAmber);
  list.AddCircleFilled({at(place), middle}, kKnob, kAmber);
}

void draw_pause_sign() {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const ImVec2 at{display.x / 2, display.y / 2};
  constexpr float kRadius = 40;
  list.AddCircleFilled(at, kRadius, kStrip);
  for (const float x : {at.x - 14, at.x + 4}) {
    list.AddRectFilled({x, at.y - 18}, {x + 10, at.y + 18}, kBright, 2);
  }
}

}  // namespace qvid::ui
