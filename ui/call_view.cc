#include "ui/call_view.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>

namespace qvid::ui {
namespace {

const ImU32 kBox = IM_COL32(38, 40, 46, 255);
const ImU32 kBoxEdge = IM_COL32(0, 0, 0, 200);
const ImU32 kDark = IM_COL32(12, 12, 14, 190);
const ImU32 kNotice = IM_COL32(54, 58, 68, 235);
const ImU32 kBarColor = IM_COL32(12, 12, 14, 255);
const ImU32 kBright = IM_COL32(235, 238, 242, 255);
const ImU32 kDim = IM_COL32(166, 172, 184, 255);
const ImU32 kSpeaking = IM_COL32(76, 217, 100, 255);
const ImU32 kSelected = IM_COL32(120, 190, 255, 255);
const ImU32 kAmber = IM_COL32(255, 209, 115, 255);
const ImU32 kRed = IM_COL32(255, 86, 77, 255);
const std::array kDiscs{IM_COL32(70, 104, 160, 255), IM_COL32(146, 78, 110, 255),
                        IM_COL32(60, 120, 104, 255), IM_COL32(150, 96, 56, 255),
                        IM_COL32(104, 84, 158, 255), IM_COL32(84, 112, 62, 255)};

constexpr float kFrame = 3;  // thickness
constexpr float kPadding = 6;
constexpr float kRounding = 4;
constexpr float kPlateMargin = 6;  // from the box, so that a frame does not touch it
constexpr float kSign = 12;        // side of the sign for a muted microphone
constexpr float kLeastPlateWidth = 40;
constexpr float kLeastPlateBox = 60;  // height: a plate must not hide half of a picture

ImDrawList& list() { return *ImGui::GetBackgroundDrawList(); }

struct Box {
  ImVec2 min;
  ImVec2 max;
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
};

Box box_of(const Rectangle& r) {
  const auto x = static_cast<float>(r.x);
  const auto y = static_cast<float>(r.y);
  return {{x, y}, {x + static_cast<float>(r.width), y + static_cast<float>(r.height)}};
}

float line_height() { return ImGui::GetFontSize(); }
float width_of(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

// As much of the text, on one line, as is so wide; what is cut off is told by dots.
std::string shortened(const std::string& text, float width) {
  static constexpr char kDots[] = "...";
  std::string line = one_line(text);
  const auto fitting = [&](float room) {
    const char* rest = nullptr;
    const char* end = line.data() + line.size();
    ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), std::max(room, 0.0f), 0, line.data(), end,
                                    &rest);
    return static_cast<std::size_t>(rest - line.data());
  };
  if (fitting(width + 1) == line.size()) return line;
  line.resize(fitting(width - width_of(kDots)));
  return line.empty() ? std::string() : line + kDots;
}

void write(const ImVec2& at, ImU32 color, const std::string& text) {
  list().AddText({std::floor(at.x), std::floor(at.y)}, color, text.c_str());
}

ImU32 disc_color(const std::string& key) {
  std::uint32_t sum = 0;
  for (const char c : key) sum = sum * 31 + static_cast<unsigned char>(c);
  return kDiscs[sum % kDiscs.size()];
}

// The height that the name plate takes at the box's lower edge; 0: the box is too small for one.
float plate_height(const Box& box) {
  if (box.height() < kLeastPlateBox || box.width() < kLeastPlateWidth) return 0;
  return line_height() + 6;
}

// Initials in a disc and, where there is room, the status below: in the middle of the box, but
// above the name plate.
void draw_absent(const Box& box, const TileModel& model) {
  const float plate = plate_height(box);
  const float foot = box.max.y - (plate > 0 ? plate + 2 * kPlateMargin : 0.0f);
  const float radius = std::clamp(std::min(box.width(), box.height()) * 0.2f, 6.0f, 48.0f);
  const float line = kPadding + line_height();
  std::string status = shortened(model.status, box.width() - 2 * kPadding);
  if (2 * radius + line > foot - box.min.y) status.clear();
  const float height = 2 * radius + (status.empty() ? 0.0f : line);
  const float top = std::min((box.min.y + box.max.y - height) / 2, foot - height);
  const ImVec2 disc{(box.min.x + box.max.x) / 2, top + radius};
  list().AddCircleFilled(disc, radius, disc_color(model.key));

  const std::string letters = initials(model.name);
  const float size = radius * 0.95f;
  const ImVec2 extent = ImGui::GetFont()->CalcTextSizeA(size, FLT_MAX, 0, letters.c_str());
  list().AddText(ImGui::GetFont(), size, {disc.x - extent.x / 2, disc.y - extent.y / 2}, kBright,
                 letters.c_str());
  write({disc.x - width_of(status) / 2, disc.y + radius + kPadding}, kDim, status);
}

// A microphone, struck through.
void draw_muted(const ImVec2& at) {
  list().AddRectFilled({at.x + 4, at.y}, {at.x + 8, at.y + 7}, kDim, 2);
  list().AddLine({at.x + 6, at.y + 8}, {at.x + 6, at.y + kSign - 1}, kDim);
  list().AddLine({at.x + 3, at.y + kSign - 1}, {at.x + 9, at.y + kSign - 1}, kDim);
  list().AddLine({at.x, at.y}, {at.x + kSign, at.y + kSign}, kRed, 2);
}

// How far to the right a name plate may reach that is to be seen beside `over`.
float plate_end(const Box& box, const Rectangle& over) {
  const float end = box.max.x - kPlateMargin;
  const Box corner = box_of(over);
  const bool hides = !over.empty() && corner.min.y < box.max.y &&
                     corner.max.y > box.max.y - kPlateMargin - plate_height(box);
  const bool beside = corner.min.x > box.min.x && corner.min.x < box.max.x;
  return hides && beside ? std::min(end, corner.min.x - kPlateMargin) : end;
}

std::string plate_text(const TileView& tile, float width) {
  if (!tile.model.own) {
    const bool troubled = tile.picture != nullptr && !tile.model.status.empty();
    return shortened(troubled ? tile.model.name + " - " + tile.model.status : tile.model.name,
                     width);
  }
  const std::string text = one_line(tile.model.name + " (you)");
  return width_of(text) <= width ? text : shortened("you", width);
}

// The name, and beside it what is wrong where the picture is there all the same.
void draw_plate(const Box& box, const TileView& tile) {
  const float height = plate_height(box);
  if (height <= 0) return;
  const float sign = tile.model.muted ? kSign + kPadding : 0.0f;
  const ImVec2 min{box.min.x + kPlateMargin, box.max.y - kPlateMargin - height};
  const float most = plate_end(box, tile.over) - min.x - 2 * kPadding - sign;
  const std::string text = plate_text(tile, most);
  if (text.empty() && !tile.model.muted) return;
  const ImVec2 max{min.x + 2 * kPadding + sign + width_of(text), box.max.y - kPlateMargin};
  list().AddRectFilled(min, max, kDark, kRounding);
  if (tile.model.muted) draw_muted({min.x + kPadding, min.y + (height - kSign) / 2});
  write({min.x + kPadding + sign, min.y + (height - line_height()) / 2}, kBright, text);
}

// A pin in a dark disc.
void draw_pin(const Box& box) {
  constexpr float kRadius = 11;
  if (box.width() < 4 * kRadius || box.height() < 3 * kRadius) return;
  const ImVec2 at{box.min.x + kPlateMargin + kRadius, box.min.y + kPlateMargin + kRadius};
  list().AddCircleFilled(at, kRadius, kDark);
  list().AddLine({at.x, at.y}, {at.x, at.y + 8}, kBright, 2);
  list().AddLine({at.x - 5, at.y + 1}, {at.x + 5, at.y + 1}, kAmber, 2);
  list().AddRectFilled({at.x - 3, at.y - 6}, {at.x + 3, at.y + 1}, kAmber, 1);
}

void draw_frame(const Box& box, ImU32 color, float inset) {
  const float to_line = inset + kFrame / 2 - 0.5f;  // ImGui adds half a unit; now pixels are whole
  if (box.width() < 4 * to_line || box.height() < 4 * to_line) return;
  list().AddRect({box.min.x + to_line, box.min.y + to_line},
                 {box.max.x - to_line, box.max.y - to_line}, color, 0, 0, kFrame);
}

}  // namespace

