// What is seen and heard of a guest, and by one: the pictures and the sound are those that were sent, and
// come together; and what is left of them where all of its sockets are gone for a while.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/experiments/statistics.h"
#include "lab/experiments/sync_measure.h"
#include "tests/e2e/broker_process.h"
#include "tests/e2e/browser.h"
#include "tests/e2e/guest_fixture.h"
#include "tests/e2e/page_probe.h"
#include "tests/e2e/wav.h"
#include "tests/e2e/way.h"
#include "tests/media/sound/speech_like.h"

namespace e2e {
namespace {

using nlohmann::json;
using qvid::media::speech_like;

constexpr double kMostApartMs = 60;
constexpr std::size_t kSaidFrames = 4UL * kWavRate;

class GuestMedia : public GuestFixture {
 protected:
  static void turn_on(Browser& browser) {
    browser.evaluate(
        "for (const id of ['with-camera', 'with-microphone']) document.getElementById(id).click();"
        "true");
    ASSERT_TRUE(browser.wait_until("window.qvid.own.camera && window.qvid.own.microphone"))
        << browser.evaluate("window.qvid");
  }
  static bool saw_for(Browser& browser, int seconds) {
    return browser.wait_until(
        "window.came.heard.length > 0 && window.came.pictures.length > 0 && "
        "window.came.pictures.at(-1)[0] - window.came.heard[0][0] > 1000 * " +
        std::to_string(seconds));
  }

