// Hands, muting for all and locked rooms, with real processes.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/wav.h"
#include "tests/media/sound/speech_like.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

using nlohmann::json;

TEST(Order, ALockedRoomTakesNobodyElse) {
  BrokerProcess broker("127.0.0.1:0", {"--local-admin"});
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(watch(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  Process lock({program(), "admin", "lock", broker.url(), "--insecure"});
  EXPECT_EQ(lock.wait(), 0) << lock.log();
  EXPECT_EQ(lock.out(), "the room 'den' is locked\n");
  EXPECT_TRUE(ann.wait_for_log("the room is locked")) << ann.log();
  Process none({program(), "admin", "mute", broker.url(), "Bob", "--insecure"});
  EXPECT_EQ(none.wait(), 1) << none.log();
  EXPECT_NE(none.log().find("there is no 'Bob' in this room"), std::string::npos) << none.log();
  // Who administers may still come in: here that is everybody of this machine.
  Process bob(watch(broker.url(), "Bob"));
  EXPECT_TRUE(bob.wait_for_log("the room is locked")) << bob.log();
  Process open({program(), "admin", "lock", broker.url(), "--off", "--insecure"});
  EXPECT_EQ(open.wait(), 0) << open.log();
  EXPECT_TRUE(ann.wait_for_log("the room is open again")) << ann.log();
}

// Packets of others' sound that somebody who comes now hears in so long.
std::int64_t heard_by(const std::string& url, const std::string& name, Milliseconds listens) {
  Process listener({program(), "--json", "watch", url, "--insecure", "--name", name, "--headless",
                    "--speaker", "none"});
  EXPECT_TRUE(listener.wait_for_log("joined the room")) << listener.log();
  EXPECT_NE(listener.wait(listens), 0);
  listener.signal(SIGINT);
  EXPECT_EQ(listener.wait(), 0) << listener.log();
  std::int64_t packets = 0;
  const json report = json::parse(listener.out());
  for (const json& heard : report["sound"]["heard"]) {
    packets += heard["packets"].get<std::int64_t>();
  }
  return packets;
}

TEST(Order, WhoIsMutedForAllIsHeardByNobody) {
  const qvid::TemporaryFolder folder;
  const std::string mouth = (folder / "mouth.wav").string();
  write_wav(mouth, qvid::media::speech_like(4 * kWavRate, 1, 120, 0.5F));
  BrokerProcess broker("127.0.0.1:0", {"--local-admin"});
  Process ann({program(), "call", broker.url(), "--insecure", "--name", "Ann", "--no-camera",
               "--headless", "--microphone", mouth, "--speaker", "none"});
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  Process mute({program(), "admin", "mute", broker.url(), "Ann", "--insecure"});
  EXPECT_EQ(mute.wait(), 0) << mute.log();
  EXPECT_TRUE(ann.wait_for_log("muted you for all")) << ann.log();
  EXPECT_EQ(heard_by(broker.url(), "Bob", Milliseconds(2000)), 0);
  Process off({program(), "admin", "mute", broker.url(), "Ann", "--off", "--insecure"});
  EXPECT_EQ(off.wait(), 0) << off.log();
  EXPECT_TRUE(ann.wait_for_log("lets you speak again")) << ann.log();
  EXPECT_GT(heard_by(broker.url(), "Cid", Milliseconds(6000)), 10);
}

}  // namespace
}  // namespace e2e
