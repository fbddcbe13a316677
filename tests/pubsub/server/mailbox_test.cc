#include "pubsub/server/mailbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/transport/event_loop.h"

namespace qps {
namespace {

using qvid::ByteCount;
using Box = Mailbox<int>;

struct MailboxTest : testing::Test, paceline::EventLoop {
  std::vector<int> got;
  int batches = 0;
  std::unique_ptr<Box> open(Box::Bound bound) {
    return std::make_unique<Box>(io, bound, [this](std::vector<int>& batch) {
      got.insert(got.end(), batch.begin(), batch.end());
      ++batches;
    });
  }
};

TEST_F(MailboxTest, ManyValuesAreOneBatch) {
  const auto box = open({.values = 2, .bytes = ByteCount(1)});
  for (int i = 0; i < 10; ++i) box->push(i, ByteCount(100));  // never waits
  EXPECT_EQ(got.size(), 0u);
  drain();
  EXPECT_EQ(got, (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(batches, 1);
  box->push(10);
  drain();
  EXPECT_EQ(batches, 2);
}

TEST_F(MailboxTest, WhatIsPushedWhileABatchIsTakenIsTheNext) {
  std::unique_ptr<Box> box;
  box = std::make_unique<Box>(io, Box::Bound{.values = 9, .bytes = ByteCount(9)},
                              [&](std::vector<int>& batch) {
                                ++batches;
                                if (batch.front() < 3) box->push(batch.front() + 1);
                                got.push_back(batch.front());
                              });
  box->push(0);
  drain();
  EXPECT_EQ(got, (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(batches, 4);
}

// Each sender's values in its order, all of them, and never more than may wait.
TEST_F(MailboxTest, SendersWaitForRoom) {
  for (const Box::Bound bound : {Box::Bound{.values = 3, .bytes = ByteCount(1'000'000)},
                                 Box::Bound{.values = 1'000, .bytes = ByteCount(25)}}) {
    got.clear();
    std::size_t most = 0;
    Box box(io, bound, [&](std::vector<int>& batch) {
      most = std::max(most, batch.size());
      got.insert(got.end(), batch.begin(), batch.end());
    });
    constexpr int kEach = 2'000;
    const auto send = [&](int from) {
      for (int i = 0; i < kEach; ++i) box.push_when_room(from + i, ByteCount(10));
    };
    std::jthread a(send, 0), b(send, 1'000'000);
    ASSERT_TRUE(run_until([&] { return got.size() == 2 * kEach; }));
    EXPECT_LE(most, 3u);
    int next_a = 0, next_b = 1'000'000;
    for (const int value : got) {
      int& next = value < 1'000'000 ? next_a : next_b;
      EXPECT_EQ(value, next++);
    }
  }
}

TEST_F(MailboxTest, OneThatIsLargerThanTheBoundGoesIn) {
  const auto box = open({.values = 1, .bytes = ByteCount(10)});
  box->push_when_room(1, ByteCount(1'000'000));
  drain();
  box->push_when_room(2, ByteCount(1'000'000));
  drain();
  EXPECT_EQ(got.size(), 2u);
}

TEST_F(MailboxTest, ClosingLetsGoWhoWaits) {
  const auto box = open({.values = 1, .bytes = ByteCount(10)});
  box->push(1);
  std::jthread waits([&] {
    for (int i = 0; i < 100; ++i) box->push_when_room(i, ByteCount(1));
  });
  box->close();
  waits.join();
  drain();
  EXPECT_TRUE(got.empty());
}

TEST_F(MailboxTest, MayGoWithAPostOnTheQueue) {
  auto box = open({.values = 1, .bytes = ByteCount(10)});
  box->push(1);
  box.reset();
  drain();
  EXPECT_TRUE(got.empty());
}

}  // namespace
}  // namespace qps
