// Who has a tile in a call's window, and what it says.
#include "app/command/party_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace qvid::app {
namespace {

PartyReport room_of_four() {
  PartyReport report;
  report.sound.emplace();
  report.members["Ann"].picture = true;
  report.members["Ann"].voice.emplace();
  report.members["Bob"].voice.emplace().state.speaking = true;
  report.members["Cid"];
  report.members["Rec"].records = true;
  report.seats.resize(2);  // nobody sits on the second
  report.seats[0].name = "Ann";
  report.seats[0].playback.frames_shown = 3;
  return report;
}

std::vector<std::string> told(const std::vector<ui::TileModel>& tiles) {
  std::vector<std::string> all;
  for (const ui::TileModel& tile : tiles) all.push_back(tile.name + ": " + tile.status);
  return all;
}

using Told = std::vector<std::string>;

TEST(PartyTiles, OnesOwnShareSaysThatSoundGoesAlong) {
  PartyReport report = room_of_four();
  const auto title = [&] {
    const auto tiles = party_tiles(report, {.own_name = "Me", .own_share = true});
    return ui::tile_title(tiles[2]);
  };
  EXPECT_EQ(title(), "what you share");
  report.sound->shared = true;
  EXPECT_EQ(title(), "shared, with sound");
}

TEST(PartyTiles, EverybodyWhoTakesPartHasOne) {
  const auto tiles = party_tiles(room_of_four(), {.own_name = "Me", .own_picture = true});
  EXPECT_EQ(told(tiles), (Told{"Ann: ", "Me: ", "Bob: no camera"}));
  EXPECT_TRUE(tiles[0].video);
  EXPECT_FALSE(tiles[2].video);
  EXPECT_TRUE(tiles[2].speaking) << "who has no camera is seen to speak";
  EXPECT_FALSE(tiles[2].muted);
  EXPECT_TRUE(tiles[1].own);
}

TEST(PartyTiles, WhoIsBeyondTheSeatsIsSeenWithoutAPicture) {
  PartyReport report = room_of_four();
  report.members["Dan"].picture = true;
  const auto tiles = party_tiles(report, {.pinned = {.name = "Dan"}, .own_name = "Me"});
  ASSERT_EQ(tiles.size(), 4u);
  EXPECT_EQ(tiles[3].name, "Dan");
  EXPECT_EQ(tiles[3].status, "not among the pictures");
  EXPECT_TRUE(tiles[3].pinned);
}

// With a seat and without one it is the same tile: pinned, selected or large, it stays so.
TEST(PartyTiles, SomebodysTileStaysTheSameWithoutASeat) {
  PartyReport report = room_of_four();
  const std::string key = party_tiles(report, {.own_name = "Me"})[0].key;
  report.seats[0].name.clear();
  const auto tiles = party_tiles(report, {.own_name = "Me"});
  EXPECT_TRUE(std::ranges::any_of(tiles, [&](const auto& tile) {
    return tile.key == key && tile.name == "Ann" && !tile.video;
  }));
}

PartyReport room_of_pictures(const std::vector<std::string>& names) {
  PartyReport report;
  for (const std::string& name : names) report.members[name].picture = true;
  report.members["Eve"].voice.emplace();
  return report;
}

TEST(PartyTiles, WhereThereAreSeatsForAllNobodyIsAskedFor) {
  const PartyReport report = room_of_pictures({"Ann", "Bob"});
  const auto tiles = party_tiles(report, {.own_name = "Me"});
  EXPECT_EQ(wanted_pictures(report, tiles, {member_tile("Bob")}, 2), Told{});
}

TEST(PartyTiles, WhoIsSeenIsAskedFor) {
  const PartyReport report = room_of_pictures({"Ann", "Bob", "Cid", "Dan", "Fay"});
  const auto tiles = party_tiles(report, {.pinned = {.name = "Dan"}, .own_name = "Me"});
  // Who is pinned, also on another page; who is large, then the others; not who has no camera.
  EXPECT_EQ(wanted_pictures(report, tiles,
                            {member_tile("Cid"), member_tile("Eve"), kOwnTile, member_tile("Bob"),
                             member_tile("Ann"), "gone"},
                            3),
            (Told{"Dan", "Cid", "Bob"}));
}

TEST(PartyTiles, ASeatThatWaitsSaysSo) {
  PartyReport report = room_of_four();
  report.seats[0].playback.frames_shown = 0;
  EXPECT_EQ(party_tiles(report, {.own_name = "Me"})[0].status, "waiting for the first picture");
}

TEST(PartyTiles, WhatIsWrongWithTheOwnCameraIsOnItsTile) {
  PartyReport report;
  report.camera_fault = "camera 0 is busy";
  const auto told_of = [&](bool on) {
    return party_tiles(report, {.own_name = "Me", .own_picture = on})[0];
  };
  EXPECT_EQ(told_of(true).status, "camera 0 is busy");
  EXPECT_FALSE(told_of(true).video) << "what it gave before is old";
  EXPECT_EQ(told_of(false).status, "camera off");
}

TEST(PartyTiles, WhoWasAskedForAlone) {
  const auto tiles = party_tiles(room_of_four(), {.everybody = false, .own_name = "Me"});
  EXPECT_EQ(told(tiles), (Told{"Ann: ", "Me: camera off"}));
}

// Beside its face, and before all: it is what one is to look at.
TEST(PartyTiles, WhatSomebodySharesHasATileOfItsOwn) {
  PartyReport report = room_of_four();
  report.members["Ann"].shares = true;
  report.order.own_hand = 1;
  report.shares_seen.resize(2);
  report.shares_seen[0].name = "Ann";
  const auto tiles = party_tiles(
      report, {.pinned = {.name = "Ann", .share = true}, .own_name = "Me", .own_share = true});
  EXPECT_EQ(told(tiles), (Told{"Ann: waiting for the first picture", "Ann: ", "Me: camera off",
                               "Me: ", "Bob: no camera"}));
  EXPECT_EQ(tiles[0].key, share_tile(0));
  EXPECT_TRUE(tiles[0].share && !tiles[0].own && tiles[0].pinned);
  EXPECT_FALSE(tiles[1].share || tiles[1].pinned) << "her share is, not her face";
  EXPECT_TRUE(tiles[3].share && tiles[3].own);
  EXPECT_EQ(tiles[2].hand, 1);
  EXPECT_EQ(tiles[3].hand, 0);
}

TEST(PartyTiles, WhoSharesAloneIsThere) {
  PartyReport report;
  report.members["Ann"].shares = true;
  EXPECT_EQ(told(party_tiles(report, {.own_name = "Me"})),
            (Told{"Me: camera off", "Ann: no camera"}));
}

TEST(PartyTiles, NobodyIsThereTwice) {
  PartyReport report = room_of_four();
  report.members["Me"];
  EXPECT_EQ(party_tiles(report, {.own_name = "Me"}).size(), 3u);
}

}  // namespace
}  // namespace qvid::app
