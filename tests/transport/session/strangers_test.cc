// What a session takes of somebody who has not been let in yet. Real loopback sockets.
#include <gtest/gtest.h>

#include "tests/transport/real_session.h"

namespace paceline {
namespace {

using qvid::operator""_KiB;

struct StrangersTest : RealSession {
  // Of two streams, so that both messages are begun and not complete at the same time.
  void send_two(std::size_t size) {
    const StreamId other = client.session->open_stream();
    ASSERT_TRUE(client.session->send(kFirstStream, text(size)));
    ASSERT_TRUE(client.session->send(other, text(size)));
  }
  void start() {
    config.stranger_reassembly = 64_KiB;
    connect();
  }
};

TEST_F(StrangersTest, HaveLittleUnderWay) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_NO_FATAL_FAILURE(send_two(20'000));
  ASSERT_TRUE(run_until([&] { return server.arrived.size() == 2; }));
  ASSERT_NO_FATAL_FAILURE(send_two(2'000'000));
  ASSERT_TRUE(run_until([&] { return server.closed && client.closed; }));
  EXPECT_EQ(client.closed->reason, CloseReason::kProtocolError);
  EXPECT_NE(client.closed->detail.find("more messages begun"), std::string::npos)
      << client.closed->detail;
}

TEST_F(StrangersTest, AreNoneOnceTheyAreLetIn) {
  ASSERT_NO_FATAL_FAILURE(start());
  server.session->let_in();
  ASSERT_NO_FATAL_FAILURE(send_two(2'000'000));
  ASSERT_TRUE(run_until([&] { return server.arrived.size() == 2; }));
  EXPECT_FALSE(server.closed);
}

}  // namespace
}  // namespace paceline
