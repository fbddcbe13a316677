// The terminal while Qmon has it: the alternate screen, without cursor and echo. Given back when
// destroyed. One at a time. Thread: one.
#pragma once

#include <termios.h>

#include <cstddef>
#include <span>

#include "app/mon/mon_table.h"

namespace qvid::app {

class Terminal {
 public:
  // Whether stdout is a terminal that understands the sequences.
  static bool usable();

  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  struct Size {
    std::size_t columns = 80;
    std::size_t rows = 24;
  };
  Size size() const;
  void draw(std::span<const ScreenLine> lines);
  bool has_keys() const { return has_keys_; }  // stdin is a terminal too

 private:
  bool has_keys_ = false;
  termios before_{};
};

}  // namespace qvid::app
