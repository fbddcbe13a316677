// Hands at the mouse and the keyboard of an X server (XTEST), and eyes for the titles of its windows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/e2e/process.h"

namespace e2e {

struct Patch {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

class Robot {
 public:
  // Throws where that X server cannot be reached or knows no XTEST.
  explicit Robot(const std::string& display);
  ~Robot();
  Robot(const Robot&) = delete;
  Robot& operator=(const Robot&) = delete;

  // Waits until there is a window of this title, and gives it the keyboard, as a window manager
  // would. False: there was none in that time.
  bool focus(const std::string& title, Milliseconds at_most = kPatience);
  // The window that has the keyboard.
  void type(const std::string& ascii);
  void key(const std::string& name, int times = 1);  // "Return", "shift+Tab", "ctrl+o"
  void hold(const std::string& name);                // until it is released
  void release(const std::string& name);
  void click(int x, int y);          // in that window, in pixels
  std::pair<int, int> size() const;  // of that window: width and height
  // Its button goes down at the first place, up at the second.
  void drag(int from_x, int from_y, int to_x, int to_y);
  // The mouse is over that window, so many pixels above its lower edge, at that part of its width.
  void point_above_edge(int pixels, double part);
  // Covers a part of the desktop with one colour (red, green, blue: 0xrrggbb), as long as this exists;
  // nobody lists it among the windows.
  void cover(const Patch& part, unsigned colour);
  // Waits until that window shows about this colour on so many pixels in a line or more, and tells what
  // surrounds them all. Empty: it was not seen in that time.
  std::optional<Patch> find(unsigned colour, int least, Milliseconds at_most = kPatience);
  void close();  // as by a window manager's button
  // What is seen there, on it or on what lies over it.
  struct Color {
    int red = 0;
    int green = 0;
    int blue = 0;
  };
  Color color_above_edge(int pixels, double part);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace e2e