  // Flashes and beeps of each second came, and together; of what came before `kSettles` nothing is said.
  static void expect_together(const qvid::lab::OutputTable& output) {
    constexpr double kSettles = 4;
    ASSERT_FALSE(output.heard.empty());
    ASSERT_FALSE(output.pictures.empty());
    const qvid::lab::TimeSpan span{
        std::max(output.heard.front().at, output.pictures.front().at) + kSettles,
        std::min(output.heard.back().at, output.pictures.back().at)};
    const qvid::lab::SyncMeasure sync = qvid::lab::measure_sync(output, span);
    const std::vector<double> apart = sync.absolute_ms();
    ASSERT_GE(apart.size(), 6U);
    const double median = qvid::lab::percentile(apart, .5);
    RecordProperty("apart_ms", std::to_string(median));
    std::vector<double> errors;
    for (const auto& error : sync.errors) errors.push_back(error.ms);
    EXPECT_LE(median, kMostApartMs) << json(errors);
    EXPECT_LE(sync.missing_beeps, 2U);
    EXPECT_LE(sync.missing_flashes, 2U);
  }
};

// It is looked at and listened to.
#define OPEN_PROBED_OR_SKIP(browser, address)                 \
  (browser).allow_scripts();                                  \
  OPEN_PAGE_OR_SKIP(browser, "http://" + (address) + "/den"); \
  (browser).evaluate(kPageProbe)

TEST_F(GuestMedia, SeesAndHearsAtTheSameTime) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann({program(), "publish", "test:sync", broker.url(), "--insecure", "--name", "Ann",
               "--size", "320x180"});
  OPEN_PROBED_OR_SKIP(*browser_, broker.address());
  join("Guest");
  ASSERT_TRUE(saw_for(*browser_, 14)) << report() << ann.log();
  expect_together(came_out(*browser_));
}

TEST_F(GuestMedia, IsSeenAndHeardAtTheSameTime) {
  const qvid::TemporaryFolder folder;
  const std::string log = (folder / "output.csv").string();
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  OPEN_PROBED_OR_SKIP(*browser_, broker.address());
  browser_->evaluate(kPageScene);
  turn_on(*browser_);
  join("Guest");
  Process bob(
      watch(broker.url(), "Bob",
            {"--output-log", log, "--speaker", (folder / "ear.wav").string(), "--duration", "18"}));
  // The same of another guest.
  Browser other;
  ASSERT_EQ(other.trouble(), "");
  OPEN_PROBED_OR_SKIP(other, broker.address());
  join(other, "Other");
  EXPECT_TRUE(saw_for(other, 14)) << other.evaluate("window.qvid");
  expect_together(came_out(other));
  ASSERT_EQ(bob.wait(), 0) << bob.log();
  std::ifstream file(log);
  const auto output =
      qvid::lab::parse_output(std::string(std::istreambuf_iterator<char>(file), {}));
  ASSERT_TRUE(output) << output.error().message;
  expect_together(*output);
}

TEST_F(GuestMedia, HearsAndSaysWhatWasSpoken) {
  const qvid::TemporaryFolder folder;
  const std::vector<float> of_ann = speech_like(kSaidFrames, 1, 120, 0.5F);
  const std::vector<float> of_guest = speech_like(kSaidFrames, 2, 170, 0.5F);
  const std::string ear = (folder / "ear.wav").string();
  write_wav((folder / "ann.wav").string(), of_ann);
  write_wav((folder / "guest.wav").string(), of_guest);
  browser_ = std::make_unique<Browser>(std::vector<std::string>{
      "--use-file-for-fake-audio-capture=" + (folder / "guest.wav").string()});
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann({program(), "call", broker.url(), "--insecure", "--name", "Ann", "--no-camera",
               "--headless", "--microphone", (folder / "ann.wav").string(), "--speaker", ear});
  OPEN_PROBED_OR_SKIP(*browser_, broker.address());
  turn_on(*browser_);
  join("Guest");
  ASSERT_TRUE(logs(ann, "sound of 'Guest'")) << ann.log();
  ASSERT_TRUE(browser_->wait_until("window.came.samples.length > 48000 * 9")) << report();
  ann.signal(SIGINT);
  EXPECT_EQ(ann.wait(), 0) << ann.log();
  std::vector<float> heard;
  for (const int sample : browser_->evaluate("window.came.samples").get<std::vector<int>>()) {
    heard.push_back(static_cast<float>(sample) / 32767);
  }
  const std::vector<float> heard_by_ann = read_wav(ear);
  ASSERT_GT(heard_by_ann.size(), kSaidFrames);
  // Of another voice it is less than .4.
  EXPECT_GT(heard_of(of_ann, heard), 0.7);
  EXPECT_GT(heard_of(of_guest, heard_by_ann), 0.5);
  EXPECT_LT(heard_of(of_guest, heard), 0.4);
  EXPECT_LT(heard_of(of_ann, heard_by_ann), 0.4);
}

TEST_F(GuestMedia, ComesBackAfterTenSecondsWithoutASocket) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Way way(broker.at());
  Process ann(party(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_PROBED_OR_SKIP(*browser_, way.advertise());
  turn_on(*browser_);
  join("Guest");
  const auto goes_on = [&] {
    browser_->evaluate("window.before = window.qvid.report; true");
    return browser_->wait_until(
        "window.qvid.report.seats[0]?.shown > window.before.seats[0].shown + 15 && "
        "window.qvid.report.heard[0]?.packets > window.before.heard[0].packets + 50 && "
        "window.qvid.report.sent.pictures > window.before.sent.pictures + 15 && "
        "window.qvid.report.sent.packets > window.before.sent.packets + 50");
  };
  ASSERT_TRUE(
      browser_->wait_until("window.qvid.report?.seats[0]?.shown > 15 && "
                           "window.qvid.report.heard[0]?.packets > 0"))
      << report();
  ASSERT_TRUE(goes_on()) << report();
  way.cut(true);
  ASSERT_TRUE(browser_->wait_until("window.qvid.status.state !== 'joined'")) << report();
  EXPECT_TRUE(
      browser_->wait_until("document.getElementById('status').textContent.startsWith("
                           "'The connection was lost')"))
      << report();
  browser_->evaluate("window.cutAt = performance.now(); true");
  ASSERT_TRUE(browser_->wait_until("performance.now() > window.cutAt + 10000"));
  // The others are told, and nobody waits for it.
  EXPECT_TRUE(logs(ann, "Guest left")) << ann.log();
  way.cut(false);
  EXPECT_TRUE(
      browser_->wait_until("window.qvid.report?.seats?.[0]?.shown > 15 && "
                           "window.qvid.report.heard[0]?.packets > 0"))
      << report();
  EXPECT_TRUE(goes_on()) << report();
  EXPECT_EQ(tiles(), json({"Ann"}));
}

}  // namespace
}  // namespace e2e
