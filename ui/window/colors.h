// The colours of the windows: those of text, those that it lies on, the others. None is made
// elsewhere (tests/architecture/includes_test.sh); which meet, and how well they are read,
// ui/window/text_pairs.h says.
#pragma once

#include <imgui.h>

namespace qvid::ui {

// Of text, and of signs.
inline constexpr ImU32 kBright = IM_COL32(235, 238, 242, 255);
inline constexpr ImU32 kFaint = IM_COL32(166, 172, 184, 255);
inline constexpr ImU32 kGreen = IM_COL32(76, 217, 100, 255);
inline constexpr ImU32 kBlue = IM_COL32(120, 190, 255, 255);
inline constexpr ImU32 kRed = IM_COL32(255, 86, 77, 255);
inline constexpr ImU32 kAmber = IM_COL32(255, 209, 115, 255);
inline constexpr ImU32 kWhite = IM_COL32(255, 255, 255, 255);  // ImGui's own text

// What text lies on.
inline constexpr ImU32 kDark = IM_COL32(12, 12, 14, 200);  // over any picture
inline constexpr ImU32 kStrip = IM_COL32(12, 12, 14, 175);
inline constexpr ImU32 kTooltipGround = IM_COL32(12, 12, 14, 240);
inline constexpr ImU32 kBarGround = IM_COL32(12, 12, 14, 255);
inline constexpr ImU32 kWindowGround = IM_COL32(18, 18, 20, 255);  // where nothing else is
inline constexpr ImU32 kOverlayGround = IM_COL32(15, 15, 15, 204);
inline constexpr ImU32 kHelpGround = IM_COL32(15, 15, 15, 240);
inline constexpr ImU32 kBannerGround = IM_COL32(140, 69, 5, 217);
inline constexpr ImU32 kNoticeGround = IM_COL32(54, 58, 68, 235);
inline constexpr ImU32 kTileGround = IM_COL32(38, 40, 46, 255);
inline constexpr ImU32 kRedGround = IM_COL32(190, 30, 30, 255);
inline constexpr ImU32 kGreenGround = IM_COL32(20, 116, 48, 255);
inline constexpr ImU32 kButtonGround = IM_COL32(44, 47, 56, 240);  // over any picture
inline constexpr ImU32 kButtonHovered = IM_COL32(78, 84, 100, 250);
// Of a page before a call.
inline constexpr ImU32 kPlainGround = IM_COL32(44, 47, 56, 255);
inline constexpr ImU32 kPlainHovered = IM_COL32(66, 71, 86, 255);
inline constexpr ImU32 kPrimaryGround = IM_COL32(24, 92, 176, 255);
inline constexpr ImU32 kPrimaryHovered = IM_COL32(32, 104, 192, 255);
inline constexpr ImU32 kFieldGround = IM_COL32(30, 32, 38, 255);
// Of the panel beside a call. ImGui's own are too bright for what is written on them.
inline constexpr ImU32 kPanelGround = IM_COL32(28, 31, 38, 255);
inline constexpr ImU32 kPanelField = IM_COL32(35, 54, 83, 255);
inline constexpr ImU32 kPanelFieldHovered = IM_COL32(37, 62, 98, 255);
inline constexpr ImU32 kPanelRaised = IM_COL32(36, 63, 100, 255);  // a button, a chosen line
inline constexpr ImU32 kPanelLine = IM_COL32(38, 70, 112, 255);    // a line that is pointed at
inline constexpr ImU32 kPanelPressed = IM_COL32(41, 87, 153, 255);
inline constexpr ImU32 kPanelButton = IM_COL32(46, 100, 174, 255);  // one that is pointed at
inline constexpr ImU32 kPanelGrab = IM_COL32(46, 100, 174, 255);    // a slider's
// Of the discs that have somebody's initials.
inline constexpr ImU32 kDiscs[] = {IM_COL32(70, 104, 160, 255), IM_COL32(146, 78, 110, 255),
                                   IM_COL32(57, 115, 99, 255),  IM_COL32(146, 92, 52, 255),
                                   IM_COL32(104, 84, 158, 255), IM_COL32(84, 112, 62, 255)};

// Of no text: lines, signs, bars.
inline constexpr ImU32 kLeftOut = IM_COL32(0, 0, 0, 150);     // of a screen, beside the chosen part
inline constexpr ImU32 kNoStill = IM_COL32(40, 44, 54, 255);  // a screen that is not seen yet
inline constexpr ImU32 kFocus = kAmber;                       // about what has the keyboard
inline constexpr ImU32 kEdge = IM_COL32(110, 118, 136, 255);
inline constexpr ImU32 kBlack = IM_COL32(0, 0, 0, 255);
inline constexpr ImU32 kTileEdge = IM_COL32(0, 0, 0, 200);
inline constexpr ImU32 kStrokeEdge = IM_COL32(0, 0, 0, 190);
inline constexpr ImU32 kLinkMissing = IM_COL32(110, 114, 124, 255);
inline constexpr ImU32 kBarRest = IM_COL32(255, 255, 255, 60);
inline constexpr ImU32 kBarThere = IM_COL32(255, 255, 255, 120);

// The same colour, so opaque: 0..255.
constexpr ImU32 with_opacity(ImU32 color, ImU32 opacity) {
  return (color & ~IM_COL32_A_MASK) | opacity << IM_COL32_A_SHIFT;
}

}  // namespace qvid::ui
