// Who joins a socket to a session: only who knows its secret, and each bind once.
#include <gtest/gtest.h>

#include <string>

#include "tests/transport/call.h"
#include "transport/wire/bind_proof.h"
#include "transport/wire/same_secret.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

std::vector<std::byte> greeting(const Record& record) {
  std::vector<std::byte> bytes;
  write_preamble(bytes);
  write_record(record, bytes);
  return bytes;
}

Bind good_bind(const SessionCredentials& credentials, std::uint32_t channel) {
  Bind bind{.session = credentials.session, .channel = channel, .segment = 480, .proof = {}};
  bind.proof = bind_proof(credentials.secret, bind);
  return bind;
}

TEST(BindProof, CoversEveryField) {
  const SessionCredentials ours = make_credentials();
  const SessionCredentials others = make_credentials();
  EXPECT_NE(ours.session, others.session);
  EXPECT_NE(ours.secret, others.secret);
  const Bind bind = good_bind(ours, 7);
  EXPECT_TRUE(proves(bind, ours.secret));
  EXPECT_FALSE(proves(bind, others.secret));
  Bind changed = bind;
  changed.channel = 8;
  EXPECT_FALSE(proves(changed, ours.secret));
  changed = bind;
  changed.segment = 0;
  EXPECT_FALSE(proves(changed, ours.secret));
  changed = bind;
  changed.session = others.session;
  EXPECT_FALSE(proves(changed, ours.secret));
  for (std::size_t i = 0; i < bind.proof.size(); ++i) {
    changed = bind;
    changed.proof[i] ^= std::byte{1};
    EXPECT_FALSE(proves(changed, ours.secret));
  }
}

TEST(UsedChannels, EachOnceInAboutTheirOrder) {
  UsedChannels used;
  EXPECT_FALSE(used.use(0));  // the first channel's, by its hello
  for (const std::uint32_t c : {3u, 1u, 2u, 60u, 4u, 59u}) {
    EXPECT_TRUE(used.use(c)) << c;
    EXPECT_FALSE(used.use(c)) << c;
  }
  EXPECT_TRUE(used.use(1000));
  EXPECT_FALSE(used.use(5));  // too old to know
  EXPECT_TRUE(used.use(1000 - 63));
  EXPECT_FALSE(used.use(1000 - 64));
  EXPECT_TRUE(used.use(0xffffffffu));
  EXPECT_FALSE(used.use(0xffffffffu));
  EXPECT_FALSE(used.use(1001));
}

TEST(Greeter, TakesAHelloOrABindInAnyPieces) {
  const SessionCredentials credentials = make_credentials();
  for (const Record& record : {Record{Hello{}}, Record{good_bind(credentials, 1)}}) {
    auto bytes = greeting(record);
    const std::size_t size = bytes.size();
    write_record(Ping{}, bytes);
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
      Greeter greeter;
      std::optional<Greeter::Greeting> found;
      std::size_t at = 0;
      while (!found) {
        ASSERT_LT(at, bytes.size());
        const auto part = std::span(bytes).subspan(at, std::min(piece, bytes.size() - at));
        found = greeter.feed(part);
        at += part.size();
      }
      EXPECT_EQ(std::holds_alternative<Hello>(*found), std::holds_alternative<Hello>(record));
      EXPECT_FALSE(std::holds_alternative<RecordParser::Failure>(*found));
      EXPECT_GE(at, size);
      EXPECT_EQ(greeter.take_rest().size(), at - size);  // belongs to the session
    }
  }
}

TEST(Greeter, RefusesEverythingElse) {
  const auto refused = [](std::span<const std::byte> bytes) {
    Greeter greeter;
    const auto found = greeter.feed(bytes);
    const auto* failure = found ? std::get_if<RecordParser::Failure>(&*found) : nullptr;
    EXPECT_TRUE(failure == nullptr || !failure->detail.empty());
    return failure == nullptr ? CloseReason::kLocal : failure->reason;
  };
  const std::string http = "GET / HTTP/1.1\r\n";
  EXPECT_EQ(refused(std::as_bytes(std::span(http))), CloseReason::kNotPaceline);
  auto old = greeting(Hello{});
  old[8] = std::byte{1};
  EXPECT_EQ(refused(old), CloseReason::kVersion);
  EXPECT_EQ(refused(greeting(Welcome{})), CloseReason::kProtocolError);
  EXPECT_EQ(refused(greeting(Ping{})), CloseReason::kProtocolError);
  EXPECT_EQ(refused(greeting(Close{})), CloseReason::kProtocolError);
  // A greeting that goes on and on.
  std::vector<std::byte> endless = greeting(Close{});
  endless.resize(kPreambleSize);
  endless.insert(endless.end(), {std::byte{0x01}, std::byte{0x80}, std::byte{0}, std::byte{0xff},
                                 std::byte{0xff}});  // a hello of 65535 bytes
  endless.resize(Greeter::kMaxGreeting - 1);
  EXPECT_EQ(refused(endless), CloseReason::kLocal);
  endless.resize(Greeter::kMaxGreeting);
  EXPECT_EQ(refused(endless), CloseReason::kProtocolError);
}

TEST(Binds, ReplayOnAnotherSocketIsRefused) {
  Call call;
  call.talk(1s);
  ASSERT_EQ(call.net.binds().size(), 2u);
  const auto channels = call.net.server().signals(call.net.now()).channels;
  for (const auto& bytes : call.net.binds()) {
    const auto answer = call.net.stranger(bytes);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->reason, CloseReason::kRefused);
    EXPECT_FALSE(answer->detail.empty());
  }
  EXPECT_EQ(call.net.server().signals(call.net.now()).channels, channels);
  call.talk(1s);
  call.net.run_for(1s);
  call.expect_all_delivered();
}

TEST(Binds, ReplayAfterTheSocketIsGoneIsRefused) {
  Call call;
  for (int i = 0; i < 40; ++i) {
    call.net.cut_all({Side::kClient, Side::kServer});
    call.net.run_for(1200ms);
  }
  const auto binds = call.net.binds();
  ASSERT_GT(binds.size(), 80u);
  for (const auto& bytes : binds) EXPECT_TRUE(call.net.stranger(bytes));
}

TEST(Binds, ForgeryIsRefused) {
  Call call;
  const SessionCredentials& ours = call.net.client().credentials();
  Bind forged = good_bind(ours, 99);
  forged.proof[0] ^= std::byte{1};
  EXPECT_TRUE(call.net.stranger(greeting(forged)));
  SessionCredentials guessed = ours;
  guessed.secret = {};
  EXPECT_TRUE(call.net.stranger(greeting(good_bind(guessed, 99))));
  // The refusals used nothing up.
  EXPECT_FALSE(call.net.stranger(greeting(good_bind(ours, 99))));
  EXPECT_FALSE(call.net.server().closed());
}

TEST(Binds, ClosedSessionTakesNone) {
  Call call;
  const SessionCredentials ours = call.net.client().credentials();
  call.net.server().close("enough");
  EXPECT_TRUE(call.net.stranger(greeting(good_bind(ours, 99))));
}

TEST(Secrets, AreTheSameOnlyWhole) {
  EXPECT_TRUE(same_secret("open sesame", "open sesame"));
  for (const char* wrong : {"", "open", "open sesamE", "open sesame ", "Open sesame"}) {
    EXPECT_FALSE(same_secret(wrong, "open sesame")) << wrong;
  }
}

}  // namespace
}  // namespace paceline
