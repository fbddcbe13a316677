// Shows that what a member publishes side by side is told, watched, ranked and ended each for
// itself, and what the limits are.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "pubsub/criteria/viewer_preference.h"
#include "tests/pubsub/broker_party.h"
#include "transport/rate/receiver_rate.h"

namespace qps {
namespace {

using namespace std::chrono_literals;
using paceline::Outcome;
using paceline::StreamId;
using Tracks = std::vector<std::string>;

constexpr std::uint32_t kPicture = 2;  // streams
constexpr std::uint32_t kSound = 4;

class BrokerTracksTest : public ::testing::Test {
 protected:
  static void publish_both(Party& party) {
    party.publish(kPicture);
    party.publish(kSound, "sound");
  }
  // Of a track, the last that was told.
  template <class T>
  static std::optional<T> last(const Party& party, const std::string& track) {
    std::optional<T> last;
    for (const auto& message : party.port.told) {
      const auto* found = std::get_if<T>(&message);
      if (found != nullptr && found->track == track) last = *found;
    }
    return last;
  }
  // Whom the seats of a viewer show, and on which stream.
  static std::map<int, Seat> seats(const Party& party, std::uint32_t viewer) {
    std::map<int, Seat> all;
    for (const auto& message : party.port.told) {
      const auto* seat = std::get_if<Seat>(&message);
      if (seat != nullptr && seat->viewer == viewer) all[seat->seat] = *seat;
    }
    return all;
  }
  static std::string who(const Party& party, std::uint32_t viewer) {
    const auto all = seats(party, viewer);
    return all.contains(0) ? all.at(0).name : "";
  }
  static Got got(const Party& party, std::uint32_t viewer) {
    return party.got(StreamId(seats(party, viewer).at(0).stream));
  }
  void best(Party& party, const std::string& track, const std::string& criteria, int count = 1,
            std::uint32_t viewer = 1, Duration window = 100ms) {
    party.say(Watch{.viewer = viewer,
                    .names = {},
                    .best = criteria,
                    .seats = count,
                    .window = window,
                    .track = track});
    now_ += Broker::kCriteriaInterval;
  }
  void loudness(Party& party, double value) {
    party.say(SetAttributes{{{"loudness", value}}});
    now_ += 1s;
    broker_.poll(now_);
  }

