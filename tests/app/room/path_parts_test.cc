// How publishers of one session part its path.
#include "app/room/path_parts.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

using Offered = std::vector<ByteCount>;
using Parts = std::vector<double>;

TEST(PathParts, AreAsThePathWasUsed) {
  EXPECT_EQ(path_parts(Offered{}), Parts{});
  EXPECT_EQ(path_parts(Offered{ByteCount(7)}), Parts{1});
  EXPECT_EQ(path_parts(Offered{ByteCount()}), Parts{1});
  EXPECT_EQ(path_parts(Offered{ByteCount(250), ByteCount(750)}), (Parts{0.25, 0.75}));
  EXPECT_EQ(path_parts(Offered{ByteCount(), ByteCount()}), (Parts{0.5, 0.5}));
}

TEST(PathParts, WhoOfferedNothingHasSomething) {
  EXPECT_EQ(path_parts(Offered{ByteCount(900), ByteCount()}), (Parts{1, 0.25}));
}

}  // namespace
}  // namespace qvid::app
