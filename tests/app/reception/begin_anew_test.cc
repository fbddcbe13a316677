// When a player asks for a key frame.
#include "app/reception/begin_anew.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

using namespace std::chrono_literals;

TEST(BeginAnew, AfterAnErrorAndNotAllTheTime) {
  BeginAnew anew;
  const Timestamp now(100s);
  EXPECT_FALSE(anew.due(0, now));
  EXPECT_TRUE(anew.due(1, now));
  EXPECT_FALSE(anew.due(1, now + 1s));
  EXPECT_FALSE(anew.due(7, now + 1s)) << "the key frame is on its way";
  EXPECT_TRUE(anew.due(7, now + 2s)) << "and was not enough";
  EXPECT_FALSE(anew.due(7, now + 9s));
  EXPECT_FALSE(anew.due(2, now + 9s)) << "another is played";
  EXPECT_TRUE(anew.due(3, now + 9s));
}

}  // namespace
}  // namespace qvid::app
