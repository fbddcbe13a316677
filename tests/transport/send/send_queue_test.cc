// What goes next, what can still be taken back, what is refused, and that the books always balance.
#include "transport/send/send_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "transport/wire/record.h"

namespace paceline::send_queue_test {
namespace {

using qvid::operator""_B;
using qvid::operator""_KiB;
using qvid::operator""_MiB;
using qvid::operator""ms;

const StreamId s0{0};
const StreamId s1{1};
const Timestamp t0{};

Message message(int importance, std::uint64_t position, std::size_t size,
                Timestamp deadline = qvid::kNever) {
  return {.importance = Importance(static_cast<std::uint8_t>(importance)),
          .position = Position(position),
          .deadline = deadline,
          .payload = Payload::copy_of(std::string(size, 'x'))};
}

struct SendQueueTest : testing::Test {
  SendQueueTest() {
    queue.open_stream(s0, 1.0);
    queue.open_stream(s1, 1.0);
  }
  MessageId push(int importance, std::uint64_t position, std::size_t size,
                 Timestamp deadline = qvid::kNever) {
    return *queue.push(s0, message(importance, position, size, deadline));
  }
  // The ids of the next chunks, until nothing waits.
  std::vector<MessageId> drain(std::size_t chunk) {
    std::vector<MessageId> order;
    while (const auto c = queue.pop(chunk)) order.push_back(c->message);
    return order;
  }
  SendQueue queue{1_MiB, 1_MiB};
};
using Order = std::vector<MessageId>;

TEST_F(SendQueueTest, ImportanceThenPositionThenAge) {
  const auto low = push(0, 0, 10);
  const auto late = push(9, 7, 10);
  const auto early = push(9, 3, 10);
  const auto early_too = push(9, 3, 10);
  const auto top = push(255, 99, 10);
  const auto middle = push(64, 1, 10);
  EXPECT_EQ(queue.messages(), 6u);
  EXPECT_EQ(drain(100), (Order{top, middle, early, early_too, late, low}));
  EXPECT_TRUE(queue.empty());
}

TEST_F(SendQueueTest, ImportantOneOvertakesAHalfSentOne) {
  const auto large = push(1, 0, 250);
  EXPECT_EQ(queue.pop(100)->message, large);
  const auto important = push(2, 9, 150);
  const auto earlier = push(1, 0, 50);  // younger than the large one
  EXPECT_EQ(drain(100), (Order{important, important, large, large, earlier}));
}

TEST_F(SendQueueTest, ChunksCoverTheMessage) {
  const auto id = push(5, 6, 250);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto c = queue.pop(100);
    ASSERT_TRUE(c);
    EXPECT_EQ(c->message, id);
    EXPECT_EQ(c->number, 0u);
    EXPECT_EQ(c->first, i == 0);
    EXPECT_EQ(c->last, i == 2);
    EXPECT_EQ(c->offset, i * 100);
    EXPECT_EQ(c->bytes.size(), i == 2 ? 50u : 100u);
    EXPECT_EQ(c->message_size, 250_B);
    EXPECT_EQ(c->importance, Importance(5));
    EXPECT_EQ(c->position, Position(6));
  }
  EXPECT_FALSE(queue.pop(100));
  push(0, 0, 0);
  const auto empty = queue.pop(100);
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->first && empty->last && empty->bytes.empty());
  EXPECT_EQ(empty->number, 1u);
}

TEST_F(SendQueueTest, CancelBeforeInTheMiddleAndAfter) {
  const auto id = push(1, 0, 250);
  auto removed = queue.remove(id);
  ASSERT_TRUE(removed);
  EXPECT_FALSE(removed->begun);
  EXPECT_EQ(removed->sent, 0_B);
  EXPECT_EQ(removed->size, 250_B);
  EXPECT_FALSE(queue.remove(id));
  EXPECT_EQ(queue.bytes(), 0_B);

  const auto half = push(1, 0, 250);
  EXPECT_NE(half, id);
  EXPECT_FALSE(queue.remove(id));  // a number is not used again
  queue.pop(100);
  EXPECT_EQ(queue.bytes(), 150_B);
  removed = queue.remove(half);
  ASSERT_TRUE(removed);
  EXPECT_TRUE(removed->begun);
  EXPECT_EQ(removed->sent, 100_B);
  EXPECT_EQ(removed->number, 1u);
  EXPECT_EQ(queue.bytes(), 0_B);
  EXPECT_FALSE(queue.pop(100));

  const auto whole = push(1, 0, 50);
  EXPECT_TRUE(queue.pop(100)->last);
  EXPECT_FALSE(queue.remove(whole));
  EXPECT_FALSE(queue.remove(MessageId(~std::uint64_t{0})));
}

