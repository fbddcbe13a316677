#include "ui/call/tile_view.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "ui/call/hand_sign.h"
#include "ui/call/link_sign.h"
#include "ui/text/fonts.h"
#include "ui/text/translated.h"
#include "ui/window/paint.h"
#include "ui/window/renderer.h"
#include "ui/window/sound_signs.h"

namespace qvid::ui {
namespace {

constexpr float kFrame = 3;        // thickness
constexpr float kPlateMargin = 6;  // from the box, so that a frame does not touch it
constexpr float kSign = 14;        // side of a sign of sound
constexpr float kLeastSign = 10;   // smaller it tells nothing
constexpr float kMeter = 4;        // width of the strip that tells how loud it is
constexpr float kLeastPlateWidth = 40;
constexpr float kLeastPlateBox = 60;  // height: a plate must not hide half of a picture
constexpr float kLeastLinkBox = 120;  // width: the name goes before
constexpr float kLeastName = 40;      // width: before less is seen of it, the volume goes

// The height that the name plate takes at the box's lower edge; 0: the box is too small for one.
float plate_height(const Box& box) {
  if (box.height() < kLeastPlateBox || box.width() < kLeastPlateWidth) return 0;
  return line_height() + 6;
}

bool sends_sound(const TileView& tile) {
  if (tile.model.share) return false;
  if (!tile.model.own) return !tile.model.muted;
  return is_heard(tile.microphone);
}

// What is to be told of a tile's sound, from left to right.
struct Mark {
  SoundSign sign;
  ImU32 struck;
};
std::vector<Mark> marks_of(const TileView& tile) {
  std::vector<Mark> marks;
  if (tile.model.share) return marks;
  const bool sends_none = tile.model.own ? tile.microphone == Microphone::kNone : tile.model.muted;
  if (sends_none) marks.push_back({SoundSign::kMicrophone, kRed});
  if (tile.model.silenced) marks.push_back({SoundSign::kLoudspeaker, kAmber});
  return marks;
}

constexpr int kMostStatusLines = 4;

// Initials in a disc and, where there is room, the status below: in the middle of the box, but
// above the name plate.
void draw_absent(const Box& box, const TileModel& model, bool marked) {
  const float plate = plate_height(box);
  const float foot = box.max.y - (plate > 0 ? plate + 2 * kPlateMargin : 0.0f);
  const float radius = std::clamp(std::min(box.width(), box.height()) * 0.2f, 6.0f, 48.0f);
  const float room = foot - box.min.y - 2 * radius - kSpace;
  const int lines = plate <= 0 && marked ? 0 : static_cast<int>(room / line_height());
  const Paragraph status(lines > 0 ? model.status : "", box.width() - 2 * kSpace,
                         std::clamp(lines, 1, kMostStatusLines));
  const float height = 2 * radius + (status.size().y > 0 ? kSpace + status.size().y : 0.0f);
  const float top = std::min((box.min.y + box.max.y - height) / 2, foot - height);
  const ImVec2 disc{(box.min.x + box.max.x) / 2, top + radius};
  ground().AddCircleFilled(disc, radius, disc_color(model.name));

  const std::string letters = drawn_text(initials(model.name));
  const float size = radius * 0.95f;
  const ImVec2 extent = ImGui::GetFont()->CalcTextSizeA(size, FLT_MAX, 0, letters.c_str());
  ground().AddText(ImGui::GetFont(), size, {disc.x - extent.x / 2, disc.y - extent.y / 2}, kBright,
                   letters.c_str());
  status.write({disc.x - status.size().x / 2, disc.y + radius + kSpace}, kFaint);
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

bool shows_link(const Box& box, const TileView& tile) {
  return tile.model.link.quality != LinkQuality::kUnknown && box.width() >= kLeastLinkBox &&
         plate_height(box) > 0;
}

// At the right of the name plate; its words above both.
void draw_link(const Box& box, const TileView& tile) {
  if (!shows_link(box, tile)) return;
  const float end = plate_end(box, tile.over);
  if (end - kLinkSignWidth < box.min.x + kPlateMargin) return;
  const float height = plate_height(box);
  const float top = box.max.y - kPlateMargin - height;
  draw_link_sign(tile.model.link.quality, {end - kLinkSignWidth, top}, height);
  if (box.height() < 2 * kLeastPlateBox) return;
  draw_link_words(tile.model.link, end, top - 2, end - box.min.x - kPlateMargin,
                  box_of(tile.buttons));
}

std::string plate_text(const TileView& tile, float width) {
  const std::string title = tile_title(tile.model);
  if (!tile.model.own) {
    const bool troubled = tile.picture != nullptr && !tile.model.status.empty();
    return shortened(troubled ? title + " - " + tile.model.status : title, width);
  }
  return width_of(title) <= width || tile.model.share ? shortened(title, width)
                                                      : shortened(tr("you"), width);
}

float width_of_marks(const std::vector<Mark>& marks) {
  return static_cast<float>(marks.size()) * (kSign + kSpace);
}

// As many as there is room for, the first first.
std::vector<Mark> fitting(std::vector<Mark> marks, float room) {
  while (!marks.empty() && width_of_marks(marks) > room) marks.pop_back();
  return marks;
}

void draw_marks(const std::vector<Mark>& marks, ImVec2 at) {
  for (const Mark& mark : marks) {
    draw_sign(mark.sign, at, kSign, kBright, mark.struck);
    at.x += kSign + kSpace;
  }
}

// Where the box is too small for a plate: the marks alone.
void draw_bare_marks(const Box& box, const TileView& tile) {
  constexpr float kGround = kSign + 4;
  if (box.height() < kGround + 2 * kFrame) return;
  const std::vector<Mark> marks = fitting(marks_of(tile), box.width() - 2 * kFrame);
  if (marks.empty()) return;
  const ImVec2 min{box.min.x + kFrame, box.max.y - kFrame - kGround};
  const ImVec2 max{min.x + width_of_marks(marks) - 2, min.y + kGround};
  fill_rounded({min, max}, kDark);
  draw_marks(marks, {min.x + 2, min.y + 2});
}

// The name, and beside it what is wrong where the picture is there all the same; before it how loud
// it is and what is off, after it the volume.
void draw_plate(const Box& box, const TileView& tile) {
  const float height = plate_height(box);
  if (height <= 0) return draw_bare_marks(box, tile);
  const ImVec2 min{box.min.x + kPlateMargin, box.max.y - kPlateMargin - height};
  const float meter = sends_sound(tile) ? kMeter : 0.0f;
  const float beside = shows_link(box, tile) ? kLinkSignWidth + kSpace : 0.0f;
  const float room = plate_end(box, tile.over) - beside - min.x - meter - kSpace;
  const std::vector<Mark> marks = fitting(marks_of(tile), room);
  const float before = meter + kSpace + width_of_marks(marks);
  const float most = room - width_of_marks(marks) - kSpace;
  std::string volume = tile.model.silenced ? std::string() : volume_text(tile.model.volume);
  float after = volume.empty() ? 0.0f : width_of(volume) + kSpace;
  if (most - after < kLeastName) {
    volume.clear();
    after = 0;
  }
  const std::string text = plate_text(tile, most - after);
  if (text.empty() && marks.empty()) return;
  const float name_end = min.x + before + width_of(text);
  const ImVec2 max{name_end + after + (text.empty() ? 0.0f : kSpace), box.max.y - kPlateMargin};
  fill_rounded({min, max}, kDark);
  draw_marks(marks, {min.x + meter + kSpace, min.y + (height - kSign) / 2});
  const float top = min.y + (height - line_height()) / 2;
  write({min.x + before, top}, kBright, text);
  write({name_end + kSpace, top}, kBlue, volume);
  const float level = meter_level(tile.model.loudness) * (height - 2);
  if (meter <= 0 || level < 1) return;
  fill_plain({{min.x + 1, max.y - 1 - level}, {min.x + 1 + meter, max.y - 1}}, kGreen);
}

// At the upper left, one beside the other: a raised hand, a pin in a dark disc.
void draw_pin_and_hand(const Box& box, const TileModel& model) {
  constexpr float kRadius = 11;
  if (box.width() < 4 * kRadius || box.height() < 3 * kRadius) return;
  float left = box.min.x + kPlateMargin;
  if (model.hand > 0) {
    left += draw_raised_hand({left, box.min.y + kPlateMargin}, model.hand) + kSpace;
  }
  if (!model.pinned || left + 2 * kRadius > box.max.x) return;
  const ImVec2 at{left + kRadius, box.min.y + kPlateMargin + kRadius};
  ground().AddCircleFilled(at, kRadius, kDark);
  ground().AddLine({at.x, at.y}, {at.x, at.y + 8}, kBright, 2);
  ground().AddLine({at.x - 5, at.y + 1}, {at.x + 5, at.y + 1}, kAmber, 2);
  ground().AddRectFilled({at.x - 3, at.y - 6}, {at.x + 3, at.y + 1}, kAmber, 1);
}

// What the others hear of one's own, at the upper right: in a word where there is room, and as much
// of a sign as a tiny box has room for.
void draw_own_sound(const Box& box, Microphone microphone) {
  std::optional<Pill> pill = microphone_pill(microphone);
  if (!pill) return;
  const float margin = plate_height(box) > 0 ? kPlateMargin : kFrame;
  const float room = box.width() - 2 * margin;
  if (pill_width(*pill) > room) pill->text.clear();
  if (pill_width(*pill) > room || kPillHeight + 2 * margin > box.height()) {
    const float side = std::min(box.width(), box.height()) - 2 * kFrame;
    if (side < kLeastSign) return;
    const ImVec2 min{box.max.x - kFrame - side, box.min.y + kFrame};
    fill_rounded({min, {min.x + side, min.y + side}}, pill->ground);
    draw_sign(SoundSign::kMicrophone, {min.x + 2, min.y + 2}, side - 4, pill->color,
              pill->struck ? std::optional<ImU32>(pill->color) : std::nullopt);
    return;
  }
  draw_pill(*pill, {box.max.x - margin - pill_width(*pill), box.min.y + margin});
}

void draw_frame(const Box& box, ImU32 color, float inset) {
  draw_outline(box, inset, kFrame, color);
  // A dark line within, so that it is seen on a bright picture too.
  draw_outline(box, inset + kFrame, 1, kDark);
}

// What of the box no picture covers. Where there is no graphics card, filling under a picture as well
// took three times as long as drawing it.
void draw_ground(const Box& box, const Box& covered) {
  const auto fill = [](ImVec2 min, ImVec2 max) {
    if (min.x < max.x && min.y < max.y) ground().AddRectFilled(min, max, kTileGround);
  };
  fill(box.min, {box.max.x, covered.min.y});
  fill({box.min.x, covered.min.y}, {covered.min.x, covered.max.y});
  fill({covered.max.x, covered.min.y}, {box.max.x, covered.max.y});
  fill({box.min.x, covered.max.y}, box.max);
}

}  // namespace

void draw_in_list(ImDrawList& list, TilePicture& picture) {
  const bool clips = clips_exactly(ImGui::GetIO().DisplayFramebufferScale.x);
  const Box box = box_of(picture.where);
  if (clips) list.PushClipRect(box.min, box.max, true);
  list.AddCallback(
      [](const ImDrawList*, const ImDrawCmd* command) {
        const auto& shown = *static_cast<TilePicture*>(command->UserCallbackData);
        shown.texture->draw(shown.where);
      },
      &picture);
  if (clips) list.PopClipRect();
}

void draw_tile(const TileView& tile) {
  const Box box = box_of(tile.place.box);
  if (tile.place.box.empty()) return;
  if (tile.place.corner) {
    ground().AddRect({box.min.x - 1, box.min.y - 1}, {box.max.x + 1, box.max.y + 1}, kTileEdge, 0,
                     0, 2);
  }
  if (tile.picture != nullptr) {
    draw_ground(box, box_of(tile.place.picture));
    draw_in_list(ground(), *tile.picture);
  } else {
    ground().AddRectFilled(box.min, box.max, kTileGround);
    draw_absent(box, tile.model, !marks_of(tile).empty());
  }
  const bool own_face = tile.model.own && !tile.model.share;
  const bool unheard = own_face && tile.microphone == Microphone::kUnheard;
  const bool speaking = tile.model.speaking || unheard;
  if (tile.model.speaking && !unheard) draw_glow(box, meter_level(tile.model.loudness));
  draw_plate(box, tile);
  draw_link(box, tile);
  draw_pin_and_hand(box, tile.model);
  if (own_face) draw_own_sound(box, tile.microphone);
  if (speaking) draw_frame(box, unheard ? kRed : kGreen, 0);
  if (tile.selected) draw_frame(box, kBlue, speaking ? kFrame : 0);
}

}  // namespace qvid::ui
