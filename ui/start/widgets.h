// What the pages before a call are made of: fields, choices, buttons of Dear ImGui, with the focus
// always seen, in colours that are read (contrast of 4.5 and more). Inside a frame of ImGui
// (ui/window/gui.h) and a window of it; units are the window's.
//
// Each is of the mouse and of the keyboard: Tab and arrows go from one to the next, Space and Enter
// press. Thread: the main thread.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ui/start/qr_code.h"

namespace qvid::ui {

inline constexpr float kRowHeight = 30;
inline constexpr float kLabelWidth = 104;

// The look of all pages, while it lives.
class PageStyle {
 public:
  PageStyle();
  ~PageStyle();
  PageStyle(const PageStyle&) = delete;
  PageStyle& operator=(const PageStyle&) = delete;
};

// A page over all of the window but so much at its lower edge; scrolled where it does not fit.
void draw_page(const char* name, float below, const std::function<void()>& content);

void draw_title(const std::string& text);
// Wrapped, at the page's edge or at so wide; nothing where it is empty.
void draw_trouble(const std::string& text);
void draw_faint(const std::string& text, float width = 0);

enum class Weight { kPlain, kPrimary };
// As its text needs, and no narrower than most.
float button_width(const std::string& text);
// `width`: 0: button_width(). True: it was pressed.
bool draw_button(const std::string& text, Weight weight = Weight::kPlain, float width = 0);

// With its label before it, over the rest of the width but `spare`.
struct Field {
  std::string label;
  std::string hint{};    // while it is empty
  bool secret = false;   // dots in the place of letters
  bool focused = false;  // the keyboard's when the page appears
  float spare = 0;
};
// True: Enter was pressed in it.
bool draw_field(const Field& field, std::string& text);
void draw_choice(const Field& field, const std::vector<std::string>& names, std::size_t& chosen);
// How loud it is, 0 to 1.
void draw_level(float level, float width);

// So many units wide and high at most, in whole pixels a module.
void draw_qr(const QrCode& code, float side);

}  // namespace qvid::ui
