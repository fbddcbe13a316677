#include "app/room/chat_log.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.h"
#include "ui/text/translated.h"

namespace qvid::app {

bool ChatLog::is_known(const Known& known) const {
  return std::ranges::any_of(known_, [&](const Known& k) {
    const auto apart = k.time < known.time ? known.time - k.time : k.time - known.time;
    return k.number == known.number && k.hash == known.hash && apart <= kSame;
  });
}

const ChatMessage* ChatLog::add(const qps::Said& said, ChatTime now) {
  ChatMessage message{.from = clean_line(said.from),
                      .to = clean_line(said.to),
                      .text = clean_line(said.text),
                      .time = now - std::chrono::duration_cast<ChatTime::duration>(said.ago),
                      .own = said.from == own_name_};
  if (message.from.empty() || message.text.empty()) return nullptr;
  if (said.number > 0) {
    const std::int64_t before = std::exchange(last_number_, std::max(last_number_, said.number));
    const Known known{said.number, message.time,
                      std::hash<std::string>()(message.from + '\n' + message.text)};
    if (is_known(known)) return nullptr;
    known_.push_back(known);
    if (known_.size() > kMost) known_.pop_front();
    if (before > 0 && said.number > before + 1) {
      note(ui::filled(ui::tr("{} messages did not come through"), said.number - before - 1), now);
    }
  }
  if (!message.own) ++told_;
  push(std::move(message));
  return &messages_.back();
}

void ChatLog::note(const std::string& text, ChatTime now) {
  push({.from = {}, .to = {}, .text = clean_line(text), .time = now});
}

void ChatLog::push(ChatMessage message) {
  messages_.push_back(std::move(message));
  if (messages_.size() > kMost) messages_.pop_front();
}

std::string text_of(const ChatMessage& message) {
  if (message.from.empty()) return message.text;
  return message.from + (message.to.empty() ? "" : " to " + message.to) + ": " + message.text;
}

}  // namespace qvid::app