  Timestamp now_ = kBegin;
  Broker broker_;
};

TEST_F(BrokerTracksTest, AMembersTracksAreToldToAll) {
  Party ann(broker_, now_, "Ann");
  Party bob(broker_, now_, "Bob");
  EXPECT_EQ(ann.port.last<Member>()->tracks, Tracks());
  ann.publish(kSound, "sound");
  EXPECT_EQ(bob.port.last<Member>()->tracks, Tracks{"sound"});
  ann.publish(kPicture);
  EXPECT_EQ(bob.port.last<Member>()->tracks, (Tracks{"", "sound"}));
  Party late(broker_, now_, "Late");
  EXPECT_EQ(late.port.last<Member>()->name, "Bob");
  Tracks of_ann;
  for (const auto& told : late.port.told) {
    if (const auto* m = std::get_if<Member>(&told); m && m->name == "Ann") of_ann = m->tracks;
  }
  EXPECT_EQ(of_ann, (Tracks{"", "sound"}));
  ann.say(SetAttributes{{{"x", 1}}});
  broker_.poll(now_);
  EXPECT_EQ(late.port.last<Member>()->tracks, (Tracks{"", "sound"}));
  ann.say(Unpublish{});
  EXPECT_EQ(late.port.last<Member>()->tracks, Tracks{"sound"});
  ann.say(Unpublish{"sound"});
  EXPECT_FALSE(late.port.last<Member>()->publishes());
}

TEST_F(BrokerTracksTest, EachFlowsAndStopsForItself) {
  Party ann(broker_, now_, "Ann");
  publish_both(ann);
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"}, 100ms, "sound", 2);
  EXPECT_TRUE(last<Wanted>(ann, "sound")->on);
  EXPECT_EQ(last<Begin>(ann, "sound")->track, "sound");
  EXPECT_FALSE(last<Wanted>(ann, ""));
  EXPECT_FALSE(last<Begin>(ann, ""));
  ann.item(0, 0, 100, kPicture);
  ann.item(0, 0, 100, kSound);
  EXPECT_EQ(bob.port.sent.size(), 1u);
  bob.watch({"Ann"}, 100ms, "", 1);
  EXPECT_TRUE(last<Wanted>(ann, "")->on);
  for (int n = 10; n < 13; ++n) ann.item(n, 0, 100, kPicture);
  ann.item(1, 0, 100, kSound);
  EXPECT_EQ(got(bob, 1), (Got{{0, 0}, {1, 0}, {2, 0}}));
  EXPECT_EQ(got(bob, 2), (Got{{0, 0}, {1, 0}}));
  // The picture alone is paused, and begins anew.
  bob.say(PauseViewer{1});
  EXPECT_FALSE(last<Wanted>(ann, "")->on);
  EXPECT_TRUE(last<Wanted>(ann, "sound")->on);
  ann.item(13, 0, 100, kPicture);
  ann.item(2, 0, 100, kSound);
  EXPECT_EQ(got(bob, 1).size(), 3u);
  EXPECT_EQ(got(bob, 2).size(), 3u);
  bob.leave("killed");
  EXPECT_FALSE(last<Wanted>(ann, "sound")->on);
}

TEST_F(BrokerTracksTest, CriteriaOfTheTwoBeginTogether) {
  Party ann(broker_, now_, "Ann");
  publish_both(ann);
  Party bob(broker_, now_, "Bob");
  const auto watch = [&](std::uint32_t viewer, const std::string& track, const std::string& best) {
    bob.say(Watch{
        .viewer = viewer, .names = {}, .best = best, .seats = 1, .window = 100ms, .track = track});
  };
  watch(1, "", "");
  watch(2, "sound", "ORDER BY loudness DESC");
  EXPECT_FALSE(bob.port.last<NotWatched>());
  EXPECT_EQ(who(bob, 1), "Ann");
  EXPECT_EQ(who(bob, 2), "Ann");
  // Each track has its five a second.
  watch(2, "sound", "ORDER BY joined");
  EXPECT_TRUE(bob.port.last<NotWatched>());
}

TEST_F(BrokerTracksTest, WhatOneLosesIsNoLossOfTheOther) {
  Party ann(broker_, now_, "Ann");
  publish_both(ann);
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"}, 100ms, "", 1);
  bob.watch({"Ann"}, 100ms, "sound", 2);
  for (const std::uint32_t stream : {kPicture, kSound}) {
    for (int n = 0; n < 3; ++n) ann.item(n, 0, 100, stream);
  }
  const StreamId picture(seats(bob, 1).at(0).stream);
  // Item 0 of the picture is given up: it breaks, and a beginning is asked of it alone.
  const auto lost = std::ranges::find(bob.port.sent, picture, &FakePort::Sent::stream);
  const auto asked = ann.port.count<Begin>();
  now_ += 1s;
  bob.end(*lost, Outcome::kCancelled);
  for (int n = 3; n < 5; ++n) {
    ann.item(n, 0, 100, kPicture);
    ann.item(n, 0, 100, kSound);
  }
  EXPECT_EQ(got(bob, 1).back(), (std::pair<std::int64_t, int>{2, 0}));
  EXPECT_EQ(got(bob, 2).back(), (std::pair<std::int64_t, int>{4, 0}));
  EXPECT_EQ(ann.port.count<Begin>(), asked + 1);
  EXPECT_EQ(ann.port.last<Begin>()->track, "");
}

TEST_F(BrokerTracksTest, ASeatWaitsForThatTrackOfThatMember) {
  Party ann(broker_, now_, "Ann");
  ann.publish(kPicture);
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"}, 100ms, "sound");
  EXPECT_EQ(bob.port.count<Seat>(), 0u);
  ann.publish(kSound, "sound");
  EXPECT_EQ(who(bob, 1), "Ann");
  EXPECT_TRUE(last<Wanted>(ann, "sound")->on);
  EXPECT_FALSE(last<Wanted>(ann, ""));
}

TEST_F(BrokerTracksTest, UnpublishingOneLeavesTheOther) {
  Party ann(broker_, now_, "Ann");
  publish_both(ann);
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"}, 100ms, "", 1);
  best(bob, "sound", "", 1, 2);
  ann.item(0, 0, 100, kPicture);
  ann.item(0, 0, 100, kSound);
  ann.say(Unpublish{});
  EXPECT_EQ(who(bob, 1), "");
  EXPECT_EQ(who(bob, 2), "Ann");
  ann.item(1, 0, 100, kPicture);  // was under way
  ann.item(1, 0, 100, kSound);
  EXPECT_EQ(got(bob, 2), (Got{{0, 0}, {1, 0}}));
  EXPECT_FALSE(ann.port.closed);
  // Anew, on another stream; the sound hears nothing of it.
  const auto told = seats(bob, 2);
  ann.publish(6);
  EXPECT_EQ(who(bob, 1), "Ann");
  EXPECT_EQ(seats(bob, 2).at(0).stream, told.at(0).stream);
  ann.publish(8, "sound");
  now_ += ViewerPreference::kInterval;
  broker_.poll(now_);
  EXPECT_NE(seats(bob, 2).at(0).stream, told.at(0).stream);
  EXPECT_EQ(who(bob, 2), "Ann");
  ann.say(Unpublish{"other"});  // which there is not
  EXPECT_EQ(who(bob, 1), "Ann");
}

TEST_F(BrokerTracksTest, TheBestAreOfThoseWhoPublishTheTrack) {
  Party ann(broker_, now_, "Ann");
  Party cid(broker_, now_, "Cid");
  Party dan(broker_, now_, "Dan");
  publish_both(cid);
  publish_both(dan);
  ann.publish(kPicture);  // the loudest, and without sound
  loudness(ann, -1);
  loudness(cid, -30);
  loudness(dan, -20);
  Party bob(broker_, now_, "Bob");
  const std::string loudest =
      "WHERE loudness = (SELECT max(loudness) FROM publishers) ORDER BY loudness DESC";
  best(bob, "", loudest, 1, 1);
  best(bob, "sound", loudest, 1, 2);
  EXPECT_EQ(who(bob, 1), "Ann");
  EXPECT_EQ(who(bob, 2), "Dan");
  // Of two seats of sound one would stay empty for Ann, if she had a rank.
  best(bob, "sound", "ORDER BY loudness DESC LIMIT 2", 2, 3);
  EXPECT_EQ(seats(bob, 3).at(0).name, "Dan");
  EXPECT_EQ(seats(bob, 3).at(1).name, "Cid");
  // Ranked anew as attributes change; who begins to publish takes part.
  cid.item(0, 0, 100, kSound);
  dan.item(0, 0, 100, kSound);
  loudness(cid, -10);
  cid.item(10, 0, 100, kSound);
  EXPECT_EQ(who(bob, 2), "Cid");
  EXPECT_EQ(who(bob, 1), "Ann");
  ann.publish(kSound, "sound");
  now_ += 2s;
  broker_.poll(now_);
  ann.item(0, 0, 100, kSound);
  EXPECT_EQ(who(bob, 2), "Ann");
  ann.say(Unpublish{"sound"});
  EXPECT_EQ(who(bob, 1), "Ann");
  now_ += 1s;
  broker_.poll(now_);
  EXPECT_EQ(who(bob, 2), "Cid");
}

TEST_F(BrokerTracksTest, WhoLeavesIsOutOfAllTracks) {
  Party ann(broker_, now_, "Ann");
  publish_both(ann);
  Party cid(broker_, now_, "Cid");
  publish_both(cid);
  Party bob(broker_, now_, "Bob");
  best(bob, "", "ORDER BY name", 1, 1);
  best(bob, "sound", "ORDER BY name", 1, 2);
  EXPECT_EQ(broker_.counts().publications, 4u);
  EXPECT_EQ(broker_.counts().viewers, 2u);
  EXPECT_EQ(broker_.counts().seats, 2u);
  EXPECT_TRUE(broker_.kick("den", "Ann", "loud", now_));
  EXPECT_EQ(who(bob, 1), "Cid");
  EXPECT_EQ(who(bob, 2), "Cid");
  EXPECT_EQ(broker_.counts().publications, 2u);
  cid.leave("gone");
  EXPECT_EQ(who(bob, 1), "");
  EXPECT_EQ(who(bob, 2), "");
}

TEST_F(BrokerTracksTest, AViewerMayTurnToAnotherTrack) {
  Party ann(broker_, now_, "Ann");
  publish_both(ann);
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  ann.item(0, 0, 100, kPicture);
  const StreamId before = bob.seat_stream();
  const auto told = bob.port.count<Seat>();
  bob.watch({"Ann"}, 100ms, "sound");
  // First nobody, as `seat` does not tell the track.
  EXPECT_EQ(bob.port.count<Seat>(), told + 2);
  EXPECT_EQ(bob.port.closed_streams, std::vector{before});
  EXPECT_EQ(who(bob, 1), "Ann");
  EXPECT_FALSE(last<Wanted>(ann, "")->on);
  ann.item(1, 0, 100, kPicture);
  ann.item(0, 0, 100, kSound);
  EXPECT_EQ(got(bob, 1), (Got{{0, 0}}));
}

TEST_F(BrokerTracksTest, AnotherWindowIsNoInterruption) {
  Party ann(broker_, now_, "Ann");
  Party cid(broker_, now_, "Cid");
  for (Party* party : {&ann, &cid}) party->publish(kSound, "sound");
  Party bob(broker_, now_, "Bob");
  const std::string loudest = "ORDER BY loudness DESC";
  loudness(ann, -10);
  loudness(cid, -20);
  best(bob, "sound", loudest, 2, 1);
  bob.watch({"Ann"}, 100ms, "sound", 2);
  loudness(cid, -5);  // who ranks first now, and keeps the second seat
  const auto told = bob.port.count<Seat>();
  ann.item(0, 0, 100, kSound);
  for (int i = 1; i < 20; ++i) {
    now_ += 100ms;  // more often than criteria may be changed
    const Duration window = std::chrono::milliseconds(200 + 10 * i);
    bob.say(Watch{
        .viewer = 1, .names = {}, .best = loudest, .seats = 2, .window = window, .track = "sound"});
    bob.watch({"Ann"}, window, "sound", 2);
    bob.port.sent.clear();
    ann.item(i, 0, 100, kSound);
    ASSERT_EQ(bob.port.sent.size(), 2u);
    for (const auto& sent : bob.port.sent) {
      EXPECT_EQ(sent.message.deadline, now_ + window + envelope_of(i, 0).useful_for);
    }
  }
  EXPECT_EQ(seats(bob, 1).at(0).name, "Ann");
  EXPECT_EQ(seats(bob, 1).at(1).name, "Cid");
  EXPECT_EQ(bob.port.count<Seat>(), told);
  EXPECT_EQ(bob.port.count<NotWatched>(), 0u);
  EXPECT_TRUE(bob.port.cancelled.empty());
  EXPECT_TRUE(bob.port.closed_streams.empty());
}

TEST_F(BrokerTracksTest, LimitsHold) {
  Party ann(broker_, now_, "Ann");
  for (std::uint32_t i = 0; i < kMaxTracks; ++i) ann.publish(2 + 2 * i, "t" + std::to_string(i));
  ann.publish(20, "t0");  // anew
  EXPECT_FALSE(ann.port.closed);
  ann.publish(22, "t9");
  EXPECT_TRUE(ann.port.closed);
  Party cid(broker_, now_, "Cid");
  cid.publish(2, "a");
  cid.publish(2, "b");
  EXPECT_TRUE(cid.port.closed);
  // Seats are counted over all tracks, and so are tracks whose best one watches.
  Party bob(broker_, now_, "Bob");
  best(bob, "a", "", 64, 1);
  best(bob, "b", "", 64, 2);
  best(bob, "c", "", 64, 3);
  EXPECT_EQ(bob.port.count<NotWatched>(), 0u);
  best(bob, "d", "", 1, 4);
  ASSERT_EQ(bob.port.count<NotWatched>(), 1u);
  EXPECT_EQ(bob.port.last<NotWatched>()->viewer, 4u);
  for (std::uint32_t i = 1; i <= kMaxTracks; ++i) best(bob, "t" + std::to_string(i), "", 1, i);
  EXPECT_EQ(bob.port.count<NotWatched>(), 1u);
  best(bob, "t9", "", 1, 9);
  EXPECT_EQ(bob.port.count<NotWatched>(), 2u);
  EXPECT_EQ(bob.port.last<NotWatched>()->viewer, 9u);
  best(bob, "t1", "", 1, 9);  // one of the four
  best(bob, "t9", "", 1, 1);  // in the place of another: t1 is still watched by 9
  EXPECT_EQ(bob.port.count<NotWatched>(), 3u);
  bob.say(Unwatch{9});
  best(bob, "t9", "", 1, 1);
  EXPECT_EQ(bob.port.count<NotWatched>(), 3u);
  bob.watch({"Ann"}, 100ms, "by-name", 10);  // costs no table
  EXPECT_EQ(bob.port.count<NotWatched>(), 3u);
  EXPECT_FALSE(bob.port.closed);
}

TEST_F(BrokerTracksTest, DemandIsOfATrack) {
  Party ann(broker_, now_, "Ann");
  publish_both(ann);
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"}, 100ms, "", 1);
  bob.watch({"Ann"}, 100ms, "sound", 2);
  broker_.poll(now_);
  for (int n = 0; n < 60; ++n) {
    ann.item(n, 0, 9000, kPicture);
    ann.item(n, 0, 1000, kSound);
    bob.end_all();
    now_ += 50ms;
    broker_.poll(now_);
  }
  const auto picture = last<Demand>(ann, "");
  const auto sound = last<Demand>(ann, "sound");
  ASSERT_TRUE(picture && sound);
  EXPECT_GT(picture->most, qvid::DataRate::from_kbps(1440));
  EXPECT_EQ(sound->most, paceline::ReceiverRate::kBegin);  // of 160 kbit/s that pass
}

}  // namespace
}  // namespace qps
