// What the machine can do to a program: a full disk, a broker that stands still or is short of memory,
// clients that are gone without a word. Real processes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/emulated_link.h"
#include "tests/e2e/inside.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

using nlohmann::json;

std::vector<std::string> publish(const std::string& url, const std::string& name,
                                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{program(), "publish", "test",   url,  "--name", name,
                                   "--size",  "320x240", "--rate", "15", "--gop",  "15"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

// So long passes, or the process ends.
void let_pass(Process& process, Milliseconds time) { process.wait_for_log("never said", time); }

TEST(Faults, AFullDiskEndsARecordingAndNothingElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root mounts a small file system";
  if (!mounts_of_its_own()) GTEST_SKIP() << "no file system of its own here";
  const qvid::TemporaryFolder folder;
  BrokerProcess broker;
  Process ann(publish(broker.url(), "Ann", {"--insecure", "--bitrate", "3M"}));
  ASSERT_TRUE(ann.wait_for_log("joined")) << ann.log();
  const std::string file = (folder / "ann.mkv").string();
  Process record({"unshare", "--mount", "sh", "-c",
                  "mount -t tmpfs -o size=256k tmpfs \"$0\" && exec \"$@\"", folder.path().string(),
                  program(), "--json", "record", broker.url(), "Ann", "--insecure", "-o", file});
  ASSERT_EQ(record.wait(), 1) << record.log();
  EXPECT_NE(record.log().find("cannot write " + file + ": No space left on device"),
            std::string::npos)
      << record.log();
  const json report = json::parse(record.out())["recordings"];
  ASSERT_EQ(report.size(), 1u) << record.out();
  EXPECT_NE(report[0]["error"].get<std::string>().find("No space"), std::string::npos);
  EXPECT_GT(report[0]["files"][0]["frames"], 0) << "what fitted is there";
  Process eyes(
      {program(), "watch", broker.url(), "Ann", "--insecure", "--name", "eyes", "--headless"});
  EXPECT_TRUE(eyes.wait_for_log("first picture of seat 0")) << eyes.log();
  EXPECT_EQ(ann.log().find("trying again"), std::string::npos) << ann.log();
}

// A machine that stands still for five seconds: everybody's session goes on.
TEST(Faults, ABrokerThatStandsStillLosesNobody) {
  BrokerProcess broker;
  Process ann(publish(broker.url(), "Ann", {"--insecure"}));
  ASSERT_TRUE(ann.wait_for_log("joined")) << ann.log();
  Process eyes({program(), "--json", "watch", broker.url(), "Ann", "--insecure", "--name", "eyes",
                "--headless"});
  ASSERT_TRUE(eyes.wait_for_log("first picture of seat 0")) << eyes.log();
  broker.process().signal(SIGSTOP);
  let_pass(eyes, Milliseconds(5000));
  broker.process().signal(SIGCONT);
  // Pictures come again: of a second and more behind that.
  let_pass(eyes, Milliseconds(3000));
  eyes.signal(SIGINT);
  ASSERT_EQ(eyes.wait(), 0) << eyes.log();
  for (const Process* party : {&ann, &eyes}) {
    EXPECT_EQ(party->log().find("trying again"), std::string::npos) << party->log();
  }
  broker.process().signal(SIGINT);
  ASSERT_EQ(broker.process().wait(), 0) << broker.process().log();
  const json stats = json::parse(broker.process().out());
  EXPECT_EQ(stats["joined"], 2) << "nobody had to join again";
  EXPECT_EQ(stats["faults"], 0);
}

// Under the sanitizers there is no such limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

TEST(Faults, ABrokerShortOfMemorySaysSoOrGoesOn) {
  if (!kLimitsMemory) GTEST_SKIP() << "sanitizers want the whole address space";
  const auto broker_within = [](const std::string& bytes) {
    return std::vector<std::string>{"prlimit",    "--as=" + bytes, program(),
                                    "broker",     "--listen",      "127.0.0.1:0",
                                    "--insecure", "--threads",     "1"};
  };
  for (const char* bytes : {"60000000", "75000000", "90000000", "120000000"}) {
    Process broker(broker_within(bytes));
    if (broker.wait_for_log("join with: qvid call", Milliseconds(2000))) continue;
    const int code = broker.wait();
    EXPECT_LT(code, 128) << bytes << ": " << broker.log();
    EXPECT_FALSE(broker.log().empty()) << bytes;
  }
  Process broker(broker_within("400000000"));
  const auto line = broker.wait_for_log("join with: qvid call qvid://");
  ASSERT_TRUE(line) << broker.log();
  const std::size_t from = line->find("qvid://");
  const std::string url = line->substr(from, line->find('/', from + 7) - from) + "/den";
  Process load({QVID_LAB_PROGRAM, "--json", "load", url, "--insecure", "--subscribers", "100",
                "--rate", "100kbit", "--time", "2", "--warm-up", "1"});
  EXPECT_EQ(load.wait(), 0) << load.log();
  EXPECT_EQ(json::parse(load.out())["sessions_lost"], 0) << load.out();
}

struct FaultsOnALink : OnEmulatedLink {
  FaultsOnALink() : OnEmulatedLink("rate=1gbit delay=2ms") {}
  static int clients_of(const std::string& metrics) {
    const std::string key = "\nqvid_broker_clients ";
    const std::size_t at = metrics.find(key);
    return at == std::string::npos ? -1 : std::stoi(metrics.substr(at + key.size()));
  }
};

// Their cable is cut: no FIN, no RST. The broker finds out, and the others see nothing of it.
TEST_F(FaultsOnALink, ClientsThatAreGoneWithoutAWordAreNoticed) {
  if (!std::filesystem::exists("/usr/bin/curl")) GTEST_SKIP() << "curl is not installed";
  constexpr int kGone = 200;
  Process broker(inside(emulator->far(), {program(), "broker", "--open", "--listen", "0.0.0.0:7400",
                                          "--force-insecure", "--max-per-address", "1000",
                                          "--metrics", "127.0.0.1:9464"}));
  ASSERT_TRUE(broker.wait_for_log("join with: qvid call")) << broker.log();
  const auto load = [](const std::string& host, int viewers, const std::string& seconds) {
    return std::vector<std::string>{QVID_LAB_PROGRAM,
                                    "--json",
                                    "load",
                                    "qvid://" + host + ":7400/" + std::to_string(viewers),
                                    "--insecure",
                                    "--subscribers",
                                    std::to_string(viewers),
                                    "--rate",
                                    "50kbit",
                                    "--fps",
                                    "10",
                                    "--warm-up",
                                    "1",
                                    "--time",
                                    seconds};
  };
  const auto clients = [&] {
    Process curl(inside(emulator->far(), {"curl", "--silent", "http://127.0.0.1:9464/metrics"}));
    curl.wait();
    return clients_of(curl.out());
  };
  Process gone(inside(emulator->near(), load("10.77.0.2", kGone, "1000")));
  for (int i = 0; i < 300 && clients() < kGone + 1; ++i) let_pass(broker, Milliseconds(100));
  // A busy machine may turn one away whose greeting took too long.
  const int came = clients();
  ASSERT_GT(came, kGone * 9 / 10) << gone.log();
  Process honest(inside(emulator->far(), load("127.0.0.1", 10, "20")));
  for (int i = 0; i < 300 && clients() < came + 11; ++i) let_pass(broker, Milliseconds(100));
  emulator->set_loss(1);
  gone.signal(SIGKILL);  // what its kernel says of that is lost, too
  ASSERT_EQ(honest.wait(), 0) << honest.log();
  const json report = json::parse(honest.out());
  EXPECT_EQ(report["sessions_lost"], 0) << honest.out();
  EXPECT_GT(report["parts"], 0) << honest.out();
  for (int i = 0; i < 300 && clients() > 0; ++i) let_pass(broker, Milliseconds(100));
  EXPECT_EQ(clients(), 0) << broker.log();
}

}  // namespace
}  // namespace e2e
