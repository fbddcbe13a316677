// The panel of what has no button, by keys.
#include "tests/ui/call/call_window_fixture.h"

namespace qvid::ui {
namespace {

class CallMoreTest : public CallPanelTest {};

TEST_F(CallMoreTest, ALineDoesWhatItsKeyDoes) {
  EXPECT_EQ(after(SDLK_PERIOD), Commands{});
  draw();
  EXPECT_EQ(after(SDLK_e), Commands{CallCommand::kRecord}) << "keys are what they were";
  draw();
  after(SDLK_RETURN);  // the first line
  window_->draw(model_);
  EXPECT_EQ(window_->wait(1ms), Commands{CallCommand::kRecord});
  EXPECT_EQ(after(SDLK_u), Commands{}) << "it is closed: another opens";
}

}  // namespace
}  // namespace qvid::ui
