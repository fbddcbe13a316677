#include "pubsub/server/mailbox.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/transport/event_loop.h"

namespace qps {
namespace {

using Box = Mailbox<int>;

struct MailboxTest : testing::Test, paceline::EventLoop {
  std::vector<int> got;
  int batches = 0;
  std::unique_ptr<Box> open() {
    return std::make_unique<Box>(io, [this](std::vector<int>& batch) {
      got.insert(got.end(), batch.begin(), batch.end());
      ++batches;
    });
  }
};

TEST_F(MailboxTest, ManyValuesAreOneBatch) {
  const auto box = open();
  for (int i = 0; i < 10; ++i) box->push(i);
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
  box = std::make_unique<Box>(io, [&](std::vector<int>& batch) {
    ++batches;
    if (batch.front() < 3) box->push(batch.front() + 1);
    got.push_back(batch.front());
  });
  box->push(0);
  drain();
  EXPECT_EQ(got, (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(batches, 4);
}

// Each sender's values in its order, and all of them.
TEST_F(MailboxTest, TakesWhatSeveralThreadsPush) {
  const auto box = open();
  constexpr int kEach = 2'000;
  const auto send = [&](int from) {
    for (int i = 0; i < kEach; ++i) box->push(from + i);
  };
  std::jthread a(send, 0), b(send, 1'000'000);
  ASSERT_TRUE(run_until([&] { return got.size() == 2 * kEach; }));
  int next_a = 0, next_b = 1'000'000;
  for (const int value : got) {
    int& next = value < 1'000'000 ? next_a : next_b;
    EXPECT_EQ(value, next++);
  }
}

TEST_F(MailboxTest, TakesNothingOnceItIsClosed) {
  const auto box = open();
  box->push(1);
  box->close();
  box->push(2);
  drain();
  EXPECT_TRUE(got.empty());
}

TEST_F(MailboxTest, MayGoWithAPostOnTheQueue) {
  auto box = open();
  box->push(1);
  box.reset();
  drain();
  EXPECT_TRUE(got.empty());
}

}  // namespace
}  // namespace qps
