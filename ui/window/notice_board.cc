#include "ui/window/notice_board.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace qvid::ui {

void NoticeBoard::add(std::string text, Timestamp now) {
  if (notices_.size() == kMost) notices_.pop_front();
  const auto reading = kPerByte * static_cast<std::int64_t>(std::min(text.size(), kMostRead));
  notices_.push_back({std::move(text), now + std::max<Duration>(kShown, reading)});
}

std::vector<std::string> NoticeBoard::at(Timestamp now) const {
  std::vector<std::string> texts;
  for (const Notice& notice : notices_) {
    if (now < notice.end) texts.push_back(notice.text);
  }
  return texts;
}

std::optional<Timestamp> NoticeBoard::next_end(Timestamp now) const {
  std::optional<Timestamp> first;
  for (const Notice& notice : notices_) {
    if (now < notice.end) first = std::min(first.value_or(notice.end), notice.end);
  }
  return first;
}

}  // namespace qvid::ui
