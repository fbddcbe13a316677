// Sessions on real sockets: messages, ends, and networks that break.
#include "transport/session/session.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "tests/temporary_folder.h"
#include "tests/transport/real_session.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;
using SessionTest = RealSession;

TEST_F(SessionTest, ExchangesMessagesAndCloses) {
  connect();
  EXPECT_NE(client.session->peer().find("127.0.0.1:"), std::string::npos);
  EXPECT_EQ(client.session->security(), "none");
  for (const std::size_t size : {0u, 1u, 1000u, 70'000u, 400'000u}) {
    ASSERT_TRUE(client.session->send(kFirstStream, text(size, 'c')));
    ASSERT_TRUE(server.session->send(kFirstStream, text(size, 's')));
  }
  ASSERT_TRUE(run_until([&] { return client.ended.size() == 5 && server.ended.size() == 5; }));
  ASSERT_EQ(server.arrived.size(), 5u);
  ASSERT_EQ(client.arrived.size(), 5u);
  for (const auto& m : server.arrived) {
    EXPECT_EQ(m.payload.text(), std::string(m.payload.size(), 'c'));
  }
  for (const auto& m : client.ended) EXPECT_EQ(m.outcome, Outcome::kDelivered);
  EXPECT_GT(client.session->signals().rtt, Duration::zero());
  client.session->close("bye");
  ASSERT_TRUE(run_until([&] { return client.closed && server.closed; }));
  EXPECT_EQ(client.closed->reason, CloseReason::kLocal);
  EXPECT_EQ(server.closed->reason, CloseReason::kPeer);
  EXPECT_EQ(server.closed->detail, "bye");
  EXPECT_FALSE(client.session->send(kFirstStream, text(1)));
  EXPECT_FALSE(client.session->cancel(MessageId(0)));
}

TEST_F(SessionTest, CloseFromTheHandlerTellsThePeerWhy) {
  connect();
  client.also = [&](const SessionEvent& e) {
    if (std::holds_alternative<MessageEnded>(e)) client.session->close("said enough");
  };
  ASSERT_TRUE(client.session->send(kFirstStream, text(10)));
  ASSERT_TRUE(run_until([&] { return client.closed && server.closed; }));
  EXPECT_EQ(server.closed->reason, CloseReason::kPeer);
  EXPECT_EQ(server.closed->detail, "said enough");
}

