// What a call looks like to who asked that nothing moves by itself.
#include <gtest/gtest.h>

#include "tests/ui/call/call_window_fixture.h"
#include "ui/window/motion.h"

namespace qvid::ui {
namespace {

class ReducedMotionTest : public CallWindowTest {
 protected:
  void TearDown() override {
    reduce_motion(false);
    CallWindowTest::TearDown();
  }
  // How much greener than red it is, so far within the box of who speaks loudly.
  int green_at(int inset) {
    window_->set_tiles({{.key = "0", .name = "Ann", .speaking = true, .loudness = -10}});
    show("0");
    window_->draw({.members = 1});
    const Rectangle box = window_->place_of("0");
    const Rgb there = pixel_at(box.x + inset, box.y + box.height / 2);
    return there.g - there.r;
  }
};

TEST_F(ReducedMotionTest, WhoSpeaksHasAPlainFrame) {
  constexpr int kOnTheFrame = 1;
  constexpr int kBesideIt = 6;
  EXPECT_GT(green_at(kOnTheFrame), 80);
  EXPECT_GT(green_at(kBesideIt), 20) << "it glows";
  reduce_motion(true);
  EXPECT_GT(green_at(kOnTheFrame), 80);
  EXPECT_LT(green_at(kBesideIt), 5);
}

}  // namespace
}  // namespace qvid::ui
