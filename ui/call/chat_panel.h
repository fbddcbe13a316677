// The chat of a call, in its side panel: what was said, and a line to say something. Links are opened
// by a click alone, or by a key where one has the focus.
//
// Draws the lines that are seen; their breaks are kept until the text or the width is another.
// Thread: the main thread, inside a frame of ImGui.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ui/call/chat_model.h"

namespace qvid::ui {

class ChatPanel {
 public:
  static constexpr std::size_t kMostTyped = 2000;  // bytes: as much as a broker takes

  // The panel is shown from now on: the line takes the keyboard.
  void open() {
    focus_ = focusing_ = true;
    to_end_ = true;
  }
  // The line is to have the keyboard and has it not yet: ImGui takes some drawings for it.
  bool focusing() const { return focusing_; }
  void stop_focusing() { focusing_ = false; }
  // Pages up or down, negative: up.
  void scroll(int pages) { pages_ += pages; }
  // The latest link of what was drawn last; empty: there is none.
  std::string last_link() const;
  // What is typed begins with the name.
  void address(const std::string& name);

  // What the user did in this frame.
  struct Input {
    std::string said{};    // as it was typed; empty: nothing
    std::string opened{};  // a link; empty: none
  };
  Input draw(const ChatModel& model);

 private:
  struct Segment {
    std::string text{};
    std::string link{};  // all of it, of which the text is a part; empty: no link
  };
  enum class Tone : std::uint8_t { kHead, kOwnHead, kText, kProgram };
  struct Row {
    Tone tone = Tone::kText;
    std::vector<Segment> segments{};
  };
  // True: the rows are others than before.
  bool lay_out(const ChatModel& model, float width);
  void add_body(const ChatLine& line, float width, Tone tone);
  void draw_rows(Input& input);
  void draw_row(const Row& row, int number, Input& input) const;
  void draw_line(const ChatModel& model, Input& input);

  std::shared_ptr<const std::vector<ChatLine>> laid_out_{};  // what rows_ are of
  float width_ = 0;
  std::uint64_t fonts_ = 0;      // fonts_built() that they were measured with
  bool measured_again_ = false;  // once: with fonts that hold them
  std::vector<Row> rows_;
  bool at_end_ = true;  // the last row is seen, and what comes next shall be
  bool to_end_ = true;
  bool focus_ = false;
  bool focusing_ = false;
  int pages_ = 0;
  std::array<char, kMostTyped + 1> typed_{};
};

}  // namespace qvid::ui
