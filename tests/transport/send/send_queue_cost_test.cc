// What a push into the send queue costs, counted in comparisons.
#include <gtest/gtest.h>

#include <string_view>

#include "transport/send/send_queue.h"

namespace paceline {
namespace {

using qvid::operator""_MiB;

// What a peer that chooses positions can make one push cost.
TEST(SendQueue, CostsLittleInAnyOrderOfPositions) {
  constexpr std::uint64_t kMessages = 57'344;
  const auto comparisons_of = [](auto&& position_of) {
    const Payload payload = Payload::copy_of(std::string_view("x"));
    SendQueue queue(32_MiB, 1_MiB);
    queue.open_stream(kFirstStream, 1.0);
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      EXPECT_TRUE(queue.push(kFirstStream, Message{.importance = Importance(1),
                                                   .position = Position(position_of(i)),
                                                   .payload = payload}));
    }
    std::uint64_t last = 0;
    while (const auto chunk = queue.pop(100)) {
      EXPECT_GE(chunk->position.value(), last);
      last = chunk->position.value();
    }
    return queue.comparisons();
  };
  EXPECT_LE(comparisons_of([](std::uint64_t i) { return i; }), 2 * kMessages);
  EXPECT_LE(comparisons_of([](std::uint64_t i) { return kMessages - i; }), 40 * kMessages);
  EXPECT_LE(comparisons_of([](std::uint64_t i) { return i * 40'503 % kMessages; }), 40 * kMessages);
}

}  // namespace
}  // namespace paceline
