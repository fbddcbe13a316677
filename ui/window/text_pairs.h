// Which text lies on which ground in the windows: all that is written, in the colours of
// ui/window/colors.h. Each is read at 4.5 to 1 and more (WCAG 2.1, 1.4.3), whatever picture is under
// it: tests/ui/window/contrast_test.cc.
#pragma once

#include <array>

#include "ui/window/colors.h"

namespace qvid::ui {

struct TextPair {
  const char* where;
  ImU32 text;
  ImU32 ground;
};

inline constexpr std::array kTextPairs{
    TextPair{"a name, a place in a film, a pill", kBright, kDark},
    TextPair{"a volume", kBlue, kDark},
    TextPair{"a raised hand, a silenced film", kAmber, kDark},
    TextPair{"the progress bar", kBright, kStrip},
    TextPair{"a tooltip", kBright, kTooltipGround},
    TextPair{"the bar of a call", kBright, kBarGround},
    TextPair{"the bar of a call", kFaint, kBarGround},
    TextPair{"the bar of a call, camera on", kGreen, kBarGround},
    TextPair{"the bar of a call, no camera", kRed, kBarGround},
    TextPair{"the bar of a call, a volume", kBlue, kBarGround},
    TextPair{"the bar of a call, sharing", kAmber, kBarGround},
    TextPair{"what is waited for", kFaint, kWindowGround},
    TextPair{"a page before a call", kBright, kWindowGround},
    TextPair{"a page before a call", kFaint, kWindowGround},
    TextPair{"a page before a call, trouble", kAmber, kWindowGround},
    TextPair{"statistics", kWhite, kOverlayGround},
    TextPair{"statistics, names", kFaint, kOverlayGround},
    TextPair{"the keys", kWhite, kHelpGround},
    TextPair{"the keys", kAmber, kHelpGround},
    TextPair{"what is wrong", kWhite, kBannerGround},
    TextPair{"what has happened", kBright, kNoticeGround},
    TextPair{"a tile without a picture", kFaint, kTileGround},
    TextPair{"muted, a number of messages, Remove", kBright, kRedGround},
    TextPair{"muted, a number of messages, Remove", kWhite, kRedGround},
    TextPair{"talking", kBright, kGreenGround},
    TextPair{"a button with letters", kBright, kButtonGround},
    TextPair{"a button with letters, hovered", kBright, kButtonHovered},

    TextPair{"a button before a call", kBright, kPlainGround},
    TextPair{"its second text; a hint in a field, hovered", kFaint, kPlainGround},
    TextPair{"a button before a call, hovered", kBright, kPlainHovered},
    TextPair{"the first button", kBright, kPrimaryGround},
    TextPair{"the first button, hovered", kBright, kPrimaryHovered},
    TextPair{"a field", kBright, kFieldGround},
    TextPair{"a hint in a field", kFaint, kFieldGround},

    TextPair{"a panel", kWhite, kPanelGround},
    TextPair{"a panel", kBright, kPanelGround},
    TextPair{"a panel", kFaint, kPanelGround},
    TextPair{"a link of chat", kBlue, kPanelGround},
    TextPair{"a name, a raised hand", kAmber, kPanelGround},
    TextPair{"a panel's field", kWhite, kPanelField},
    TextPair{"a hint in a panel's field", kFaint, kPanelField},
    TextPair{"a panel's field, hovered", kWhite, kPanelFieldHovered},
    TextPair{"a hint in a panel's field, hovered", kFaint, kPanelFieldHovered},
    TextPair{"a panel's button", kWhite, kPanelRaised},
    TextPair{"a panel's button, a chosen line", kBright, kPanelRaised},
    TextPair{"the second text of a panel's button", kFaint, kPanelRaised},
    TextPair{"a link of chat with the focus", kBlue, kPanelRaised},
    TextPair{"a raised hand, chosen", kAmber, kPanelRaised},
    TextPair{"a line pointed at", kBright, kPanelLine},
    TextPair{"a link of chat, pointed at", kBlue, kPanelLine},
    TextPair{"a raised hand, pointed at", kAmber, kPanelLine},
    TextPair{"a panel's button, hovered", kWhite, kPanelButton},
    TextPair{"a panel's button, hovered", kBright, kPanelButton},
    TextPair{"a panel's button, pressed", kWhite, kPanelPressed},
    TextPair{"a panel's button, pressed", kBright, kPanelPressed},
    TextPair{"a volume, over the slider", kWhite, kPanelGrab},

    TextPair{"initials", kBright, kDiscs[0]},
    TextPair{"initials", kBright, kDiscs[1]},
    TextPair{"initials", kBright, kDiscs[2]},
    TextPair{"initials", kBright, kDiscs[3]},
    TextPair{"initials", kBright, kDiscs[4]},
    TextPair{"initials", kBright, kDiscs[5]},
};

}  // namespace qvid::ui
