// Shows which sizes, rates and bitrates the command line takes, and what they mean.
#include "app/options/values.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace qvid::app {
namespace {

TEST(Values, Sizes) {
  const std::pair<std::string, media::PictureSize> good[] = {
      {"1280x720", {1280, 720}}, {"16x16", {16, 16}}, {"4096x4096", {4096, 4096}}};
  for (const auto& [text, size] : good) {
    const auto got = parse_size(text);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(*got, size);
  }
  for (const std::string text :
       {"",          "x",         "1280",           "1280x",     "x720",
        "1280X720",  "1280*720",  "1280x720x3",     " 1280x720", "1280x720 ",
        "+1280x720", "-1280x720", "1281x720",       "1280x721",  "14x16",
        "16x14",     "4098x16",   "99999999999x16", "1e3x720",   "0x500x16"}) {
    SCOPED_TRACE(text);
    const auto got = parse_size(text);
    ASSERT_FALSE(got);
    EXPECT_NE(got.error().message.find("'" + text + "'"), std::string::npos);
  }
}

TEST(Values, Rates) {
  const std::pair<std::string, FrameRate> good[] = {
      {"30", {30, 1}},          {"1", {1, 1}},
      {"120", {120, 1}},        {"29.97", {30000, 1001}},
      {"59.94", {60000, 1001}}, {"23.976", {24000, 1001}},
      {"12.5", {12500, 1000}},  {"30000/1001", {30000, 1001}},
      {"1/1", {1, 1}},          {"30.0", {30, 1}},
  };
  for (const auto& [text, rate] : good) {
    SCOPED_TRACE(text);
    const auto got = parse_rate(text);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(*got, rate);
  }
  for (const std::string text :
       {"",       "0",     "0.5",   "121", "-30",           "+30",         "nan", "inf",
        "-inf",   "30fps", " 30",   "0/1", "1/0",           "-30/-1",      "30/", "/1",
        "30/1/1", "1/2",   "241/2", "1e9", "99999999999/1", "30000/1001.0"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(parse_rate(text));
  }
}

TEST(Values, Bitrates) {
  const std::pair<std::string, std::int64_t> good[] = {
      {"2500k", 2'500'000}, {"2500K", 2'500'000}, {"2.5M", 2'500'000},   {"2.5m", 2'500'000},
      {"800000", 800'000},  {"50k", 50'000},      {"100M", 100'000'000}, {"0.05M", 50'000},
  };
  for (const auto& [text, bps] : good) {
    SCOPED_TRACE(text);
    const auto got = parse_bitrate(text);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->bps(), bps);
  }
  for (const std::string text : {"", "k", "M", "0", "49999", "49k", "101M", "-2M", "nan", "nanM",
                                 "inf", "2500kk", "2500 k", "2.5G", "1e300M", "2,5M"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(parse_bitrate(text));
  }
}

TEST(Values, MessagesAreShort) {
  const std::string text(100'000, 'x');
  for (const auto& message : {parse_size(text).error().message, parse_rate(text).error().message,
                              parse_bitrate(text).error().message}) {
    EXPECT_LT(message.size(), 300u);
  }
}

TEST(Values, Places) {
  const std::pair<std::string, Duration> good[] = {
      {"0", 0s}, {"90", 90s}, {"90s", 90s}, {"1.5", 1500ms}, {"2:03", 123s}, {"1:02:03", 3723s}};
  for (const auto& [text, place] : good) {
    const auto got = parse_place(text);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(*got, place) << text;
  }
  for (const std::string text : {"", "s", ":", "1:", ":1", "-1", "1:60", "1:02:03:04", "1:2s",
                                 "nan", "inf", "1e99", "1 s", "0x5"}) {
    EXPECT_FALSE(parse_place(text)) << text;
  }
}

TEST(Values, Validity) {
  using std::chrono::seconds;
  const std::pair<std::string, seconds> good[] = {{"1s", seconds(1)},
                                                  {"45m", seconds(2700)},
                                                  {"24h", seconds(86'400)},
                                                  {"3650d", seconds(315'360'000)}};
  for (const auto& [text, time] : good) {
    const auto got = parse_validity(text);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(*got, time);
  }
  for (const std::string text : {"", "h", "24", "0s", "-1h", "1.5h", "3651d", "24 h", "24H",
                                 "99999999999999999999s", "9223372036854775807d"}) {
    SCOPED_TRACE(text);
    const auto got = parse_validity(text);
    ASSERT_FALSE(got);
    EXPECT_NE(got.error().message.find("'" + text + "'"), std::string::npos);
  }
}

}  // namespace
}  // namespace qvid::app
