// What is offered to be shared.
#include "app/command/share_choices.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace qvid::app {
namespace {

const std::vector<media::AvailableSource> kFound = {
    {.type_this = "screen::0", .description = "3840x1080", .size = {3840, 1080}},
    {"screen::0@window=0x2a00003", "the window 'A letter'", "A letter"},
    {"screen::0@window=0x2a00005", "the window '\\n'", "two\nlines \xff"},
};

std::vector<std::string> sources(const std::vector<ui::ShareChoice>& choices) {
  std::vector<std::string> all;
  for (const auto& choice : choices) all.push_back(choice.source);
  return all;
}

TEST(ShareChoices, TheDesktopAndItsWindows) {
  const auto choices = share_choices(kFound, {{0, 0, 3840, 1080}});
  ASSERT_EQ(sources(choices),
            (std::vector<std::string>{"screen::0", "screen::0", "screen::0@window=0x2a00003",
                                      "screen::0@window=0x2a00005"}));
  EXPECT_EQ(choices[0].title, "The whole desktop");
  EXPECT_EQ(choices[0].detail, "3840x1080");
  EXPECT_EQ(choices[0].part_of, media::PictureSize{});
  EXPECT_EQ(choices[1].part_of, (media::PictureSize{3840, 1080}));
  EXPECT_EQ(choices[2].title, "A letter");
  EXPECT_EQ(choices[3].title.find('\n'), std::string::npos) << "one line, whatever it is called";
}

TEST(ShareChoices, EachScreenWhereThereAreSeveral) {
  const auto choices = share_choices(kFound, {{0, 0, 1920, 1080}, {1920, 0, 1920, 1080}});
  ASSERT_EQ(choices.size(), 6u);
  EXPECT_EQ(choices[1].source, "screen::0@1920x1080+0+0");
  EXPECT_EQ(choices[2].source, "screen::0@1920x1080+1920+0");
  EXPECT_EQ(choices[2].title, "Screen 2");
  EXPECT_EQ(choices[2].detail, "1920x1080");
}

TEST(ShareChoices, NoScreenThatNoSourceCanBe) {
  EXPECT_EQ(share_choices(kFound, {{-1920, 0, 1920, 1080}, {0, 0, 0, 0}}).size(),
            share_choices(kFound, {}).size());
  EXPECT_TRUE(share_choices({}, {{0, 0, 640, 480}, {640, 0, 640, 480}}).empty());
}

TEST(ShareChoices, OnWaylandTheDesktopOffers) {
  const auto choices = wayland_choices();
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_TRUE(media::parse_source_spec(choices[0].source));
}

TEST(ShareChoices, EachIsSeenOnceAndTheDesktopLarge) {
  const auto wishes = share_stills(share_choices(kFound, {}));
  ASSERT_EQ(wishes.size(), 3u);
  EXPECT_EQ(wishes[0].source, "screen::0");
  EXPECT_GT(wishes[0].most.width, 1000) << "a part of it is drawn there";
  EXPECT_EQ(wishes[1].source, "screen::0@window=0x2a00003");
  EXPECT_LT(wishes[1].most.width, 300);
}

}  // namespace
}  // namespace qvid::app
