#include "transport/socket/datagram_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace paceline {
namespace {

using Bytes = std::vector<std::byte>;
constexpr PathAddress kThere{.port = 1};

TEST(DatagramBatch, TakesOneSizeAndOneThatIsShorterBehindThem) {
  DatagramBatch batch;
  EXPECT_TRUE(batch.empty());
  EXPECT_TRUE(batch.add(kThere, Bytes(1200, std::byte{1})));
  EXPECT_TRUE(batch.add(kThere, Bytes(1200, std::byte{2})));
  EXPECT_FALSE(batch.add(kThere, Bytes(1201)));
  EXPECT_FALSE(batch.add({.port = 2}, Bytes(1200)));
  EXPECT_TRUE(batch.add(kThere, Bytes(700, std::byte{3})));
  EXPECT_FALSE(batch.add(kThere, Bytes(700)));
  ASSERT_EQ(batch.count(), 3u);
  EXPECT_EQ(batch.bytes().size(), 3100u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(batch.datagram(i).size(), i < 2 ? 1200u : 700u);
    EXPECT_EQ(batch.datagram(i).back(), static_cast<std::byte>(i + 1));
  }
  batch.clear();
  EXPECT_TRUE(batch.add({.port = 2}, Bytes(1452)));
  EXPECT_EQ(batch.to().port, 2);
}

TEST(DatagramBatch, HasNoMoreThanTheKernelCuts) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{1200}, std::size_t{1452}}) {
    DatagramBatch batch;
    while (batch.add(kThere, Bytes(size))) {
    }
    EXPECT_EQ(batch.count(), std::min(DatagramBatch::kMost, DatagramBatch::kMostBytes / size));
  }
}

}  // namespace
}  // namespace paceline
