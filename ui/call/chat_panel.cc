#include "ui/call/chat_panel.h"

#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "ui/text/fonts.h"
#include "ui/text/links.h"
#include "ui/text/translated.h"
#include "ui/text/wrapped_text.h"
#include "ui/window/paint.h"

namespace qvid::ui {
namespace {

// A text of ImGui's own, as it is drawn, in a colour.
void put(const std::string& text, ImU32 color) {
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(drawn_text(text).c_str());
  ImGui::PopStyleColor();
}

// Underlined; true: it was clicked, or chosen by a key.
bool put_link(const std::string& text) {
  const std::string shown = drawn_text(text);
  const ImVec2 size = ImGui::CalcTextSize(shown.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushStyleColor(ImGuiCol_Text, kBlue);
  // Its text is anybody's, and "##" would have a meaning.
  const bool chosen = ImGui::Selectable("##link", false, 0, size);
  ImGui::GetWindowDrawList()->AddText(at, kBlue, shown.c_str());
  ImGui::GetWindowDrawList()->AddLine({at.x, at.y + size.y}, {at.x + size.x, at.y + size.y}, kBlue);
  ImGui::PopStyleColor();
  return chosen;
}

}  // namespace

std::string ChatPanel::last_link() const {
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    for (auto part = row->segments.rbegin(); part != row->segments.rend(); ++part) {
      if (!part->link.empty()) return part->link;
    }
  }
  return {};
}

void ChatPanel::address(const std::string& name) {
  const std::string begin = field_text("@" + name + ": ");
  if (begin.size() > kMostTyped) return;
  typed_.fill('\0');
  std::memcpy(typed_.data(), begin.data(), begin.size());
}

void ChatPanel::add_body(const ChatLine& line, float width, Tone tone) {
  const std::string& text = line.text;
  const std::vector<TextPart> parts = split_links(text);
  const auto measure = [](std::string_view part) { return width_of(std::string(part)); };
  for (const TextLine& broken : wrap(text, width, measure)) {
    Row row{.tone = tone};
    for (const TextPart& part : parts) {
      const std::size_t begin = std::max(part.begin, broken.begin);
      const std::size_t end = std::min(part.end, broken.end);
      if (begin >= end) continue;
      row.segments.push_back(
          {.text = text.substr(begin, end - begin),
           .link = part.link ? text.substr(part.begin, part.end - part.begin) : std::string()});
    }
    rows_.push_back(std::move(row));
  }
}

bool ChatPanel::lay_out(const ChatModel& model, float width) {
  const std::uint64_t fonts = fonts_built();
  const bool anew = model.lines != laid_out_ || width != width_;
  if (!anew && (measured_again_ || fonts == fonts_)) return false;
  measured_again_ = !anew;
  laid_out_ = model.lines;
  width_ = width;
  fonts_ = fonts;
  rows_.clear();
  if (!laid_out_) return true;
  for (const ChatLine& line : *laid_out_) {
    if (line.from.empty()) {
      add_body(line, width, Tone::kProgram);
      continue;
    }
    std::string head = line.time + "  " + (line.own ? tr("You") : line.from);
    if (!line.to.empty()) head += ' ' + filled(tr("to {}"), line.own ? line.to : tr("you"));
    rows_.push_back({.tone = line.own ? Tone::kOwnHead : Tone::kHead,
                     .segments = {{.text = shortened(head, width)}}});
    add_body(line, width, Tone::kText);
  }
  return true;
}

void ChatPanel::draw_row(const Row& row, int number, Input& input) const {
  static constexpr ImU32 kColors[] = {kAmber, kBlue, kBright, kFaint};  // by tone
  ImGui::PushID(number);
  int part = 0;
  for (const Segment& segment : row.segments) {
    if (part > 0) ImGui::SameLine(0, 0);
    ImGui::PushID(part++);
    if (segment.link.empty()) {
      put(segment.text, kColors[static_cast<std::size_t>(row.tone)]);
    } else if (put_link(segment.text)) {
      input.opened = segment.link;
    }
    ImGui::PopID();
  }
  ImGui::PopID();
}

void ChatPanel::draw_rows(Input& input) {
  if (rows_.empty()) put(tr("Nothing has been said yet."), kFaint);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows_.size()), ImGui::GetTextLineHeightWithSpacing());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      draw_row(rows_[static_cast<std::size_t>(i)], i, input);
    }
  }
  clipper.End();
  if (pages_ != 0) {
    const float page = ImGui::GetWindowHeight() - ImGui::GetTextLineHeightWithSpacing();
    ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(std::exchange(pages_, 0)) * page);
    to_end_ = false;
    at_end_ = false;
    return;
  }
  const bool was_moved = std::exchange(to_end_, false);  // which the next drawing shows
  if (was_moved) ImGui::SetScrollHereY(1);
  at_end_ = was_moved || ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
}

void ChatPanel::draw_line(const ChatModel& model, Input& input) {
  // What is typed is drawn by ImGui itself: its characters are noted here.
  note_field(typed_.data());
  const float button = ImGui::CalcTextSize(tr("Send")).x + 4 * kSpace;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - button);
  if (std::exchange(focus_, false)) ImGui::SetKeyboardFocusHere();
  const char* hint =
      model.available ? tr("To all; to one: @name ...") : tr("There is no chat at this broker now");
  bool send = ImGui::InputTextWithHint("##say", hint, typed_.data(), typed_.size(),
                                       ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemActive() && ImGui::GetIO().WantTextInput) focusing_ = false;
  ImGui::SameLine();
  send = ImGui::Button(tr("Send"), {-1, 0}) || send;
  if (!send || !model.available) return;
  input.said = text_of_field(typed_.data(), kMostTyped);
  typed_.fill('\0');
  open();  // for the next one
}

ChatPanel::Input ChatPanel::draw(const ChatModel& model) {
  Input input;
  const float foot = ImGui::GetFrameHeightWithSpacing();
  if (ImGui::BeginChild("said", {0, -foot})) {
    // Whether the bar to scroll with is there or not.
    const float width = ImGui::GetWindowWidth() - ImGui::GetStyle().ScrollbarSize;
    if (lay_out(model, width) && at_end_) to_end_ = true;
    draw_rows(input);
  }
  ImGui::EndChild();
  draw_line(model, input);
  return input;
}

}  // namespace qvid::ui
