#include "media/live/codec_choice.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kTurn = milliseconds(100);

class AutoChoice : public ::testing::Test {
 protected:
  void run(double load, Duration time) {
    for (const Timestamp end = now_ + time; now_ < end; now_ += kTurn) choice_.on_load(load, now_);
  }
  CodecChoice choice_{kAutoCodec};
  Timestamp now_{};
};

TEST_F(AutoChoice, IsTheBestWhileTheMachineKeepsUp) {
  EXPECT_EQ(choice_.codec(), "av1");
  run(0.59, minutes(10));
  EXPECT_EQ(choice_.codec(), "av1");
  run(0.9, milliseconds(1500));
  run(0.3, seconds(1));
  run(0.9, milliseconds(1500));
  EXPECT_EQ(choice_.codec(), "av1") << "a moment is none";
  run(0.61, seconds(3));
  EXPECT_EQ(choice_.codec(), "h264");
  EXPECT_EQ(choice_.reason(), "av1 takes too long here");
}

TEST_F(AutoChoice, IsTriedAgainMoreAndMoreSeldom) {
  for (const Duration rest :
       {seconds(60), seconds(120), seconds(240), seconds(480), seconds(960), seconds(960)}) {
    run(0.9, seconds(2) + kTurn);
    ASSERT_EQ(choice_.codec(), "h264") << to_seconds(rest);
    run(0.1, rest - seconds(1));
    ASSERT_EQ(choice_.codec(), "h264") << to_seconds(rest);
    run(0.1, seconds(2));
    ASSERT_EQ(choice_.codec(), "av1") << to_seconds(rest);
  }
  run(0.3, minutes(40));
  run(0.9, seconds(3));
  ASSERT_EQ(choice_.codec(), "h264");
  run(0.1, seconds(61));
  EXPECT_EQ(choice_.codec(), "av1") << "it had gone well for long";
}

TEST_F(AutoChoice, WhoDoesNotDecodeItComesFirst) {
  choice_.on_decoders(false);
  EXPECT_EQ(choice_.codec(), "h264");
  EXPECT_EQ(choice_.reason(), "for who does not decode av1");
  run(0.9, minutes(1));  // of h264
  choice_.on_decoders(true);
  EXPECT_EQ(choice_.codec(), "av1");
}

TEST(CodecChoice, ANameStaysWhateverTheLoad) {
  for (const char* name : {"av1", "h264"}) {
    CodecChoice choice(name);
    for (int i = 0; i < 100; ++i) choice.on_load(2, Timestamp(seconds(i)));
    EXPECT_EQ(choice.codec(), name);
    choice.on_decoders(false);
    EXPECT_EQ(choice.codec(), "h264");
  }
}

}  // namespace
}  // namespace qvid::media
