// The chat of a call as its window is told of it. Text is UTF-8, without control characters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qvid::ui {

struct ChatLine {
  std::string from{};  // empty: of the program itself
  std::string to{};    // empty: to all
  std::string time{};  // "14:05"
  std::string text{};
  bool own = false;
};

struct ChatModel {
  bool available = false;  // something can be said now
  // The oldest first; bounded by who fills it. Shared, and never changed: another text is another
  // vector. Null: none.
  std::shared_ptr<const std::vector<ChatLine>> lines{};
  std::uint64_t told = 0;  // messages of others, ever

  bool operator==(const ChatModel&) const = default;
};

// How many of the messages have come since the chat was seen last.
class Unread {
 public:
  void note(std::uint64_t told, bool seen) {
    if (seen || told < seen_) seen_ = told;
    told_ = told;
  }
  std::uint64_t count() const { return told_ - seen_; }

 private:
  std::uint64_t told_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace qvid::ui
