// The programs' output logs, read by the lab: whole, cut off, and nonsense. And the sounds that go
// into them.
#include "lab/bed/output_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "lab/bed/test_sound.h"
#include "tests/temporary_folder.h"

namespace qvid::lab {
namespace {

const std::string kOutputColumns = "time_us,kind,who,value\n";

TEST(OutputTable, ReadsEveryKind) {
  const auto table = parse_output(kOutputColumns +
                                  "2000000,sound,,-15.0\n1500000,picture,Ann,128.4\n"
                                  "1000000,spoken,,-20.0\n1900000,alive,,48000\n"
                                  "1910000,jump,,12.5\n");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->left_out, 0u);
  EXPECT_EQ(table->heard, (std::vector<OutputValue>{{2, -15}}));
  EXPECT_EQ(table->pictures, (std::vector<OutputValue>{{1.5, 128.4}}));
  EXPECT_EQ(table->spoken, (std::vector<OutputValue>{{1, -20}}));
  EXPECT_EQ(table->alive, (std::vector<OutputValue>{{1.9, 48'000}}));
  EXPECT_EQ(table->jumps, (std::vector<OutputValue>{{1.91, 12.5}}));
}

TEST(OutputTable, IsByTime) {
  const auto table = parse_output(kOutputColumns + "5,sound,,-1\n3,sound,,-2\n4,sound,,-3\n");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->heard, (std::vector<OutputValue>{{3e-6, -2}, {4e-6, -3}, {5e-6, -1}}));
}

TEST(OutputTable, WhatIsNoLineIsLeftOut) {
  for (const char* line : {"", "x", "1,sound,,", "1,sound,-3", "1,sound,,-3,4", "1.5,sound,,-3",
                           "1,noise,,-3", "1,sound,,nan", ",sound,,-3", "1,sound,,-3 "}) {
    const auto table = parse_output(kOutputColumns + line + "\n7,sound,,-3\n");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->left_out, 1u) << line;
    EXPECT_EQ(table->heard.size(), 1u) << line;
  }
}

TEST(OutputTable, ANumberWithoutItsEndIsNone) {
  const auto table = parse_output(kOutputColumns + "7,sound,,-30\n8,sound,,-3");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->left_out, 1u);
  EXPECT_EQ(table->heard.size(), 1u);
}

TEST(OutputTable, AnotherTableIsAnError) {
  for (const char* csv : {"", "\n", "frame,captured_ms\n1,2\n", "7,sound,,-30\n"}) {
    EXPECT_FALSE(parse_output(csv)) << csv;
  }
}

TEST(TestSounds, TalkIsNeverQuietForLong) {
  const auto samples = test_sound(TestSound::kTalk, 20s, 3);
  ASSERT_EQ(samples.size(), 20u * 48'000);
  EXPECT_EQ(samples, test_sound(TestSound::kTalk, 20s, 3));
  EXPECT_NE(samples, test_sound(TestSound::kTalk, 20s, 4));
  std::size_t quiet = 0;
  for (std::size_t at = 0; at + 120 <= samples.size(); at += 120) {
    double energy = 0;
    for (std::size_t i = at; i < at + 120; ++i) {
      ASSERT_LE(std::abs(samples[i]), 1.0F);
      energy += static_cast<double>(samples[i]) * samples[i];
    }
    quiet = 10 * std::log10(energy / 120) > -50 ? 0 : quiet + 1;
    EXPECT_LE(quiet, 8u) << "20 ms are quiet before " << at;
  }
}

TEST(TestSounds, ClicksBeginAtTheirTimes) {
  const auto samples = test_sound(TestSound::kClicks, 3s, 1);
  std::size_t clicks = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i - 1] != 0 || samples[i] == 0) continue;
    if (i % 48'000 == 24'000) ++clicks;
  }
  EXPECT_EQ(clicks, 3u);
  EXPECT_EQ(samples.front(), 0);
}

TEST(TestSounds, AreWrittenAsWav) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a.wav").string();
  write_wav({0, 0.5F, -1, 2}, file);
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  ASSERT_EQ(bytes.size(), 44u + 8);
  EXPECT_EQ(bytes.substr(0, 4), "RIFF");
  EXPECT_EQ(bytes.substr(8, 8), "WAVEfmt ");
  EXPECT_EQ(bytes.substr(36, 4), "data");
  EXPECT_EQ(bytes.substr(44), std::string("\x00\x00\x00\x40\x01\x80\xff\x7f", 8));
  EXPECT_THROW(write_wav({0}, (folder / "none" / "a.wav").string()), std::runtime_error);
}

}  // namespace
}  // namespace qvid::lab
