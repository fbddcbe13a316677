// What the product's programs write, read by the lab: whole, cut off, and nonsense.
#include <gtest/gtest.h>

#include <random>

#include "lab/bed/program_report.h"

namespace qvid::lab {
namespace {

const std::string kHead = "frame,captured_ms,shown_ms,layer,delay_ms\n";

TEST(FrameTable, ReadsFramesShownAndLost) {
  const auto table = parse_frames(kHead + "17,566.667,612.4,1,187.2\n18,600,,-1,\n");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->left_out, 0u);
  ASSERT_EQ(table->frames.size(), 2u);
  const PlayedFrame shown{
      .number = 17, .captured_ms = 566.667, .shown_ms = 612.4, .layer = 1, .delay_ms = 187.2};
  const PlayedFrame lost{.number = 18, .captured_ms = 600};
  EXPECT_EQ(table->frames[0], shown);
  EXPECT_EQ(table->frames[1], lost);
}

TEST(FrameTable, ALostFramesOtherFieldsSayNothing) {
  const auto table = parse_frames(kHead + "18,600,633,-1,12\n");
  ASSERT_TRUE(table);
  ASSERT_EQ(table->frames.size(), 1u);
  EXPECT_FALSE(table->frames[0].shown_ms);
}

TEST(FrameTable, ALineThatWasNotWrittenToItsEndIsLeftOut) {
  const auto table = parse_frames(kHead + "1,0,30,0,210\n2,33.3,6");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->frames.size(), 1u);
  EXPECT_EQ(table->left_out, 1u);
}

TEST(FrameTable, LinesThatAreNoFramesAreLeftOut) {
  for (const char* line :
       {"", "x", "1,2,3", "1,2,3,0,5,6", "1,2,,0,5", "1,2,3,0,", "one,2,3,0,5", "1,nan,3,0,5",
        "1,2,inf,0,5", "1,2,3,-2,5", "1,2,3,256,5", "1,2,3,0,5 ", "9999999999999999999,2,3,0,5"}) {
    const auto table = parse_frames(kHead + line + "\n7,1,2,0,3\n");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->left_out, 1u) << line;
    EXPECT_EQ(table->frames.size(), 1u) << line;
  }
}

TEST(FrameTable, AnotherTableIsAnError) {
  for (const char* csv : {"", "frame", "frame,captured_ms\n1,2\n", "1,2,3,0,5\n"}) {
    EXPECT_FALSE(parse_frames(csv)) << csv;
  }
}

TEST(FrameTable, HasABound) {
  std::string csv = kHead;
  for (std::size_t i = 0; i < kMostPlayedFrames + 3; ++i) csv += "1,2,3,0,5\n";
  const auto table = parse_frames(csv);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->frames.size(), kMostPlayedFrames);
  EXPECT_EQ(table->left_out, 3u);
}

TEST(FrameTable, TakesAnyBytes) {
  std::mt19937 random(1);
  const std::string letters("0123456789,,,,\n\n.-e\0\xff", 21);
  for (int i = 0; i < 2000; ++i) {
    std::string csv = kHead;
    std::size_t lines = 0;
    for (int j = 0; j < 100; ++j) {
      csv += letters[random() % letters.size()];
      if (csv.back() == '\n') ++lines;
    }
    if (csv.back() != '\n') ++lines;
    const auto table = parse_frames(csv);
    ASSERT_TRUE(table);
    EXPECT_EQ(table->frames.size() + table->left_out, lines);
  }
}

TEST(ProgramReport, GivesNumbersByTheirPath) {
  const auto numbers = parse_report(
      R"({"fps": 29.9, "delay_ms": {"median": 210}, "url": "x", "list": [7, "a", 9], "full": true})");
  ASSERT_TRUE(numbers);
  EXPECT_EQ(
      *numbers,
      (ReportNumbers{
          {"fps", 29.9}, {"delay_ms.median", 210}, {"full", 1}, {"list.0", 7}, {"list.2", 9}}));
}

TEST(ProgramReport, WhatIsNoObjectIsAnError) {
  for (const char* text : {"", "[1]", "3", "{", "{\"a\": 1} {\"b\": 2}", "\xff"}) {
    EXPECT_FALSE(parse_report(text)) << text;
  }
  EXPECT_TRUE(parse_report("{}"));
}

TEST(ProgramReport, DeepOnesAreCutOff) {
  std::string text = "1";
  for (int i = 0; i < 1000; ++i) text = "{\"a\":" + text + "}";
  const auto numbers = parse_report(text);
  ASSERT_TRUE(numbers);
  EXPECT_TRUE(numbers->empty());
}

TEST(WatchUrl, IsInTheLineThatSaysIt) {
  EXPECT_EQ(watch_url("[info] a\n[info] serving 'test' on 10.77.0.1:7400; watch it with: qvid play "
                      "qvid://10.77.0.1:7400/live#sha256:ab\nmore\n"),
            "qvid://10.77.0.1:7400/live#sha256:ab");
  EXPECT_EQ(watch_url("qvid play qvid://10.77.0.1:7400/live --insecure\n"),
            "qvid://10.77.0.1:7400/live");
}

TEST(WatchUrl, IsEmptyUntilTheLineIsWhole) {
  EXPECT_EQ(watch_url(""), "");
  EXPECT_EQ(watch_url("watch it with: qvid play qvid://10.77.0.1:7400/live#sha256:a"), "");
}

TEST(WatchUrl, NamesAnotherVideoOfTheServer) {
  EXPECT_EQ(url_of_video("qvid://h:1/live#sha256:ab", "a/clip.mkv"),
            "qvid://h:1/a/clip.mkv#sha256:ab");
  EXPECT_EQ(url_of_video("qvid://h:1/live", "live"), "qvid://h:1/live");
}

TEST(CpuTicks, AreUserAndSystemTime) {
  EXPECT_EQ(cpu_ticks("7 (a ) b) S 1 7 7 0 -1 4194560 100 200 3 4 250 50 11 12 20 0 5 0 9 9"), 300);
  EXPECT_EQ(cpu_ticks(""), 0);
  EXPECT_EQ(cpu_ticks("7 (qvid) S 1 7"), 0);
}

}  // namespace
}  // namespace qvid::lab
