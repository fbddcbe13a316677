// Shows whom a client trusts, what it remembers of servers, and what a resumed connection is worth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/transport/tls_network.h"
#include "transport/tls/tls_known_hosts.h"

namespace paceline {
namespace {

TEST_F(TlsTest, AGivenFingerprintDecidesAlone) {
  Ends ends = connect(trust_in(*identity), identity, "b.example");
  greet(ends);
  TrustOptions options{
      .fingerprint = impostor->fingerprint(), .ca_file = {}, .known_hosts = folder / "known"};
  expect_refused(trust_in(options), identity,
                 {"not the one you named", identity->fingerprint(), impostor->fingerprint()});
  EXPECT_FALSE(fs::exists(folder / "known"));
  options.fingerprint = "sha256:x";
  EXPECT_FALSE(Trust::make(options));
}

TEST_F(TlsTest, AGivenCaDecidesAlone) {
  const auto ca = folder / "ca.pem";
  put(ca, root.certificate_pem());
  const auto trust = trust_in({.fingerprint = {}, .ca_file = ca, .known_hosts = folder / "k"});
  Ends ends = connect(trust, identity);
  greet(ends);
  ends = connect(trust, identity, "127.0.0.1");
  greet(ends);
  ends = connect(trust, identity, "A.Example.");
  greet(ends);
  EXPECT_FALSE(trust->take_notice());
  expect_refused(trust, identity, {"not valid", "hostname mismatch", identity->fingerprint()},
                 "b.example");
  expect_refused(trust, identity, {"not valid", "IP address mismatch"}, "127.0.0.2");
  expect_refused(trust, impostor, {"not valid", "self-signed", impostor->fingerprint()});
  const auto expired = Signed("DNS:a.example", &root, -1).identity();
  expect_refused(trust, expired, {"not valid", "expired"});
  EXPECT_FALSE(fs::exists(folder / "k"));

  EXPECT_FALSE(Trust::make({.fingerprint = {}, .ca_file = folder / "none", .known_hosts = {}}));
  put(ca, "rubbish");
  const auto rubbish = Trust::make({.fingerprint = {}, .ca_file = ca, .known_hosts = {}});
  ASSERT_FALSE(rubbish);
  EXPECT_NE(rubbish.error().message.find("holds no certificate"), std::string::npos);
}

TEST_F(TlsTest, ACertificateMayBeItsOwnCa) {
  const Signed own("DNS:a.example", nullptr, 10, "CA:FALSE");
  put(folder / "ca", own.certificate_pem());
  Ends ends = connect(trust_in({.fingerprint = {}, .ca_file = folder / "ca", .known_hosts = {}}),
                      own.identity());
  greet(ends);
}

TEST_F(TlsTest, RemembersOnFirstUseAndRefusesAChangedKey) {
  const auto known = folder / "below" / "known_hosts";
  const TrustOptions options{
      .fingerprint = {}, .ca_file = {}, .known_hosts = known, .first_use = FirstUse::kAlways};
  const auto trust = trust_in(options);
  Ends ends = connect(trust, identity, "A.example");
  greet(ends);
  const auto notice = trust->take_notice();
  ASSERT_TRUE(notice);
  EXPECT_NE(notice->find(identity->fingerprint()), std::string::npos) << *notice;
  EXPECT_FALSE(trust->take_notice());
  EXPECT_NE(get(known).find("a.example:4433 " + identity->fingerprint() + "\n"), std::string::npos);
  EXPECT_EQ(mode_of(known), 0600u);
  EXPECT_EQ(mode_of(known.parent_path()), 0700u);

  const auto later = trust_in(options);
  ends = connect(later, identity);
  greet(ends);
  EXPECT_FALSE(later->take_notice());
  const auto text = get(known);
  expect_refused(later, impostor,
                 {"has changed", identity->fingerprint(), impostor->fingerprint(), "line 3 of ",
                  known.string(), "reinstalled", "in the middle", "#" + impostor->fingerprint()});
  EXPECT_EQ(get(known), text);

  // Another port is another server; and it is the same file.
  ends = connect(later, impostor, "a.example", 4434);
  greet(ends);
  EXPECT_TRUE(later->take_notice());
  EXPECT_EQ(get(known), text + "a.example:4434 " + impostor->fingerprint() + "\n");
}

TEST_F(TlsTest, TwoFirstUsesAtOnceRememberOneKey) {
  const auto known = folder / "known";
  const auto trust = trust_in(
      {.fingerprint = {}, .ca_file = {}, .known_hosts = known, .first_use = FirstUse::kAlways});
  std::array<std::optional<Outcome>, 4> outcomes;
  std::vector<Handshake> handshakes;
  for (std::size_t i = 0; i < 2; ++i) {
    auto [c, s] = sockets();
    handshakes.push_back(
        Handshake::server(std::move(s), i == 0 ? identity : impostor, 5s, into(outcomes[i])));
    handshakes.push_back(
        Handshake::client(std::move(c), trust, "a.example", 1, 5s, into(outcomes[i + 2])));
  }
  EXPECT_TRUE(run_until([&] { return outcomes[2] && outcomes[3]; }));
  int accepted = 0;
  for (std::size_t i = 2; i < 4; ++i) {
    const auto* refused = std::get_if<1>(&*outcomes[i]);
    EXPECT_TRUE(!refused || refused->permanent);
    if (!refused) ++accepted;
  }
  EXPECT_EQ(accepted, 1);
}

TEST_F(TlsTest, TwoThatRememberAtOnceLoseNoLine) {
  const auto known = folder / "known";
  const auto remember = [&](std::uint16_t first) {
    TlsNetwork other;
    for (std::uint16_t port = first; port < first + 10; ++port) {
      const auto ends = other.connect(trust_in({.fingerprint = {},
                                                .ca_file = {},
                                                .known_hosts = known,
                                                .first_use = FirstUse::kAlways}),
                                      identity, "a.example", port);
      EXPECT_TRUE(ends.client) << ends.client_error.message;
    }
  };
  {
    std::jthread one(remember, std::uint16_t{100});
    std::jthread two(remember, std::uint16_t{200});
  }
  const auto text = get(known);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 22);
}

TEST_F(TlsTest, KeepsWhatItDoesNotUnderstand) {
  const auto known = folder / "known";
  const std::string rubbish = "\n\n  \nrubbish\na.example:4433x " + impostor->fingerprint() +
                              "\n# a.example:4433 " + impostor->fingerprint() + "\n\xff\xfe" +
                              std::string(1, '\0') + "\r\nb.example:4433 sha256:short\nno newline";
  put(known, rubbish);
  const auto trust = trust_in(
      {.fingerprint = {}, .ca_file = {}, .known_hosts = known, .first_use = FirstUse::kAlways});
  Ends ends = connect(trust, identity);
  greet(ends);
  EXPECT_EQ(get(known), rubbish + "\na.example:4433 " + identity->fingerprint() + "\n");
  expect_refused(trust, identity, {"cannot be read", "line 8 of", identity->fingerprint()},
                 "b.example");

  // Any of several keys will do; white space and Windows' line ends are no matter.
  put(known, "a.example:4433 " + impostor->fingerprint() + "\r\n \ta.example:4433\t " +
                 identity->fingerprint() + " \r\n");
  for (const auto& server : {identity, impostor}) {
    ends = connect(trust, server);
    greet(ends);
  }
}

TEST_F(TlsTest, AMemoryThatCannotBeUsedTrustsNobody) {
  const auto known = folder / "known";
  put(known, std::string(2 << 20, '#'));
  const TrustOptions options{
      .fingerprint = {}, .ca_file = {}, .known_hosts = known, .first_use = FirstUse::kAlways};
  const auto at_once = Trust::make(options);
  ASSERT_FALSE(at_once);
  EXPECT_NE(at_once.error().message.find("larger than 1 MiB"), std::string::npos);
  fs::remove(known);
  const auto trust = trust_in(options);
  put(known, std::string(2 << 20, '#'));
  expect_refused(trust, identity, {"cannot be checked", "larger than 1 MiB"});
  fs::remove(known);
  fs::create_directory(folder / "known.tmp");  // nothing can be written
  put(folder / "known.tmp" / "x", "");
  const Ends ends = connect(trust, identity);
  EXPECT_FALSE(ends.client);
  EXPECT_TRUE(ends.client_error.permanent);
  EXPECT_NE(ends.client_error.message.find("cannot be remembered"), std::string::npos);
}

TEST_F(TlsTest, AnUnknownServerIsRefusedWithoutMemory) {
  const auto trust = trust_in(TrustOptions{});
  expect_refused(trust, identity,
                 {"a.example:4433", "unknown", "#" + identity->fingerprint(), "URL"});
}

TEST_F(TlsTest, APublicCaVouchesForANameAndNoOther) {
  put(folder / "store", root.certificate_pem());
  ASSERT_EQ(::setenv("SSL_CERT_FILE", (folder / "store").c_str(), 1), 0);
  const auto known = folder / "known";
  const auto trust = trust_in(
      {.fingerprint = {}, .ca_file = {}, .known_hosts = known, .first_use = FirstUse::kAlways});
  const auto without = trust_in(TrustOptions{});
  ::unsetenv("SSL_CERT_FILE");
  Ends ends = connect(trust, identity);
  greet(ends);
  EXPECT_FALSE(trust->take_notice());
  EXPECT_NE(get(known).find("@ca a.example:4433\n"), std::string::npos);
  ends = connect(without, identity);
  greet(ends);
  ends = connect(without, identity);  // resumed: the CA's word still holds
  greet(ends);
  EXPECT_NE(ends.client->security().find("resumed"), std::string::npos);
  expect_refused(without, identity, {"unknown", "hostname mismatch"}, "b.example");
  ends = connect(trust, identity, "b.example");
  greet(ends);
  EXPECT_TRUE(trust->take_notice());
  // What is remembered comes before the CA.
  put(known, "a.example:4433 " + impostor->fingerprint() + "\n");
  expect_refused(trust, identity, {"has changed"});
}

TEST_F(TlsTest, WhatACaVouchedForIsRefusedWithoutIt) {
  put(folder / "store", root.certificate_pem());
  ASSERT_EQ(::setenv("SSL_CERT_FILE", (folder / "store").c_str(), 1), 0);
  const auto known = folder / "known";
  const TrustOptions options{
      .fingerprint = {}, .ca_file = {}, .known_hosts = known, .first_use = FirstUse::kAlways};
  Ends ends = connect(trust_in(options), identity);
  greet(ends);
  const auto again = trust_in(options);
  ::unsetenv("SSL_CERT_FILE");
  const auto text = get(known);
  ends = connect(again, identity, "A.Example.");
  greet(ends);
  EXPECT_EQ(get(known), text);
  // A man in the middle, who has no certificate of a CA, at the first connection of another day.
  const auto later = trust_in(options);
  expect_refused(
      later, impostor,
      {"vouched", "in the middle", impostor->fingerprint(), "line 3 of ", known.string()});
  EXPECT_EQ(get(known), text);
  EXPECT_FALSE(later->take_notice());
}

TEST_F(TlsTest, FirstUseIsForWhatNoCaVouchesFor) {
  const auto known = folder / "known";
  const auto local = trust_in({.fingerprint = {}, .ca_file = {}, .known_hosts = known});
  expect_refused(local, identity, {"unknown", "--first-use", "#" + identity->fingerprint()});
  EXPECT_FALSE(fs::exists(known));
  for (const char* host : {"127.0.0.1", "::1", "den", "Den.Local."}) {
    Ends ends = connect(local, identity, host);
    greet(ends);
    EXPECT_TRUE(local->take_notice()) << host;
  }
  const auto never = trust_in({.fingerprint = {},
                               .ca_file = {},
                               .known_hosts = folder / "other",
                               .first_use = FirstUse::kNever});
  expect_refused(never, identity, {"unknown"}, "127.0.0.1");
}

TEST(KnownHosts, NamesHaveOneForm) {
  EXPECT_EQ(normal_host("A.Example."), "a.example");
  EXPECT_EQ(normal_host("0:0:0:0:0:0:0:1"), "::1");
  EXPECT_EQ(normal_host("::FFFF:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(find_known_hosts("A.example.:7400 x\n[0:0::1]:7400 x\n", "a.example:7400").size(), 1u);
  EXPECT_EQ(find_known_hosts("[0:0::1]:7400 x\n@ca [::1]:7400\n", "[::1]:7400").size(), 2u);
}

// --- resumption

TEST_F(TlsTest, FurtherConnectionsAreResumed) {
  const auto known = folder / "known";
  const auto trust = trust_in(
      {.fingerprint = {}, .ca_file = {}, .known_hosts = known, .first_use = FirstUse::kAlways});
  std::vector<Ends> open;
  for (int i = 0; i < 8; ++i) {
    Ends ends = connect(trust, identity);
    greet(ends);
    const bool resumed = ends.client->security().find("resumed") != std::string::npos;
    EXPECT_EQ(resumed, i > 0);
    if (i == 2) ends.client->close(true);  // a connection that broke spoils no ticket
    if (i == 3) ends.server.reset();
    open.push_back(std::move(ends));
  }
  // Not for another port; not for another server at this one.
  Ends ends = connect(trust, identity, "a.example", 1);
  greet(ends);
  EXPECT_EQ(ends.client->security().find("resumed"), std::string::npos);
  expect_refused(trust, impostor, {"has changed"});
  // A server that was restarted has other keys for its tickets.
  ends = connect(trust, identity);
  greet(ends);
}

TEST_F(TlsTest, ATicketIsWorthNothingOnceItsKeyIsNotTrusted) {
  const auto known = folder / "known";
  const auto trust = trust_in(
      {.fingerprint = {}, .ca_file = {}, .known_hosts = known, .first_use = FirstUse::kAlways});
  Ends ends = connect(trust, identity);
  greet(ends);
  put(known, "a.example:4433 " + impostor->fingerprint() + "\n");
  expect_refused(trust, identity, {"has changed"});
  fs::remove(known);
  ends = connect(trust, identity);
  greet(ends);
  EXPECT_EQ(ends.client->security().find("resumed"), std::string::npos);
  EXPECT_TRUE(trust->take_notice());
}

}  // namespace
}  // namespace paceline