void draw_tile(const TileView& tile) {
  const Box box = box_of(tile.place.box);
  if (tile.place.box.empty()) return;
  if (tile.place.corner) {
    list().AddRectFilled({box.min.x - 2, box.min.y - 2}, {box.max.x + 2, box.max.y + 2}, kBoxEdge);
  }
  list().AddRectFilled(box.min, box.max, kBox);
  if (tile.picture != nullptr) {
    list().AddCallback(
        [](const ImDrawList*, const ImDrawCmd* command) {
          const auto& picture = *static_cast<const TilePicture*>(command->UserCallbackData);
          picture.texture->draw(picture.where);
        },
        tile.picture);
  } else {
    draw_absent(box, tile.model);
  }
  draw_plate(box, tile);
  if (tile.model.pinned) draw_pin(box);
  if (tile.model.speaking) draw_frame(box, kSpeaking, 0);
  if (tile.selected) draw_frame(box, kSelected, tile.model.speaking ? kFrame : 0);
}

void draw_call_bar(const CallBar& bar) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  constexpr auto kHeight = static_cast<float>(kCallBarHeight);
  constexpr float kBetween = 18;
  list().AddRectFilled({0, 0}, {display.x, kHeight}, kBarColor);
  const float top = (kHeight - line_height()) / 2;
  float right = display.x - kPadding;
  const auto at_right = [&](const std::string& text, ImU32 color) {
    right -= width_of(text);
    write({right, top}, color, text);
    right -= kBetween;
  };
  const auto with_dot = [&](const std::string& text, ImU32 color) {
    at_right(text, color);
    right += kBetween - 9;
    list().AddCircleFilled({right, kHeight / 2}, 4, color);
    right -= 4 + kBetween;
  };
  const std::string parties =
      std::to_string(bar.parties) + " here" +
      (bar.not_shown > 0 ? ", " + std::to_string(bar.not_shown) + " not shown" : std::string());
  const bool wide = display.x >= 480;  // else only what matters, in short
  if (wide) at_right("h: help", kDim);
  with_dot(bar.camera_on ? "camera on" : "camera off", bar.camera_on ? kSpeaking : kDim);
  if (bar.sharing) with_dot(wide ? "sharing the desktop" : "sharing", kAmber);

  const float left = kPadding + 2;
  const std::string room = shortened(bar.room, right - left);
  write({left, top}, kBright, room);
  const float after = left + width_of(room) + (room.empty() ? 0 : kBetween);
  if (after + width_of(parties) <= right) write({after, top}, kDim, parties);
}

void draw_call_notices(const std::vector<std::string>& texts) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float most = std::min(display.x * 0.6f, 420.0f);
  const float height = line_height() + 10;
  ImVec2 corner{display.x - 2 * kPadding, static_cast<float>(kCallBarHeight) + 2 * kPadding};
  for (const std::string& text : texts) {
    const std::string line = shortened(text, most);
    const ImVec2 min{corner.x - width_of(line) - 2 * kPadding, corner.y};
    list().AddRectFilled(min, {corner.x, corner.y + height}, kNotice, kRounding);
    write({min.x + kPadding, corner.y + (height - line_height()) / 2}, kBright, line);
    corner.y += height + kPadding;
  }
}

}  // namespace qvid::ui
