// What a party has been told by chat, in the order in which it came: for its window, its terminal and
// its report.
//
//   joined -> { add | note }*  -> joined again: what the broker tells once more is known already
//
// Text is made clean here too, whatever a broker lets through. Where messages to all are missing
// (they are numbered), a line says how many.
//
// Bound: kMost lines; the oldest go. Pure: `now` is the wall clock's. Thread: one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "pubsub/wire/from_broker.h"

namespace qvid::app {

using ChatTime = std::chrono::sys_seconds;

struct ChatMessage {
  std::string from{};  // empty: of the program itself, as that something was not sent
  std::string to{};    // empty: to all
  std::string text{};
  ChatTime time{};  // when it was said
  bool own = false;
};

class ChatLog {
 public:
  static constexpr std::size_t kMost = 500;

  explicit ChatLog(std::string own_name) : own_name_(std::move(own_name)) {}

  // A member again: the broker tells what it has kept.
  void joined() { last_number_ = 0; }
  // Null: it is known already. Valid until the next call.
  const ChatMessage* add(const qps::Said& said, ChatTime now);
  void note(const std::string& text, ChatTime now);

  const std::deque<ChatMessage>& messages() const { return messages_; }
  // Of others, ever.
  std::uint64_t told() const { return told_; }

 private:
  // Two of the same number and text: said within so long they are one, told twice.
  static constexpr auto kSame = std::chrono::seconds(10);
  struct Known {
    std::int64_t number = 0;
    ChatTime time{};
    std::size_t hash = 0;  // of who and what
  };
  bool is_known(const Known& known) const;
  void push(ChatMessage message);

  const std::string own_name_;
  std::deque<ChatMessage> messages_;
  std::deque<Known> known_;  // of what was said to all; kMost
  std::int64_t last_number_ = 0;
  std::uint64_t told_ = 0;
};

// "Ann: hello", "Ann to Bob: psst"; of the program itself the text alone.
std::string text_of(const ChatMessage& message);

}  // namespace qvid::app
