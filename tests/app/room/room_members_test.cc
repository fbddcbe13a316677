#include "app/room/room_members.h"

#include <gtest/gtest.h>

#include "app/command/party_text.h"
#include "app/room/party_seats.h"

namespace qvid::app {
namespace {

TEST(RoomMembers, EverybodyIsListedWithWhatItPublishes) {
  RoomMembers members;
  EXPECT_TRUE(members.note({.name = "Ann", .tracks = {"", kSoundTrack}}).came);
  EXPECT_TRUE(members.note({.name = "Bob", .tracks = {kSoundTrack}}).came);
  EXPECT_TRUE(members.note({.name = "Cid"}).came);
  EXPECT_FALSE(members.note({.name = "Cid", .tracks = {""}}).came) << "it was there";
  members.leave("nobody");
  EXPECT_TRUE(members.note({.name = "Cid", .tracks = {"", kShareTrack}}).shares);
  EXPECT_FALSE(members.note({.name = "Cid", .tracks = {"", kShareTrack}}).shares) << "known";

  PartyReport report;
  report.members = members.all();
  ASSERT_EQ(report.members.size(), 3u);
  EXPECT_TRUE(report.members["Ann"].picture);
  EXPECT_TRUE(report.members["Ann"].voice);
  EXPECT_FALSE(report.members["Bob"].picture);
  EXPECT_TRUE(report.members["Bob"].voice);
  EXPECT_FALSE(report.members["Cid"].voice);
  const nlohmann::json json = json_of(report);
  EXPECT_EQ(json["members"], nlohmann::json({"Ann", "Bob", "Cid"}));
  EXPECT_EQ(json["publishes"]["Ann"], nlohmann::json({"picture", "sound"}));
  EXPECT_EQ(json["publishes"]["Bob"], nlohmann::json({"sound"}));
  EXPECT_EQ(json["publishes"]["Cid"], nlohmann::json({"picture", "share"}));
  const std::string text = text_of(report, true);
  EXPECT_NE(text.find("published 0 frames"), std::string::npos) << text;
  EXPECT_EQ(text_of(report, false).find("published"), std::string::npos);
  EXPECT_NE(text.find("in the room: 3"), std::string::npos) << text;
  EXPECT_NE(text.find("Bob          publishes sound"), std::string::npos) << text;

  members.leave("Bob");
  EXPECT_EQ(members.all().size(), 2u);
  members.clear();
  EXPECT_TRUE(members.all().empty());
}

TEST(RoomMembers, APictureIsNeededAsTallAsTheTallestThatIsShown) {
  const auto shows = [](const std::map<std::string, int>& lines) {
    return nlohmann::json{{kHeightsAttribute, ShownHeights(lines).attribute()}};
  };
  RoomMembers members;
  EXPECT_EQ(members.lines_of("Me"), 0) << "nobody is there";
  members.note({.name = "Ann", .attributes = shows({})});
  EXPECT_EQ(members.lines_of("Me"), 0) << "its window is not there yet";
  members.note({.name = "Ann", .attributes = shows({{"Me", 600}, {"Bob", 90}})});
  members.note({.name = "Bob", .attributes = shows({{"Me", 360}, {"Ann", 360}})});
  EXPECT_EQ(members.lines_of("Me"), 600);
  EXPECT_EQ(members.lines_of("Ann"), 360);
  members.note({.name = "Recorder"});
  EXPECT_EQ(members.lines_of("Me"), std::nullopt) << "it takes all there is";
  members.leave("Recorder");
  EXPECT_EQ(members.lines_of("Me"), 600);
}

TEST(RoomMembers, WhatAllDecodeIsWhatEachSays) {
  RoomMembers members;
  EXPECT_TRUE(members.all_decode("av1")) << "nobody is there who does not";
  members.note({.name = "Ann", .attributes = {{kDecodesAttribute, {"h264", "av1"}}}});
  EXPECT_TRUE(members.all_decode("av1"));
  EXPECT_FALSE(members.all_decode("h267"));
  members.note({.name = "Old"});
  EXPECT_FALSE(members.all_decode("av1"));
  EXPECT_TRUE(members.all_decode("h264"));
  members.leave("Old");
  EXPECT_TRUE(members.all_decode("av1"));
  for (const nlohmann::json& nonsense : {nlohmann::json(7), nlohmann::json("av1"),
                                         nlohmann::json::array(), nlohmann::json({1, 2})}) {
    members.note({.name = "Odd", .attributes = {{kDecodesAttribute, nonsense}}});
    EXPECT_FALSE(members.all_decode("av1")) << nonsense;
    EXPECT_TRUE(members.all_decode("h264")) << nonsense;
  }
}

TEST(RoomMembers, AVoiceIsWhatThePeerSaysWithinReason) {
  RoomMembers members;
  members.note({.name = "Ann",
                .attributes = {{"speaking", true}, {"loudness", 12}, {"muted", "perhaps"}},
                .tracks = {kSoundTrack}});
  const MemberVoice voice = members.all().at("Ann").voice.value();
  EXPECT_TRUE(voice.state.speaking);
  EXPECT_EQ(voice.state.loudness, 0);
  EXPECT_FALSE(voice.muted);
}

TEST(RoomMembers, TellWhoRecords) {
  RoomMembers members;
  members.note({.name = "Ann", .attributes = {{"recording", true}}, .tracks = {}});
  members.note({.name = "Bob", .attributes = {{"recording", "yes"}}, .tracks = {""}});
  const auto all = members.all();
  EXPECT_TRUE(all.at("Ann").records);
  EXPECT_FALSE(all.at("Bob").records);
}

TEST(RoomMembers, HandsAndWhoIsHeld) {
  RoomMembers members;
  EXPECT_TRUE(members.note({.name = "Ann", .hand = 3}).hand) << "it was up when one came";
  EXPECT_FALSE(members.note({.name = "Ann", .hand = 3, .held = {kSoundTrack}}).hand);
  EXPECT_EQ(members.all().at("Ann").hand, 3);
  EXPECT_TRUE(members.all().at("Ann").held);
  EXPECT_FALSE(members.note({.name = "Ann", .held = {"another"}}).hand);
  EXPECT_FALSE(members.all().at("Ann").held);
  EXPECT_TRUE(members.note({.name = "Ann", .hand = 4}).hand);
}

}  // namespace
}  // namespace qvid::app