// A close while the other end sends at full speed: its reason still comes through.
TEST_F(SessionTest, CloseReachesAPeerThatIsSending) {
  connect();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.session->send(kFirstStream, text(200'000)));
  ASSERT_TRUE(run_until([&] { return server.arrived.size() >= 2; }));
  server.session->close("enough");
  ASSERT_TRUE(run_until([&] { return client.closed && server.closed; }));
  EXPECT_EQ(client.closed->reason, CloseReason::kPeer);
  EXPECT_EQ(client.closed->detail, "enough");
}

TEST_F(SessionTest, CloseBeforeItIsEstablished) {
  listen();
  dial(host->address());
  client.session->close("never mind");
  ASSERT_TRUE(run_until([&] { return client.closed.has_value(); }));
  EXPECT_EQ(client.closed->reason, CloseReason::kLocal);
}

TEST_F(SessionTest, NobodyListens) {
  listen();
  const Address address = host->address();
  host.reset();
  dial(address);
  ASSERT_TRUE(run_until([&] { return client.closed.has_value(); }));
  EXPECT_EQ(client.closed->reason, CloseReason::kConnectionLost);
  EXPECT_NE(client.closed->detail.find(address.text()), std::string::npos) << client.closed->detail;
}

TEST_F(SessionTest, ResetWithoutResumptionEndsBothEnds) {
  config.resume_limit = {};
  connect(true);
  ASSERT_TRUE(client.session->send(kFirstStream, text(400'000)));
  relay->reset_all();
  ASSERT_TRUE(run_until([&] { return client.closed && server.closed; }));
  EXPECT_EQ(client.closed->reason, CloseReason::kConnectionLost);
  EXPECT_EQ(server.closed->reason, CloseReason::kConnectionLost);
  ASSERT_EQ(client.ended.size(), 1u);
  EXPECT_EQ(client.ended[0].outcome, Outcome::kLost);
}

TEST_F(SessionTest, ResetInTheMiddleIsResumed) {
  connect(true);
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(client.session->send(kFirstStream, text(100'000, 'c')));
    ASSERT_TRUE(server.session->send(kFirstStream, text(100'000, 's')));
  }
  ASSERT_TRUE(run_until([&] { return !server.arrived.empty() && !client.arrived.empty(); }));
  relay->reset_all();
  ASSERT_TRUE(run_until([&] { return client.ended.size() == 8 && server.ended.size() == 8; }));
  EXPECT_EQ(server.arrived.size(), 8u);
  EXPECT_EQ(client.arrived.size(), 8u);
  EXPECT_EQ(client.interrupted, 1);
  EXPECT_EQ(client.resumed, 1);
  EXPECT_EQ(server.resumed, server.interrupted);
  for (const auto& m : server.arrived) EXPECT_EQ(m.payload.text(), std::string(100'000, 'c'));
  for (const End* end : {&client, &server}) {
    for (const auto& m : end->ended) EXPECT_EQ(m.outcome, Outcome::kDelivered);
  }
  ASSERT_TRUE(run_until([&] { return settled(); }));
}

TEST_F(SessionTest, RefusedForAWhileIsResumed) {
  connect(true);
  relay->refuse(true);
  relay->reset_all();
  ASSERT_TRUE(run_until([&] { return client.interrupted == 1 && server.interrupted == 1; }));
  ASSERT_TRUE(client.session->send(kFirstStream, text(1000)));
  relay->refuse(false);
  ASSERT_TRUE(run_until([&] { return client.ended.size() == 1; }));
  EXPECT_EQ(client.ended[0].outcome, Outcome::kDelivered);
}

// Which socket carries the content shows by the bytes.
std::size_t busiest(const Relay& relay) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < relay.count(); ++i) {
    if (relay.from_client(i) > relay.from_client(best)) best = i;
  }
  return best;
}

TEST_F(SessionTest, KilledSocketFailsOver) {
  connect(true);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(client.session->send(kFirstStream, text(100'000)));
  ASSERT_TRUE(run_until([&] { return server.arrived.size() >= 2; }));
  relay->reset(busiest(*relay));
  ASSERT_TRUE(run_until([&] { return client.ended.size() == 8; }));
  EXPECT_EQ(server.arrived.size(), 8u);
  EXPECT_EQ(client.session->signals().failovers, 1u);
  EXPECT_EQ(client.interrupted, 0);
  ASSERT_TRUE(run_until([&] { return settled(); }));
}

TEST_F(SessionTest, FrozenSocketFailsOver) {
  connect(true);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(client.session->send(kFirstStream, text(100'000)));
  ASSERT_TRUE(run_until([&] { return server.arrived.size() >= 2; }));
  const std::size_t frozen = busiest(*relay);
  relay->freeze(frozen);
  ASSERT_TRUE(run_until([&] { return client.ended.size() == 8; }));
  EXPECT_EQ(server.arrived.size(), 8u);
  ASSERT_FALSE(client.failovers.empty());
  EXPECT_GE(client.failovers[0].gap, 200ms);
  EXPECT_FALSE(server.failovers.empty());
  ASSERT_TRUE(run_until([&] { return settled(); }));
}

TEST_F(SessionTest, OverTls) {
  const qvid::TemporaryFolder folder;
  const auto identity = Identity::load_or_generate(folder.path());
  ASSERT_TRUE(identity);
  TrustOptions options_of_client;
  options_of_client.fingerprint = (*identity)->fingerprint();
  const auto trust = Trust::make(options_of_client);
  options_of_client.fingerprint = "sha256:" + std::string(43, 'A');
  const auto wrong = Trust::make(options_of_client);
  ASSERT_TRUE(trust && wrong);
  options.identity = *identity;
  listen();

  End stranger;
  stranger.session = Session::connect(io, {.address = host->address(), .trust = *wrong}, config,
                                      stranger.handler());
  ASSERT_TRUE(run_until([&] { return stranger.closed.has_value(); }));
  EXPECT_EQ(stranger.closed->reason, CloseReason::kUntrusted);
  stranger.session.reset();

  relay.emplace(io, host->address());
  dial(relay->address(), *trust);
  ASSERT_TRUE(run_until([&] { return client.established && server.established && settled(); }));
  EXPECT_NE(client.session->security().find("TLSv1.3"), std::string::npos);
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(client.session->send(kFirstStream, text(100'000)));
  ASSERT_TRUE(run_until([&] { return server.arrived.size() >= 2; }));
  relay->reset_all();
  ASSERT_TRUE(run_until([&] { return client.ended.size() == 6; }));
  EXPECT_EQ(server.arrived.size(), 6u);
  EXPECT_EQ(client.resumed, 1);
  client.session->close("bye");
  ASSERT_TRUE(run_until([&] { return client.closed && server.closed; }));
  EXPECT_EQ(server.closed->detail, "bye");
}

}  // namespace
}  // namespace paceline
