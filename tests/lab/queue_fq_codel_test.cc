// FQ-CoDel against RFC 8290: turns by bytes, who is new goes first, who has the most makes room.
#include "lab/emulator/fq_codel.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "lab/emulator/flow.h"
#include "tests/lab/ip_packets.h"

namespace qvid::lab::queue_fq_codel_test {
namespace {

constexpr Timestamp kStart{1000s};

Packet of_flow(unsigned port, std::size_t size = 1000, Timestamp now = kStart) {
  return ip_packet({.source_port = port, .size = size}, now);
}
unsigned port_of(const Packet& packet) { return flow_of(packet.bytes).source_port; }

TEST(QueueFqCodel, FlowsGetAsManyBytesInTurn) {
  FqCodel queue(1'000'000_B, 7);
  for (int i = 0; i < 300; ++i) queue.push(of_flow(1, 1500), kStart);
  for (int i = 0; i < 900; ++i) queue.push(of_flow(2, 500), kStart);
  std::map<unsigned, std::size_t> bytes;
  for (int i = 0; i < 200; ++i) {
    const auto packet = queue.pop(kStart);
    ASSERT_TRUE(packet);
    bytes[port_of(*packet)] += packet->bytes.size();
  }
  EXPECT_NEAR(static_cast<double>(bytes[1]), static_cast<double>(bytes[2]), 3000);
}

TEST(QueueFqCodel, WhoWasQuietGoesFirst) {
  FqCodel queue(1'000'000_B, 7);
  for (int i = 0; i < 300; ++i) queue.push(of_flow(1), kStart);
  for (int i = 0; i < 5; ++i) queue.pop(kStart);
  queue.push(of_flow(2), kStart);
  const auto next = queue.pop(kStart);
  ASSERT_TRUE(next);
  EXPECT_EQ(port_of(*next), 2u);
}

// One packet at a time does not pass those who wait each time.
TEST(QueueFqCodel, WhoBecameEmptyWaitsForItsTurn) {
  FqCodel queue(1'000'000_B, 7);
  for (int i = 0; i < 300; ++i) queue.push(of_flow(1, 500), kStart);
  int at_once = 0;
  for (int i = 0; i < 100; ++i) {
    queue.push(of_flow(2, 100), kStart);
    const auto next = queue.pop(kStart);
    ASSERT_TRUE(next);
    at_once += port_of(*next) == 2;
    ASSERT_TRUE(queue.pop(kStart));
  }
  EXPECT_LT(at_once, 80);
}

// Of many flows with a packet each the queue is long all the same.
TEST(QueueFqCodel, AQueueOfManyFlowsIsNoShortOne) {
  FqCodel queue(1'000'000_B, 7);
  for (unsigned port = 1; port <= 60; ++port) queue.push(of_flow(port), kStart);
  for (int ms = 1; ms <= 3000; ++ms) {
    const Timestamp now = kStart + ms * 1ms;
    const auto packet = queue.pop(now);
    if (packet) queue.push(of_flow(port_of(*packet), 1000, now), now);
  }
  EXPECT_GT(queue.dropped(), 0u);
}

TEST(QueueFqCodel, TheLongestQueueMakesRoom) {
  FqCodel queue(30'000_B, 7);
  for (int i = 0; i < 10; ++i) queue.push(of_flow(2), kStart);
  for (int i = 0; i < 100; ++i) {
    Packet packet = of_flow(1);
    packet.bytes.back() = std::byte(i);
    queue.push(std::move(packet), kStart);
  }
  EXPECT_LE(queue.bytes(), 30'000_B);
  EXPECT_EQ(queue.dropped(), 80u);
  std::map<unsigned, int> packets;
  std::vector<std::byte> last;
  while (const auto packet = queue.pop(kStart)) {
    ++packets[port_of(*packet)];
    last = packet->bytes;
  }
  EXPECT_EQ(packets[2], 10);
  EXPECT_EQ(packets[1], 20);
  EXPECT_EQ(last.back(), std::byte{99}) << "what came last is there: the head is dropped";
  EXPECT_EQ(queue.bytes(), 0_B);
}

TEST(QueueFqCodel, OnlyTheFlowThatWaitsTooLongIsDropped) {
  FqCodel queue(10'000'000_B, 7);
  int quiet = 0;
  for (int i = 0; i < 300; ++i) queue.push(of_flow(1), kStart);
  for (int ms = 1; ms <= 2000; ++ms) {  // one out each millisecond, 0.8 in of the first flow
    const Timestamp now = kStart + ms * 1ms;
    if (ms % 5 != 0) queue.push(of_flow(1, 1000, now), now);
    if (ms % 5 == 0) queue.push(of_flow(2, 1000, now), now);
    const auto packet = queue.pop(now);
    ASSERT_TRUE(packet);
    if (port_of(*packet) == 2) {
      ++quiet;
      EXPECT_LE(now - packet->arrived, Duration(2ms));
    }
  }
  EXPECT_GE(quiet, 399);
  EXPECT_GT(queue.dropped(), 40u);
}

TEST(QueueFqCodel, NothingIsLostOrCountedTwiceWhateverComes) {
  FqCodel queue(200'000_B, 3);
  std::mt19937 random(1);
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  Timestamp now = kStart;
  for (int i = 0; i < 50'000; ++i) {
    now += std::chrono::microseconds(random() % 400);
    if (random() % 2 == 0) {
      queue.push(of_flow(static_cast<unsigned>(random() % 3000), 100 + random() % 1400, now), now);
      ++in;
    } else {
      out += queue.pop(now).has_value();
    }
    ASSERT_LE(queue.bytes(), 200'000_B);
  }
  while (queue.pop(now)) ++out;
  EXPECT_EQ(in, out + queue.dropped());
  EXPECT_EQ(queue.bytes(), 0_B);
}

}  // namespace
}  // namespace qvid::lab::queue_fq_codel_test
