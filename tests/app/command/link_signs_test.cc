// What the sign of a connection says, of what was counted.
#include "app/command/link_signs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace qvid::app {
namespace {

using ui::LinkQuality;

class LinkSignsTest : public testing::Test {
 protected:
  LinkSignsTest() {
    report_.joined = true;
    report_.seats.push_back({.seat = 0, .name = "Ann", .playback = {}});
  }
  // So many seconds of so many frames a second, of which these were lost or lacked a layer.
  void seconds(int count, int shown, int lost = 0, int partial = 0) {
    for (int i = 0; i < count; ++i) {
      media::PlaybackStats& p = report_.seats[0].playback;
      p.frames_shown += shown;
      p.frames_lost += lost;
      p.shown_full += shown - partial;
      signs_.note(report_, now_ += 1s);
    }
  }
  LinkQuality of(const std::string& name) const { return signs_.of(name).quality; }

  PartyReport report_;
  LinkSigns signs_;
  Timestamp now_{1s};
};

TEST_F(LinkSignsTest, NothingIsToldOfTheFirstSeconds) {
  EXPECT_EQ(of("Ann"), LinkQuality::kUnknown);
  seconds(2, 30);
  EXPECT_EQ(of("Ann"), LinkQuality::kUnknown);
  seconds(1, 30);
  EXPECT_EQ(of("Ann"), LinkQuality::kGood);
  EXPECT_EQ(of("Bob"), LinkQuality::kUnknown) << "nobody";
}

TEST_F(LinkSignsTest, WhatIsLostOrLacksALayerIsSeen) {
  seconds(5, 30);
  EXPECT_EQ(signs_.of("Ann").words, "all layers, 0 % lost, delay 0 ms");
  seconds(4, 98, 2);
  EXPECT_EQ(of("Ann"), LinkQuality::kFair);
  seconds(5, 30, 3);
  EXPECT_EQ(of("Ann"), LinkQuality::kPoor);
  seconds(5, 30, 0, 10);
  EXPECT_EQ(of("Ann"), LinkQuality::kFair);
  EXPECT_EQ(signs_.of("Ann").words, "without the upper layer, 0 % lost, delay 0 ms");
  seconds(5, 0);
  EXPECT_EQ(of("Ann"), LinkQuality::kPoor) << signs_.of("Ann").words;
  seconds(5, 30);
  EXPECT_EQ(of("Ann"), LinkQuality::kGood) << "what was is forgotten";
}

TEST_F(LinkSignsTest, WhoTakesTheSeatBeginsAnew) {
  seconds(5, 30, 10);
  EXPECT_EQ(of("Ann"), LinkQuality::kPoor);
  report_.seats[0].name = "Bob";
  seconds(1, 30);
  EXPECT_EQ(of("Ann"), LinkQuality::kUnknown) << "she has no seat any more";
  EXPECT_EQ(of("Bob"), LinkQuality::kUnknown);
  // The same member, counted anew.
  seconds(5, 30);
  report_.seats[0].playback = {};
  seconds(1, 30);
  EXPECT_EQ(of("Bob"), LinkQuality::kUnknown);
}

TEST_F(LinkSignsTest, WhoIsOnlyHeardHasTheSignOfItsSound) {
  report_.sound.emplace();
  report_.sound->heard.push_back({.seat = 3, .name = "Cid", .playout = {}, .sync_error = {}});
  media::SoundPlayoutStats& sound = report_.sound->heard[0].playout;
  sound.delay = 84ms;
  for (int i = 0; i < 6; ++i) {
    sound.packets += 50;
    seconds(1, 30);
  }
  EXPECT_EQ(of("Cid"), LinkQuality::kGood);
  EXPECT_EQ(signs_.of("Cid").words, "sound only: 0 % lost, delay 80 ms");
  sound.lost += 40;
  seconds(1, 30);
  EXPECT_EQ(of("Cid"), LinkQuality::kPoor);
  seconds(5, 30);
  EXPECT_EQ(of("Cid"), LinkQuality::kUnknown) << "who is silent sends nothing";
}

TEST_F(LinkSignsTest, OnesOwnIsTheRoundTrip) {
  EXPECT_EQ(own_link(report_).quality, LinkQuality::kUnknown) << "not measured yet";
  report_.network.rtt = 43ms;
  EXPECT_EQ(own_link(report_).quality, LinkQuality::kGood);
  EXPECT_EQ(own_link(report_).words, "40 ms to the broker and back");
  report_.network.rtt = 300ms;
  EXPECT_EQ(own_link(report_).quality, LinkQuality::kFair);
  report_.network.rtt = 800ms;
  EXPECT_EQ(own_link(report_).quality, LinkQuality::kPoor);
  report_.network.rtt = 43ms;
  report_.network.interrupted = true;
  EXPECT_EQ(own_link(report_).words, "no connection");
  report_ = {};
  EXPECT_EQ(own_link(report_).quality, LinkQuality::kPoor);
}

}  // namespace
}  // namespace qvid::app