TEST_F(SendQueueTest, DeadlinesTakeOutTheEarliestFirst) {
  const auto b = push(1, 0, 10, t0 + 20ms);
  const auto a = push(1, 0, 10, t0 + 10ms);
  const auto never = push(1, 0, 10);
  const auto c = push(1, 0, 250, t0 + 30ms);
  EXPECT_EQ(queue.next_deadline(), t0 + 10ms);
  EXPECT_FALSE(queue.remove_expired(t0 + 9ms));
  EXPECT_EQ(queue.remove_expired(t0 + 25ms)->message, a);
  EXPECT_EQ(queue.remove_expired(t0 + 25ms)->message, b);
  EXPECT_FALSE(queue.remove_expired(t0 + 25ms));
  EXPECT_EQ(queue.pop(100)->message, never);
  EXPECT_EQ(queue.pop(100)->message, c);
  const auto expired = queue.remove_expired(t0 + 30ms);  // at the deadline: too late
  EXPECT_TRUE(expired->begun);
  EXPECT_EQ(expired->sent, 100_B);
  EXPECT_EQ(queue.next_deadline(), qvid::kNever);
  push(1, 0, 10, t0 + 40ms);
  queue.pop(100);
  EXPECT_FALSE(queue.remove_expired(t0 + 50ms));  // it has left already
}

TEST_F(SendQueueTest, StaleDeadlinesDoNotPileUp) {
  for (int i = 0; i < 100'000; ++i) queue.remove(push(1, 0, 1, t0 + std::chrono::hours(i + 1)));
  EXPECT_TRUE(queue.empty());
  const auto live = push(1, 0, 1, t0 + 1ms);
  EXPECT_EQ(queue.next_deadline(), t0 + 1ms);
  EXPECT_EQ(queue.remove_expired(t0 + 1ms)->message, live);
}

TEST_F(SendQueueTest, RefusesBeyondItsCapacityAndTellsOfRoomOnce) {
  EXPECT_FALSE(queue.room_again());
  push(1, 0, 1024 * 1024);
  EXPECT_FALSE(queue.push(s0, message(255, 0, 1)));
  EXPECT_TRUE(queue.push(s0, message(255, 0, 0)));
  EXPECT_FALSE(queue.room_again());
  queue.pop(1);
  while (queue.bytes() > 512_KiB) {
    EXPECT_FALSE(queue.room_again());
    queue.pop(64 * 1024);
  }
  EXPECT_TRUE(queue.room_again());
  EXPECT_FALSE(queue.room_again());
}

TEST_F(SendQueueTest, BeginsNoMoreThanTheReceiverHolds) {
  queue.set_reassembly_budget(500_B);
  const auto a = push(1, 0, 300);
  EXPECT_EQ(queue.pop(100)->message, a);
  const auto b = push(2, 0, 300);      // both would be 600
  const auto small = push(3, 0, 100);  // goes whole: it needs no room
  EXPECT_EQ(queue.pop(100)->message, small);
  EXPECT_EQ(queue.pop(100)->message, a);  // to make room for b
  EXPECT_EQ(queue.pop(100)->message, a);
  EXPECT_EQ(drain(100), (Order{b, b, b}));
}

TEST_F(SendQueueTest, OneMessageBeyondTheBudgetGoesAlone) {
  queue.set_reassembly_budget(10_B);
  const auto a = push(1, 0, 250);
  const auto b = push(1, 1, 250);
  EXPECT_EQ(drain(100), (Order{a, a, a, b, b, b}));
}

TEST_F(SendQueueTest, CancellingABegunOneMakesRoomForAnother) {
  queue.set_reassembly_budget(500_B);
  const auto a = push(1, 0, 300);
  queue.pop(100);
  const auto b = push(2, 0, 300);
  EXPECT_TRUE(queue.remove(a)->begun);
  EXPECT_EQ(drain(100), (Order{b, b, b}));
}

TEST_F(SendQueueTest, UrgentOnesComeOutOfTurn) {
  push(253, 0, 10);
  push(200, 0, 500);
  EXPECT_FALSE(queue.pop_urgent());
  const auto sound = *queue.push(s1, message(254, 1, SendQueue::kMostUrgent));
  const auto later = *queue.push(s1, message(254, 2, 60));
  const auto control = push(255, 9, 60);
  push(255, 10, SendQueue::kMostUrgent + 1);  // too large to be urgent
  const auto first = queue.pop_urgent();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->message, control);
  EXPECT_TRUE(first->first && first->last);
  EXPECT_EQ(queue.pop_urgent()->message, sound);
  queue.remove(later);
  EXPECT_FALSE(queue.pop_urgent());
  EXPECT_EQ(queue.messages(), 3u);
  // In its turn, too, it goes whole: a lane has no place for a part.
  const auto half = *queue.push(s1, message(254, 3, 100));
  auto chunk = queue.pop(40);
  while (chunk && chunk->message != half) chunk = queue.pop(40);
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->bytes.size(), 100u);
  EXPECT_TRUE(chunk->first && chunk->last);
}

