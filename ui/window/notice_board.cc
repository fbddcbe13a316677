#include "ui/window/notice_board.h"

#include <utility>

namespace qvid::ui {

void NoticeBoard::add(std::string text, Timestamp now) {
  if (notices_.size() == kMost) notices_.pop_front();
  notices_.push_back({std::move(text), now + kShown});
}

std::vector<std::string> NoticeBoard::at(Timestamp now) const {
  std::vector<std::string> texts;
  for (const Notice& notice : notices_) {
    if (now < notice.end) texts.push_back(notice.text);
  }
  return texts;
}

std::optional<Timestamp> NoticeBoard::next_end(Timestamp now) const {
  for (const Notice& notice : notices_) {
    if (now < notice.end) return notice.end;  // they end in the order of their beginnings
  }
  return std::nullopt;
}

}  // namespace qvid::ui
