// Messages whose bytes tell which they are, and the books of what became of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "transport/wire/message.h"

namespace paceline {

// The bytes of message `tag`, which travels as its position: a part of one block, another for each.
// Precondition: size <= 2 MB.
inline Payload payload(std::uint64_t tag, std::size_t size) {
  static const Payload all = [] {
    qvid::PayloadBuilder b(2'000'000 + (1 << 16));
    std::uint32_t state = 1;
    for (std::byte& byte : b.bytes())
      byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
    return std::move(b).take();
  }();
  return all.slice(tag * 7919 % (1 << 16), size);
}

inline Message message(std::uint64_t tag, std::size_t size, int importance = 0,
                       Timestamp deadline = qvid::kNever) {
  return {.importance = Importance(static_cast<std::uint8_t>(importance)),
          .position = Position(tag),
          .deadline = deadline,
          .payload = payload(tag, size),
          .in_any_order = true};
}

// What one end sent.
struct Ledger {
  struct Entry {
    std::uint64_t tag;
    std::size_t size;
    int arrived = 0;
    std::vector<Outcome> ended;
  };
  void sent(MessageId id, std::uint64_t tag, std::size_t size) {
    EXPECT_TRUE(by_id.emplace(id, messages.size()).second) << "an id was used twice";
    by_tag[tag] = messages.size();
    messages.push_back({tag, size, 0, {}});
  }
  void arrived(const MessageArrived& m) {
    const auto it = by_tag.find(m.position.value());
    ASSERT_NE(it, by_tag.end());
    Entry& e = messages[it->second];
    ++e.arrived;
    ASSERT_EQ(m.payload.size(), e.size);
    EXPECT_TRUE(e.size == 0 ||
                std::memcmp(m.payload.data(), payload(e.tag, e.size).data(), e.size) == 0);
  }
  void ended(const MessageEnded& m) {
    const auto it = by_id.find(m.message);
    ASSERT_NE(it, by_id.end());
    messages[it->second].ended.push_back(m.outcome);
    EXPECT_EQ(m.size.size(), messages[it->second].size);
    EXPECT_LE(m.sent, m.size);
  }
  int count(Outcome outcome) const {
    return static_cast<int>(std::ranges::count_if(
        messages, [&](const Entry& e) { return e.ended == std::vector{outcome}; }));
  }
  int total() const { return static_cast<int>(messages.size()); }
  bool all_ended() const {
    return std::ranges::none_of(messages, [](const Entry& e) { return e.ended.empty(); });
  }
  // Each ended once, and what was said of it is true.
  void expect_settled() const {
    for (const Entry& e : messages) {
      SCOPED_TRACE(testing::Message() << "message " << e.tag << " of " << e.size << " bytes");
      ASSERT_EQ(e.ended.size(), 1u);
      switch (e.ended[0]) {
        case Outcome::kDelivered: EXPECT_EQ(e.arrived, 1); break;
        case Outcome::kCancelled: EXPECT_EQ(e.arrived, 0); break;
        case Outcome::kLost: EXPECT_LE(e.arrived, 1); break;
      }
    }
  }
  std::vector<Entry> messages;
  std::map<MessageId, std::size_t> by_id;
  std::map<std::uint64_t, std::size_t> by_tag;
};

}  // namespace paceline