TEST_F(SendQueueTest, ClosingAStreamTakesItsMessagesOnly) {
  push(1, 0, 250);
  push(2, 0, 250);
  queue.pop(100);
  const auto other = *queue.push(s1, message(0, 0, 50));
  int removed = 0;
  int begun = 0;
  while (const auto r = queue.close_stream(s0)) {
    ++removed;
    begun += r->begun;
  }
  EXPECT_EQ(removed, 2);
  EXPECT_EQ(begun, 1);
  EXPECT_FALSE(queue.has_stream(s0));
  EXPECT_FALSE(queue.close_stream(s0));
  EXPECT_EQ(queue.bytes(), 50_B);
  EXPECT_EQ(queue.bytes(s0), 0_B);
  EXPECT_EQ(drain(100), (Order{other}));
}

// Under quality fairness a message pays its measure, whatever its size, chunk by chunk.
TEST(SendQueue, QualityIsWhatStreamsPay) {
  SendQueue fair(1_MiB, 1_MiB, Fairness::kQuality);
  fair.open_stream(s0, 1.0);
  fair.open_stream(s1, 1.0);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(fair.push(s0, message(0, 0, 100)));
    ASSERT_TRUE(fair.push(s1, message(0, 0, 1000)));
  }
  std::map<StreamId, int> messages;
  for (int ended = 0; ended < 100;) {
    const auto c = fair.pop(100);
    if (c->last) ++ended, ++messages[c->stream];
  }
  EXPECT_NEAR(messages[s0], messages[s1], 1);

  Message dear = message(0, 0, 0);  // without a byte to share its cost
  dear.quality = 50.0;
  ASSERT_TRUE(fair.push(s0, dear));
  std::map<StreamId, int> next;
  while (next[s0] == 0 || next[s1] < 20) {
    const auto c = fair.pop(1000);
    ASSERT_TRUE(c);
    ++next[c->stream];
  }
  EXPECT_LE(next[s0], 21);
}

// The same calls against a list that is searched from end to end.
struct Model {
  struct Entry {
    StreamId stream;
    int importance;
    std::uint64_t position;
    std::uint64_t age;
    std::size_t size;
    std::size_t sent = 0;
    Timestamp deadline;
  };
  static auto key(const Entry& e) { return std::tuple(-e.importance, e.position, e.age); }

  // The best of those that `want` accepts.
  template <class F>
  std::optional<MessageId> best(F want) const {
    std::optional<MessageId> found;
    for (const auto& [id, e] : waiting) {
      if (want(e) && (!found || key(e) < key(waiting.at(*found)))) found = id;
    }
    return found;
  }
  ByteCount bytes(std::optional<StreamId> of = {}) const {
    std::size_t sum = 0;
    for (const auto& [id, e] : waiting) sum += !of || e.stream == *of ? e.size - e.sent : 0;
    return ByteCount::of(sum);
  }
  ByteCount begun() const {
    std::size_t sum = 0;
    for (const auto& [id, e] : waiting) sum += e.sent > 0 ? e.size : 0;
    return ByteCount::of(sum);
  }
  std::map<MessageId, Entry> waiting;
};

