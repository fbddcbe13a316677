// The instrument on real displays: the eye on the clock's own, displays that do not take each
// other's number, and a run of the product between two. Nothing is left behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "base/clock.h"
#include "lab/bed/bed.h"
#include "lab/emulator/emulator.h"
#include "lab/glass/glass.h"
#include "lab/glass/glass_figures.h"

namespace qvid::lab {
namespace {

bool has_xvfb() {
  for (const char* folder : {"/usr/bin", "/usr/local/bin"}) {
    if (access((std::string(folder) + "/Xvfb").c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::filesystem::path socket_of(const std::string& display) {
  return "/tmp/.X11-unix/X" + display.substr(1);
}

// Waits until the eye has seen so many pictures, or far too long.
void until_seen(const Glass& glass, std::size_t pictures) {
  const Timestamp give_up = steady_now() + 40s;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable nobody;
  while (glass.seen() < pictures && steady_now() < give_up) nobody.wait_for(lock, 10ms);
}

struct GlassDisplays : testing::Test {
  void SetUp() override {
    if (!has_xvfb()) GTEST_SKIP() << "Xvfb is not installed";
  }
};

TEST_F(GlassDisplays, TheEyeSeesTheClockOnItsOwnDisplay) {
  std::string source;
  GlassLog log;
  const Timestamp begin = steady_now();
  {
    Glass glass({}, Glass::Way::kDirect);
    EXPECT_NE(glass.source(), glass.sink());
    source = glass.source();
    EXPECT_TRUE(std::filesystem::exists(socket_of(source)));
    until_seen(glass, 30);
    log = glass.stop();
  }
  EXPECT_FALSE(std::filesystem::exists(socket_of(source)));
  const GlassFigures figures = glass_figures(log, {begin, steady_now()});
  EXPECT_GE(figures.pictures, 30u);
  EXPECT_FALSE(log.clock_late.empty());
  for (const double delay : figures.delays_ms) EXPECT_GE(delay, 0);
  ASSERT_FALSE(log.quality.empty());
  EXPECT_GT(figures.psnr, 60) << "nothing is between them";
}

TEST_F(GlassDisplays, AnswerAStop) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(Glass(stop.get_token()), std::runtime_error);
}

// Of the product's window; where it is built with AddressSanitizer, what libraries keep is no leak of
// ours. OpenGL's driver is unloaded before the check, which then does not know whose memory it is.
void use_the_product() {
  setenv("QVID_PROGRAM", QVID_PRODUCT, 1);
  setenv("SDL_RENDER_DRIVER", "software", 1);
  setenv("SDL_FRAMEBUFFER_ACCELERATION", "0", 1);
  setenv("LSAN_OPTIONS", "print_suppressions=0:suppressions=" QVID_LSAN_SUPPRESSIONS, 1);
}

RunSpec short_run(BetweenDisplays between, Duration duration) {
  RunSpec spec{.name = "a short run", .link = "rate=16mbit delay=15ms"};
  spec.programs.between = between;
  spec.duration = duration;
  spec.warm_up = duration / 2;
  return spec;
}

void expect_pictures(const RunResult& result) {
  const GlassFigures figures =
      glass_figures(result.glass, {result.begin, result.begin + result.spec.duration});
  EXPECT_GT(figures.pictures, 5u);
  for (const double delay : figures.delays_ms) EXPECT_GE(delay, 15) << "the link alone";
  EXPECT_GT(result.link.up.bytes, 10'000u);
}

TEST_F(GlassDisplays, ShowWhatTheProductBrings) {
  if (const std::string missing = missing_for_emulator(); !missing.empty()) GTEST_SKIP() << missing;
  use_the_product();
  RunSpec spec = short_run(BetweenDisplays::kProduct, 8s);
  spec.programs.serve = {"screen", "--rate", "30", "--microphone", "none"};
  spec.programs.players = {{.group = "viewer"}};
  const RunResult result = run_on_bed(spec, {});
  ASSERT_TRUE(result.error.empty()) << result.error;
  ASSERT_EQ(result.players.size(), 1u);
  EXPECT_TRUE(result.players[0].error.empty()) << result.players[0].error;
  expect_pictures(result);
}

class GuestDisplays : public GlassDisplays, public testing::WithParamInterface<bool> {};

TEST_P(GuestDisplays, ShowWhatComesToABrowserAndFromIt) {
  if (const std::string missing = missing_for_emulator(); !missing.empty()) GTEST_SKIP() << missing;
  use_the_product();
  RunSpec spec = short_run(BetweenDisplays::kGuest, 15s);
  spec.programs.from_far = GetParam();
  spec.programs.guest_speaks = GetParam();
  if (GetParam()) {
    spec.programs.member = {"watch", "--speaker", "none"};
  } else {
    spec.programs.member = {"publish", "screen", "--microphone", "none"};
  }
  const RunResult result = run_on_bed(spec, {});
  if (!result.not_installed.empty()) GTEST_SKIP() << result.not_installed;
  if (result.error.find("without the page") != std::string::npos) GTEST_SKIP() << result.error;
  ASSERT_TRUE(result.error.empty()) << result.error;
  expect_pictures(result);
}

INSTANTIATE_TEST_SUITE_P(BothWays, GuestDisplays, testing::Bool());

}  // namespace
}  // namespace qvid::lab
