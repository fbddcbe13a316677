// Who is listed in a call's window, and in which order.
#include "app/command/party_people.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/command/party_tiles.h"

namespace qvid::app {
namespace {

PartyReport room() {
  PartyReport report;
  report.sound.emplace();
  report.order.hands = true;
  report.members["Ann"].picture = true;
  report.members["Ann"].voice.emplace().muted = true;
  report.members["Bob"].voice.emplace();
  report.members["Cid"];
  return report;
}

std::vector<std::string> names(const ui::PeopleModel& model) {
  std::vector<std::string> all;
  for (const ui::Person& person : model.people) {
    all.push_back(person.name + (person.hand > 0 ? " " + std::to_string(person.hand) : ""));
  }
  return all;
}

using Names = std::vector<std::string>;

TEST(PartyPeople, RaisedHandsComeFirstInTheirOrder) {
  PartyReport report = room();
  EXPECT_EQ(names(party_people(report, {.own_name = "Me"})), (Names{"Me", "Ann", "Bob", "Cid"}));
  report.members["Cid"].hand = 4;
  report.members["Bob"].hand = 9;
  report.order.own_hand = 7;
  EXPECT_EQ(names(party_people(report, {.own_name = "Me"})),
            (Names{"Cid 1", "Me 2", "Bob 3", "Ann"}));
  EXPECT_TRUE(party_people(report, {}).own_hand);
  // So are the signs on the tiles.
  const auto tiles = party_tiles(report, {.own_name = "Me"});
  ASSERT_EQ(tiles.size(), 3u);
  EXPECT_EQ(tiles[0].name, "Me");
  EXPECT_EQ(tiles[0].hand, 2);
  EXPECT_EQ(tiles[1].name, "Ann");
  EXPECT_EQ(tiles[1].hand, 0);
  EXPECT_EQ(tiles[2].hand, 3);
}

TEST(PartyPeople, WhoRecordsIsNamed) {
  PartyReport report = room();
  EXPECT_EQ(recorders_of(report), "");
  report.members["Rec"].records = report.members["Ann"].records = true;
  EXPECT_EQ(recorders_of(report), "Ann, Rec");
  EXPECT_TRUE(party_people(report, {.own_name = "Me"}).people.back().records);
}

TEST(PartyPeople, WhatIsKnownOfEach) {
  PartyReport report = room();
  report.members["Bob"].held = true;
  report.volumes["Ann"] = {.level = 2, .silenced = true};
  const auto model =
      party_people(report, {.own_name = "Me", .pinned = "Ann", .own_muted = true, .hears = true});
  const ui::Person& me = model.people[0];
  const ui::Person& ann = model.people[1];
  const ui::Person& bob = model.people[2];
  const ui::Person& cid = model.people[3];
  EXPECT_TRUE(me.own && me.muted && !me.audible);
  EXPECT_TRUE(ann.muted && ann.silenced && ann.pinned && ann.tile && ann.audible);
  EXPECT_EQ(ann.volume, 2);
  EXPECT_TRUE(bob.held && !bob.muted && bob.tile);
  EXPECT_FALSE(cid.tile || cid.audible || cid.muted) << "who only watches";
  EXPECT_FALSE(model.moderates);
  // Who is held is not heard: its tile says so.
  const auto tiles = party_tiles(report, {.own_name = "Me"});
  EXPECT_TRUE(tiles[2].muted);
}

}  // namespace
}  // namespace qvid::app