void run_random(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const ByteCount capacity = 40_KiB;
  const ByteCount budget = seed % 2 == 0 ? 1_MiB : 4_KiB;
  SendQueue queue(capacity, budget);
  Model model;
  std::set<MessageId> ever;
  std::map<StreamId, std::uint64_t> numbers;
  std::uint64_t age = 0;
  Timestamp now = t0;
  const auto took_out = [&](const SendQueue::Removed& r) {
    const auto it = model.waiting.find(r.message);
    ASSERT_NE(it, model.waiting.end());
    EXPECT_EQ(r.stream, it->second.stream);
    EXPECT_EQ(r.sent.size(), it->second.sent);
    EXPECT_EQ(r.size.size(), it->second.size);
    EXPECT_EQ(r.begun, it->second.sent > 0);
    model.waiting.erase(it);
  };
  for (int step = 0; step < 20'000; ++step) {
    const StreamId stream(static_cast<std::uint32_t>(pick(3)));
    const int action = pick(100);
    if (action < 45) {
      if (!queue.has_stream(stream)) queue.open_stream(stream, 1.0 + pick(3));
      const auto size = static_cast<std::size_t>(pick(10) == 0 ? pick(9000) : pick(300));
      const Timestamp deadline = pick(3) == 0 ? now + pick(50) * 1ms : qvid::kNever;
      const int importance = pick(4) * 80;
      const auto position = static_cast<std::uint64_t>(pick(5));
      const auto id = queue.push(stream, message(importance, position, size, deadline));
      ASSERT_EQ(id.has_value(), model.bytes() + ByteCount::of(size) <= capacity);
      if (!id) continue;
      ASSERT_TRUE(ever.insert(*id).second) << "an id was used twice";
      model.waiting[*id] = {stream, importance, position, age++, size, 0, deadline};
    } else if (action < 80) {
      const auto max = 1 + static_cast<std::size_t>(pick(2000));
      const auto c = queue.pop(max);
      ASSERT_EQ(c.has_value(), !model.waiting.empty());
      if (!c) continue;
      Model::Entry& e = model.waiting.at(c->message);
      const auto of_stream = model.best([&](const auto& x) { return x.stream == e.stream; });
      const auto of_begun = model.best([](const auto& x) { return x.sent > 0; });
      EXPECT_TRUE(c->message == of_stream || (budget < capacity && c->message == of_begun));
      EXPECT_EQ(c->first, e.sent == 0);
      EXPECT_EQ(c->offset, e.sent);
      EXPECT_EQ(c->bytes.size(), std::min(max, e.size - e.sent));
      e.sent += c->bytes.size();
      EXPECT_EQ(c->last, e.sent == e.size);
      if (c->last) model.waiting.erase(c->message);
      if (c->first && !c->last &&
          model.best([&](const auto& x) { return x.sent > 0 && x.age != e.age; })) {
        EXPECT_LE(model.begun(), budget);
      }
    } else if (action < 92 && !model.waiting.empty()) {
      const auto it =
          std::next(model.waiting.begin(), pick(static_cast<int>(model.waiting.size())));
      const auto removed = queue.remove(it->first);
      ASSERT_TRUE(removed);
      took_out(*removed);
    } else if (action < 98) {
      now += pick(20) * 1ms;
      while (const auto removed = queue.remove_expired(now)) took_out(*removed);
      EXPECT_FALSE(model.best([&](const auto& x) { return x.deadline <= now; }));
      EXPECT_GT(queue.next_deadline(), now);
    } else {
      while (const auto removed = queue.close_stream(stream)) took_out(*removed);
      EXPECT_FALSE(model.best([&](const auto& x) { return x.stream == stream; }));
    }
    ASSERT_EQ(queue.messages(), model.waiting.size());
    ASSERT_EQ(queue.bytes(), model.bytes());
    ASSERT_EQ(queue.bytes(stream), model.bytes(stream));
  }
  if (seed % 3 == 0) {
    while (const auto removed = queue.remove_any()) took_out(*removed);
  } else {
    while (queue.pop(1000)) continue;
    model.waiting.clear();
  }
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(model.waiting.empty());
  EXPECT_EQ(queue.bytes(), 0_B);
}

TEST(SendQueue, AgreesWithASimpleModel) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    run_random(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace paceline::send_queue_test
