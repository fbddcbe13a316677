// A part of the screen, drawn with the mouse in the window of a call: a witness sees just that part.
#include <gtest/gtest.h>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/display.h"
#include "tests/e2e/robot.h"
#include "tests/e2e/shared_picture.h"
#include "tests/temporary_folder.h"

namespace e2e::share_part_test {
namespace {

constexpr unsigned kGreen = 0x40c020;
constexpr unsigned kGreenLeftOut = 0x1a4f0d;  // as the window darkens what is beside the rectangle
constexpr Colour kGreenSeen{132, 77, 83};
constexpr Patch kCovered{1700, 840, 256, 192};  // beside the call's window

TEST(SharePart, JustWhatIsDrawnWithTheMouseIsSeen) {
  const auto display = open_display("2000x1100");
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  Robot robot(display->name());
  robot.cover(kCovered, kGreen);
  BrokerProcess broker;
  const qvid::TemporaryFolder folder;
  auto environment = on(*display);
  environment.push_back("XDG_CONFIG_HOME=" + folder.path().string());
  Process ann({program(), "call", broker.url(), "--insecure", "--name", "Ann", "--no-camera",
               "--microphone", "none", "--speaker", "none", "--rate", "15"},
              environment);
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  ASSERT_TRUE(robot.focus("Qvid - den")) << ann.log();
  robot.key("d");
  ASSERT_TRUE(robot.find(kGreen, 3)) << "in the line's small picture of the desktop: " << ann.log();
  robot.key("Down");
  robot.key("Return");
  const auto still = robot.find(kGreenLeftOut, 80);
  ASSERT_TRUE(still) << "in the large one: " << ann.log();
  // From within the green to within it; a pixel of the window is one or two of the desktop.
  constexpr int kInside = 4;
  robot.drag(still->x + kInside, still->y + kInside, still->x + still->width - kInside,
             still->y + still->height - kInside);
  robot.key("Return");

  const auto fits = [](const qvid::media::PictureSize& size) {
    return size.width >= 200 && size.width <= kCovered.width && size.height >= 140 &&
           size.height <= kCovered.height;
  };
  const Seen seen =
      shared_picture(broker.url(), "Ann", [&](const Seen& s) { return fits(s.size); });
  EXPECT_TRUE(near(seen.middle, kGreenSeen)) << seen.middle;
  EXPECT_TRUE(near(seen.edge, kGreenSeen)) << seen.edge;
  EXPECT_TRUE(near(seen.top, kGreenSeen)) << seen.top;
  robot.key("q");
  EXPECT_EQ(ann.wait(), 0) << ann.log();
}

}  // namespace
}  // namespace e2e::share_part_test
