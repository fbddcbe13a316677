#include "pubsub/server/outbox.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/transport/event_loop.h"

namespace qps {
namespace {

struct OutboxTest : testing::Test, paceline::EventLoop {
  std::vector<std::vector<int>> batches;
  Mailbox<int> mailbox{io, [this](std::vector<int>& batch) { batches.push_back(batch); }};
};

TEST_F(OutboxTest, WhatIsSaidInATurnIsOneBatch) {
  Outbox<int> outbox(io, mailbox);
  outbox.push(1);
  outbox.push(2);
  drain();
  outbox.push(3);
  drain();
  EXPECT_EQ(batches, (std::vector<std::vector<int>>{{1, 2}, {3}}));
}

TEST_F(OutboxTest, SeveralKeepTheirOrderEach) {
  Outbox<int> one(io, mailbox);
  Outbox<int> other(io, mailbox);
  one.push(1);
  other.push(10);
  one.push(2);
  other.push(11);
  drain();
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0], (std::vector{1, 2, 10, 11}));
}

TEST_F(OutboxTest, MayGoWithAPostOnTheQueue) {
  auto outbox = std::make_unique<Outbox<int>>(io, mailbox);
  outbox->push(1);
  outbox.reset();
  drain();
  EXPECT_TRUE(batches.empty());
}

}  // namespace
}  // namespace qps
