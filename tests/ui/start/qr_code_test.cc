// Shows what a QR code has that every reader looks for.
#include "ui/start/qr_code.h"

#include <gtest/gtest.h>

namespace qvid::ui {
namespace {

// 7 by 7: a dark frame, a bright one, 3 by 3 dark.
void expect_finder(const QrCode& code, int left, int top) {
  for (int y = 0; y < 7; ++y) {
    for (int x = 0; x < 7; ++x) {
      const int ring = std::min({x, y, 6 - x, 6 - y});
      EXPECT_EQ(code.dark[static_cast<std::size_t>((top + y) * code.side + left + x)], ring != 1);
    }
  }
}

TEST(QrCode, HasItsFindersAndTheSizeOfItsText) {
  const QrCode code = qr_code("qvid://192.168.100.100:7400#sha256:" + std::string(43, 'k'));
  EXPECT_EQ(code.side, 33);  // version 4: 78 bytes at the lowest correction
  ASSERT_EQ(code.dark.size(), 33u * 33u);
  expect_finder(code, 0, 0);
  expect_finder(code, 26, 0);
  expect_finder(code, 0, 26);
  EXPECT_NE(qr_code("qvid://a/b"), qr_code("qvid://a/c"));
}

TEST(QrCode, OfNothingOrTooMuchThereIsNone) {
  EXPECT_EQ(qr_code("").side, 0);
  EXPECT_GT(qr_code(std::string(QrCode::kMostText, 'x')).side, 0);
  EXPECT_EQ(qr_code(std::string(QrCode::kMostText + 1, 'x')).side, 0);
}

}  // namespace
}  // namespace qvid::ui
