// A call of real processes, each behind its own emulated link.
#include "lab/bed/call_run.h"

#include <gtest/gtest.h>

#include <map>

#include "lab/bed/program_report.h"
#include "lab/emulator/emulator.h"

namespace qvid::lab {
namespace {

TEST(CallRun, ReadsTheBrokersUrl) {
  EXPECT_EQ(room_url("x broker on 1.2.3.4:7400; join with: qvid call qvid://a:1/room#sha256:ff\n"),
            "qvid://a:1/room#sha256:ff");
  EXPECT_EQ(room_url("join with: qvid call qvid://a:1/ro"), "");
  EXPECT_EQ(room_url("join with: qvid play qvid://a:1/room\n"), "");
}

TEST(CallRun, SaysWhatIsWrong) {
  EXPECT_FALSE(run_call({.parties = {{"Ann", "rate=1mbit"}}}, {}));
  if (!missing_for_emulator().empty()) GTEST_SKIP() << missing_for_emulator();
  const auto wrong = run_call({.parties = {{"Ann", "rate=1mbit"}, {"Bob", "nonsense"}}}, {});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("Bob"), std::string::npos) << wrong.error().message;
  const auto refused = run_call({.parties = {{"Ann", "rate=1mbit"}, {"Bob", "rate=1mbit"}},
                                 .arguments = {"--size", "nonsense"}},
                                {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("Ann failed"), std::string::npos)
      << refused.error().message;
}

// Everybody sees everybody moving; who has little gets fewer layers than who has much.
TEST(CallRun, FourPartiesBehindFourLinks) {
  if (!missing_for_emulator().empty()) GTEST_SKIP() << missing_for_emulator();
  CallSpec spec{
      .arguments = {"--source", "test", "--size", "320x180", "--rate", "15", "--bitrate", "600k"},
      .duration = std::chrono::seconds(15)};
  for (const char* rate : {"16mbit", "4mbit", "1mbit", "500kbit"}) {
    spec.parties.push_back(
        {.name = rate, .link = std::string("rate=") + rate + " delay=10ms queue=200ms"});
  }
  const auto results = run_call(spec, {});
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 4u);
  std::map<std::string, double> full;
  for (const CallPartyResult& party : *results) {
    EXPECT_GT(party.published, 60) << party.name;
    ASSERT_EQ(party.seen.size(), 3u);
    for (const SeenParty& seen : party.seen) {
      EXPECT_GT(seen.shown, 10) << party.name << " of " << seen.name;  // of 225, however busy
      full[party.name] += seen.full / 3;
    }
  }
  EXPECT_GT(full["16mbit"], full["500kbit"] + 0.2);
}

}  // namespace
}  // namespace qvid::lab
