#include "ui/call/share_part.h"

#include <SDL.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "ui/text/fonts.h"
#include "ui/text/translated.h"
#include "ui/window/paint.h"

namespace qvid::ui {
namespace {

constexpr int kLeastDrag = 3;  // units; less is a click

int to_pixels(int units, int length, int pixels) {
  return static_cast<int>(std::lround(static_cast<double>(units) * pixels / length));
}

float to_units(int at, int pixels, int length) {
  return static_cast<float>(at) * static_cast<float>(length) / static_cast<float>(pixels);
}

// All but `kept` of `all`.
void darken_around(const Box& all, const Box& kept) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(all.min, {all.max.x, kept.min.y}, kLeftOut);
  list.AddRectFilled({all.min.x, kept.max.y}, all.max, kLeftOut);
  list.AddRectFilled({all.min.x, kept.min.y}, {kept.min.x, kept.max.y}, kLeftOut);
  list.AddRectFilled({kept.max.x, kept.min.y}, {all.max.x, kept.max.y}, kLeftOut);
}

}  // namespace

bool SharePart::handle_key(const SDL_Keysym& key) {
  const int step = (key.mod & KMOD_CTRL) != 0 ? kFineStep : kStep;
  int x = 0;
  int y = 0;
  switch (key.sym) {
    case SDLK_LEFT: x = -step; break;
    case SDLK_RIGHT: x = step; break;
    case SDLK_UP: y = -step; break;
    case SDLK_DOWN: y = step; break;
    default: return false;
  }
  if ((key.mod & KMOD_SHIFT) != 0) {
    choice_.grow(x, y);
  } else {
    choice_.move(x, y);
  }
  return true;
}

SharePart::Answer SharePart::draw(TilePicture& still) {
  Answer answer = Answer::kNone;
  still.where = place_ = {};
  // Keys are the rectangle's: none moves a focus here.
  if (ImGui::BeginChild("part", {0, 0}, false,
                        ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar |
                            ImGuiWindowFlags_NoScrollWithMouse)) {
    ImGui::TextWrapped("%s",
                       drawn_text(tr("Drag over what the others are to see. The arrow keys move "
                                     "it, with Shift they make it larger or smaller."))
                           .c_str());
    const float buttons = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    Rectangle place =
        fit(choice_.desktop(), {static_cast<int>(room.x), static_cast<int>(room.y - buttons)});
    if (!place.empty()) {
      place.x += static_cast<int>(std::ceil(at.x));
      place.y = static_cast<int>(std::ceil(at.y));
      still.where = place_ = place;
      if (still.texture) {
        draw_in_list(*ImGui::GetWindowDrawList(), still);
      } else {
        ImGui::GetWindowDrawList()->AddRectFilled(box_of(place).min, box_of(place).max, kNoStill);
      }
      draw_area(place);
      ImGui::SetCursorScreenPos(
          {at.x, static_cast<float>(place.y + place.height) + ImGui::GetStyle().ItemSpacing.y});
    }
    if (ImGui::Button(drawn_text(tr("Share")).c_str())) answer = Answer::kShare;
    ImGui::SameLine();
    if (ImGui::Button(drawn_text(tr("Back")).c_str())) answer = Answer::kBack;
  }
  ImGui::EndChild();
  return answer;
}

bool SharePart::press(int x, int y) {
  if (!place_.has(x, y)) return false;
  drag_ = Drag{.x = x, .y = y, .moved = false};
  return true;
}

bool SharePart::move(int x, int y) {
  if (!drag_) return false;
  drag_->moved = drag_->moved || std::abs(x - drag_->x) + std::abs(y - drag_->y) >= kLeastDrag;
  if (!drag_->moved || place_.empty()) return true;
  const auto [width, height] = choice_.desktop();
  const auto across = [&](int at) { return to_pixels(at - place_.x, place_.width, width); };
  const auto down = [&](int at) { return to_pixels(at - place_.y, place_.height, height); };
  choice_.span(across(drag_->x), down(drag_->y), across(x), down(y));
  return true;
}

void SharePart::draw_area(const Rectangle& place) const {
  const Rectangle& area = choice_.area();
  const auto [width, height] = choice_.desktop();
  const Box all = box_of(place);
  const auto corner = [&](int x, int y) {
    return ImVec2{all.min.x + to_units(x, width, place.width),
                  all.min.y + to_units(y, height, place.height)};
  };
  const Box box{corner(area.x, area.y), corner(area.x + area.width, area.y + area.height)};
  darken_around(all, box);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRect(box.min, box.max, kAmber, 0, 0, 2);
  // Below it, where there is room, else within.
  const std::string size = media::size_text({area.width, area.height});
  const ImVec2 words{width_of(size) + 2 * kSpace, line_height()};
  const bool below = box.max.y + words.y <= all.max.y;
  const ImVec2 at{std::clamp(box.min.x, all.min.x, std::max(all.min.x, all.max.x - words.x)),
                  below ? box.max.y : box.max.y - words.y};
  list.AddRectFilled(at, {at.x + words.x, at.y + words.y}, kDark);
  list.AddText({at.x + kSpace, at.y}, kBright, drawn_text(size).c_str());
}

}  // namespace qvid::ui
