#include "app/room/heard_seats.h"

#include <gtest/gtest.h>

#include "app/protocol/sound_about.h"

namespace qvid::app {
namespace {

using namespace std::chrono_literals;

class HeardSeatsTest : public testing::Test {
 protected:
  void hear(int seat, const std::string& name) {
    seats_.hear({.viewer = 2, .seat = seat, .name = name, .about = serialise(SoundAbout{})});
  }
  PartyReport report() const {
    PartyReport report;
    report.sound.emplace();
    seats_.add_to(report);
    return report;
  }
  media::SoundEngine engine_{{}, {.packet = [](media::SoundPacket&&) {}}};
  PresentationClocks clocks_;
  HeardSeats seats_{engine_, clocks_};
};

TEST_F(HeardSeatsTest, HearsWhoIsNamedOrElseTheLoudest) {
  const qps::Watch named = seats_.watch({.viewer = 1, .names = {"Ann"}, .best = "", .seats = 2});
  EXPECT_EQ(named.names, std::vector<std::string>{"Ann"});
  EXPECT_EQ(named.best, "");
  EXPECT_EQ(named.window, SoundWindow::kFirst);
  const qps::Watch all =
      seats_.watch({.viewer = 1, .names = {}, .best = "ORDER BY joined", .seats = 2});
  EXPECT_EQ(all.best, "ORDER BY speaking DESC, loudness DESC");
  EXPECT_EQ(all.seats, HeardSeats::kSeats);
}

TEST_F(HeardSeatsTest, CountsByNameInWhateverSeats) {
  hear(0, "Ann");
  hear(1, "Bob");
  seats_.on_message(0, 0, Payload::copy_of("nonsense"), Timestamp());
  hear(0, "");
  hear(2, "Ann");
  seats_.on_message(2, 0, Payload::copy_of("nonsense"), Timestamp());
  seats_.on_message(7, 0, Payload::copy_of("nobody's"), Timestamp());
  auto heard = report().sound->heard;
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].name, "Ann");
  EXPECT_EQ(heard[0].seat, 2);
  EXPECT_EQ(heard[0].playout.malformed, 2);
  EXPECT_EQ(heard[1].seat, 1);

  seats_.clear();
  heard = report().sound->heard;
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].seat, std::nullopt);
  EXPECT_EQ(heard[0].playout.malformed, 2);
}

TEST_F(HeardSeatsTest, WhatIsNoSoundIsNotPlayed) {
  seats_.hear({.viewer = 2, .seat = 0, .name = "Ann", .about = "{}"});
  EXPECT_TRUE(report().sound->heard.empty());
  EXPECT_FALSE(seats_.tick(0s, Timestamp()));
}

TEST_F(HeardSeatsTest, VolumesAreOfNames) {
  seats_.change_volume("Ann", 2);
  seats_.toggle_silence("Bob");
  seats_.change_volume_of_all(0.5F);
  hear(0, "Ann");
  const PartyReport now = report();
  EXPECT_EQ(now.volumes.at("Ann").level, 2);
  EXPECT_TRUE(now.volumes.at("Bob").silenced);
  EXPECT_EQ(now.volume_of_all.level, 0.5F);
  for (std::size_t i = 0; i < HeardSeats::kMostHeard + 10; ++i) {
    seats_.change_volume("party " + std::to_string(i), 2);
  }
  EXPECT_EQ(report().volumes.size(), HeardSeats::kMostHeard);
}

}  // namespace
}  // namespace qvid::app
