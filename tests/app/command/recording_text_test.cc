#include "app/command/recording_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

namespace qvid::app {
namespace {

// nlohmann's objects hide a key that is written twice: each number here is another.
TEST(RecordingText, EachNumberIsToldOnce) {
  media::Recording::Stats stats;
  stats.left_out = 101;
  stats.dropped = 102;
  stats.sound_left_out = 103;
  media::RecordedFile file;
  file.path = "ann.mkv";
  file.size = {104, 105};
  file.layer = 106;
  file.frames = 107;
  file.sound_packets = 108;
  file.bytes = ByteCount(109);
  file.sound_bytes = ByteCount(110);
  file.sound = true;
  stats.files = {file};
  const nlohmann::json json = json_of("Ann", stats);
  const std::string text = json.dump();
  for (int number = 101; number <= 110; ++number) {
    const std::regex told(":" + std::to_string(number) + "[,}]");
    EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), told), {}), 1)
        << number << " in " << text;
  }
  EXPECT_EQ(json["sound_packets_left_out"], 103);
  EXPECT_EQ(text_of("Ann", stats).find("layer"), std::string::npos);
  stats.files[0].full_size = false;
  EXPECT_NE(text_of("Ann", stats).find("(a lower layer)"), std::string::npos);
  stats.files[0].layer = 0;
  EXPECT_NE(text_of("Ann", stats).find("(the base layer)"), std::string::npos);
  EXPECT_EQ(json["files"][0]["sound_packets"], 108);
}

}  // namespace
}  // namespace qvid::app
