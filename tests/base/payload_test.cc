// Shows that payloads share their bytes instead of copying them, keep them alive, and are filled to
// their size and no further.
#include "base/payload.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace qvid {
namespace {

TEST(Payload, IsEmptyAtFirst) {
  const Payload none;
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.bytes().empty());
  EXPECT_EQ(none.text(), "");
  EXPECT_TRUE(Payload::copy_of(std::string_view()).empty());
}

TEST(Payload, CopiesWhatItIsGivenOnce) {
  std::string text = "hello";
  const auto payload = Payload::copy_of(std::string_view(text));
  text = "xxxxx";
  EXPECT_EQ(payload.text(), "hello");
  EXPECT_EQ(payload.byte_count(), 5_B);
  const Payload copy = payload;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.data(), payload.data());
}

TEST(Payload, SlicesShareAndOutliveTheWhole) {
  auto whole = Payload::copy_of(std::string_view("header:data"));
  const std::byte* const begin = whole.data();
  const Payload part = whole.slice(7, 4);
  const Payload inner = part.slice(1, 2);
  EXPECT_EQ(whole.slice(11, 0).size(), 0u);
  whole = {};
  EXPECT_EQ(part.text(), "data");
  EXPECT_EQ(inner.text(), "at");
  EXPECT_EQ(inner.data(), begin + 8);
}

TEST(PayloadBuilder, IsFilledToItsSize) {
  const auto ab = Payload::copy_of(std::string_view("ab"));
  PayloadBuilder builder(5);
  EXPECT_TRUE(builder.append(ab.bytes()));
  EXPECT_TRUE(builder.append(ab.bytes()));
  EXPECT_FALSE(builder.complete());
  EXPECT_FALSE(builder.append(ab.bytes()));
  EXPECT_EQ(builder.filled(), 4u);
  EXPECT_TRUE(builder.append(ab.bytes().first(1)));
  EXPECT_TRUE(builder.complete());
  EXPECT_EQ(std::move(builder).take().text(), "ababa");
}

TEST(PayloadBuilder, OfNothingIsComplete) {
  PayloadBuilder builder(0);
  EXPECT_TRUE(builder.complete());
  EXPECT_TRUE(builder.append({}));
  EXPECT_FALSE(builder.append(Payload::copy_of(std::string_view("a")).bytes()));
}

TEST(Payload, AllThereIsIsCountedOnce) {
  const ByteCount before = Payload::held();
  {
    const Payload payload = Payload::copy_of(std::string(100'000, 'x'));
    const Payload part = payload.slice(10, 20);
    PayloadBuilder builder(50'000);  // as much as it will be, from its beginning
    EXPECT_GE(Payload::held() - before, 150'000_B);
    EXPECT_LT(Payload::held() - before, 151'000_B);
  }
  EXPECT_EQ(Payload::held(), before);
}

}  // namespace
}  // namespace qvid
