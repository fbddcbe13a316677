// Both ends of the talk in memory: what is sent, and what becomes of every answer.
#include "transport/proxy/proxy_talk.h"

#include <gtest/gtest.h>

#include <random>

namespace paceline::proxy_talk_test {
namespace {

using State = ProxyTalk::State;
using std::string_literals::operator""s;

struct ProxyTalkTest : testing::Test {
  Proxy proxy_of(const std::string& text) {
    const auto server = parse_proxy(text);
    EXPECT_TRUE(server) << text;
    return {.server = *server, .login = {}, .has_tickets = false};
  }
  std::unique_ptr<ProxyTalk> talk(Proxy& proxy, int earlier = 0) {
    return start_talk(proxy, to, earlier, "c0ffee");
  }
  // What becomes of an answer to the first request.
  std::unique_ptr<ProxyTalk> answered(Proxy& proxy, const std::string& answer, int earlier = 0) {
    auto t = talk(proxy, earlier);
    t->take_output();
    used = t->receive(answer);
    return t;
  }
  void expect_failure(const ProxyTalk& t, std::initializer_list<const char*> words,
                      bool permanent) {
    EXPECT_EQ(t.state(), State::failed);
    EXPECT_EQ(t.failure().permanent, permanent) << t.failure().message;
    EXPECT_EQ(t.failure().message.find("secret"), std::string::npos) << t.failure().message;
    for (const char* word : words) {
      EXPECT_NE(t.failure().message.find(word), std::string::npos)
          << word << " is not in: " << t.failure().message;
    }
  }

  Address to{.host = "a.example", .port = 7400};
  std::size_t used = 0;
};

TEST_F(ProxyTalkTest, ConnectsThroughHttp) {
  Proxy proxy = proxy_of("http://proxy:3128");
  auto t = talk(proxy);
  EXPECT_EQ(t->take_output(), "CONNECT a.example:7400 HTTP/1.1\r\nHost: a.example:7400\r\n\r\n");
  EXPECT_EQ(t->take_output(), "");
  const std::string head =
      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.0 200 Connection established\r\nContent-Length: "
      "5\r\n\r\n";
  EXPECT_EQ(t->receive(head + "PACELINE"), head.size());
  EXPECT_EQ(t->state(), State::open);
}

TEST_F(ProxyTalkTest, AnIpv6ServerStandsInBrackets) {
  to.host = "2001:db8::1";
  Proxy proxy = proxy_of("http://proxy:3128");
  EXPECT_TRUE(talk(proxy)->take_output().starts_with("CONNECT [2001:db8::1]:7400 HTTP/1.1\r\n"));
}

TEST_F(ProxyTalkTest, ProvesWhoItIsWhereItIsAsked) {
  Proxy proxy = proxy_of("http://ann:secret@proxy:3128");
  auto t = talk(proxy);
  EXPECT_EQ(t->take_output().find("Authorization"), std::string::npos) << "before it was asked";
  t->receive("HTTP/1.1 407 Needed\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n<html>");
  EXPECT_EQ(t->state(), State::again);
  t = talk(proxy, 1);
  EXPECT_NE(t->take_output().find("Proxy-Authorization: Basic YW5uOnNlY3JldA==\r\n"),
            std::string::npos);
  t->receive("HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(t->state(), State::open);
  // The next connection proves it at once.
  EXPECT_NE(talk(proxy)->take_output().find("Proxy-Authorization: Basic"), std::string::npos);
}

TEST_F(ProxyTalkTest, ATicketProvesWhoItIsWhereNegotiateIsOffered) {
  const std::string wants =
      "HTTP/1.1 407 Needed\r\nProxy-Authenticate: Negotiate\r\nProxy-Authenticate: NTLM\r\n\r\n";
  Proxy proxy = proxy_of("http://proxy:3128");
  proxy.has_tickets = true;
  EXPECT_EQ(answered(proxy, wants)->state(), State::again);
  auto t = talk(proxy, 1);
  EXPECT_EQ(t->state(), State::ticket);
  EXPECT_EQ(t->take_output(), "") << "nothing without it";
  t->ticket(std::string("YIIB"));
  EXPECT_NE(t->take_output().find("Proxy-Authorization: Negotiate YIIB\r\n"), std::string::npos);
  t->receive("HTTP/1.1 200 OK\r\nProxy-Authenticate: Negotiate oRQw\r\n\r\n");
  EXPECT_EQ(t->state(), State::open);
  // Each connection has a ticket of its own.
  EXPECT_EQ(talk(proxy)->state(), State::ticket);
}

TEST_F(ProxyTalkTest, ATicketThatIsRefusedOrCannotBeMadeIsToldAsThat) {
  const std::string wants = "HTTP/1.1 407 Needed\r\nProxy-Authenticate: Negotiate\r\n\r\n";
  Proxy proxy = proxy_of("http://proxy:3128");
  proxy.has_tickets = true;
  EXPECT_EQ(answered(proxy, wants)->state(), State::again);
  auto refused = talk(proxy, 1);
  refused->ticket(std::string("YIIB"));
  refused->receive(wants);
  expect_failure(*refused, {"http://proxy:3128", "refuses the ticket", "Negotiate"}, true);
  auto none = talk(proxy);
  none->ticket(qvid::Error{"No credentials cache found"});
  expect_failure(*none, {"wants a ticket", "No credentials cache found", "kinit"}, false);
  auto late = talk(proxy);
  late->time_out();
  expect_failure(*late, {"none was made in time", "key server"}, false);
}

// Who names a user means that one, where the proxy takes it.
TEST_F(ProxyTalkTest, APasswordGoesBeforeATicket) {
  Proxy proxy = proxy_of("http://ann:secret@proxy:3128");
  proxy.has_tickets = true;
  EXPECT_EQ(answered(proxy,
                     "HTTP/1.1 407 Needed\r\nProxy-Authenticate: Negotiate\r\n"
                     "Proxy-Authenticate: Basic realm=\"x\"\r\n\r\n")
                ->state(),
            State::again);
  EXPECT_NE(talk(proxy, 1)->take_output().find("Proxy-Authorization: Basic"), std::string::npos);
}

TEST_F(ProxyTalkTest, APasswordThatIsRefusedIsNotTriedForEver) {
  const std::string basic = "HTTP/1.1 407 Needed\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n";
  const std::string digest =
      "HTTP/1.1 407 Needed\r\nProxy-Authenticate: Digest realm=\"x\", nonce=\"n\", stale=true, "
      "qop=\"auth\"\r\n\r\n";
  for (const auto& answer : {basic, digest}) {
    Proxy proxy = proxy_of("http://ann:secret@proxy:3128");
    int talks = 0;
    std::unique_ptr<ProxyTalk> t;
    do t = answered(proxy, answer, talks++);
    while (t->state() == State::again && talks < 10);
    EXPECT_LE(talks, ProxyTalk::kMostTalks);
    expect_failure(*t, {"http://proxy:3128", "refuses the user or the password"}, true);
  }
}

TEST_F(ProxyTalkTest, ANonceOfAnEarlierConnectionMayBeTooOld) {
  Proxy proxy = proxy_of("http://ann:secret@proxy:3128");
  const auto wants = [](const std::string& nonce) {
    return "HTTP/1.1 407 Needed\r\nProxy-Authenticate: Digest realm=\"x\", nonce=\"" + nonce +
           "\", qop=\"auth\"\r\n\r\n";
  };
  EXPECT_EQ(answered(proxy, wants("1"))->state(), State::again);
  EXPECT_EQ(answered(proxy, "HTTP/1.1 200 OK\r\n\r\n", 1)->state(), State::open);
  EXPECT_EQ(answered(proxy, wants("2"), 0)->state(), State::again);
  EXPECT_EQ(answered(proxy, wants("3"), 1)->state(), State::failed);
}

TEST_F(ProxyTalkTest, NamesWhatHttpProxiesRefuse) {
  const std::string h = "HTTP/1.1 ";
  const std::string e = "\r\n\r\n";
  const struct {
    std::string answer;
    std::initializer_list<const char*> words;
    bool permanent;
  } cases[] = {
      {h + "407 Auth\r\nProxy-Authenticate: Basic realm=\"x\"\r\nproxy-authenticate: NTLM" + e,
       {"http://proxy:3128", "wants a user and a password", "by Basic, NTLM", "user:password@"},
       true},
      {h + "407 Auth\r\nProxy-Authenticate: Negotiate\r\nProxy-Authenticate: NTLM" + e,
       {"not supported", "Negotiate, NTLM", "cntlm"},
       true},
      {h + "403 Forbidden" + e, {"does not allow", "a.example:7400", "403 Forbidden", "443"}, true},
      {h + "405 Method Not Allowed" + e, {"does not allow"}, true},
      {h + "503 Service Unavailable\r\nX-Squid-Error: ERR_DNS_FAIL 0" + e,
       {"cannot look up the name", "a.example:7400"},
       false},
      {h + "502 Bad\r\nProxy-Status: p; error=dns_error" + e, {"cannot look up the name"}, false},
      {h + "503 Service Unavailable\r\nX-Squid-Error: ERR_CONNECT_FAIL 111" + e,
       {"cannot reach a.example:7400", "503"},
       false},
      {h + "504 Gateway Timeout" + e, {"cannot reach"}, false},
      {h + "418 I'm a\x1b[31m teapot" + e, {"does not connect", "418 I'm a?[31m"}, false},
      {"SSH-2.0-OpenSSH\r\n", {"no HTTP", "right port"}, true},
      {"HTTP/2 200" + e, {"no HTTP"}, true},
      {"\x05\x00"s, {"no HTTP", "socks5://"}, true},
      {"\x15\x03\x01"s, {"no HTTP", "TLS"}, true},
      {h + "abc" + e, {"no HTTP"}, true},
      {h + "20" + e, {"no HTTP"}, true},
      {h + "200 OK\r\n" + std::string(20'000, 'x'), {"more than 16 KiB"}, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.answer.substr(0, 100));
    Proxy proxy = proxy_of("http://proxy:3128");
    const auto t = answered(proxy, c.answer);
    expect_failure(*t, c.words, c.permanent);
  }
}

TEST_F(ProxyTalkTest, AnEndBeforeTheAnswerIsTold) {
  for (const char* text : {"http://proxy", "socks5://proxy"}) {
    Proxy proxy = proxy_of(text);
    auto t = talk(proxy);
    t->end();
    expect_failure(*t, {"closed the connection", "a.example:7400"}, false);
  }
}

TEST_F(ProxyTalkTest, OneThatTakesTooLongIsTold) {
  Proxy proxy = proxy_of("socks5://proxy");
  auto t = talk(proxy);
  t->time_out();
  expect_failure(*t, {"said nothing in time", "another kind of proxy"}, false);
  t = answered(proxy, "\x05\x00"s);
  t->time_out();
  expect_failure(*t, {"has not connected to a.example:7400 in time"}, false);
}

TEST_F(ProxyTalkTest, ConnectsThroughSocks) {
  Proxy proxy = proxy_of("socks5://proxy");
  auto t = talk(proxy);
  EXPECT_EQ(t->take_output(), "\x05\x01\x00"s);
  t->receive("\x05\x00"s);
  EXPECT_EQ(t->take_output(), "\x05\x01\x00\x03\x09"s + "a.example" + "\x1c\xe8");
  const std::string reply = "\x05\x00\x00\x01\x0a\x00\x00\x01\x1c\xe8"s;
  EXPECT_EQ(t->receive(reply + "PACELINE"), reply.size());
  EXPECT_EQ(t->state(), State::open);
}

TEST_F(ProxyTalkTest, SocksTakesAddressesAsTheyAre) {
  Proxy proxy = proxy_of("socks5://proxy");
  for (const auto& [host, bytes] : {std::pair("10.0.0.1"s, "\x01\x0a\x00\x00\x01"s),
                                    std::pair("::1"s, "\x04"s + std::string(15, '\0') + "\x01")}) {
    to.host = host;
    auto t = talk(proxy);
    t->take_output();
    t->receive("\x05\x00"s);
    EXPECT_EQ(t->take_output(), "\x05\x01\x00"s + bytes + "\x1c\xe8");
    const std::string name = "\x05\x00\x00\x03\x05"s + "proxy" + "\x00\x01"s;
    EXPECT_EQ(t->receive(name + "x"), name.size());
    EXPECT_EQ(t->state(), State::open);
  }
}

TEST_F(ProxyTalkTest, SocksAsksForUserAndPassword) {
  Proxy proxy = proxy_of("socks5://ann:secret@proxy");
  auto t = talk(proxy);
  EXPECT_EQ(t->take_output(), "\x05\x02\x00\x02"s);
  t->receive("\x05\x02"s);
  EXPECT_EQ(t->take_output(), "\x01\x03"s + "ann" + "\x06" + "secret");
  t->receive("\x01\x00"s);
  EXPECT_TRUE(t->take_output().starts_with("\x05\x01\x00\x03"s));
  t = talk(proxy);
  t->receive("\x05\x02\x01\x01"s);
  expect_failure(*t, {"refuses the user or the password"}, true);
}

TEST_F(ProxyTalkTest, NamesWhatSocksProxiesRefuse) {
  const struct {
    std::string answer;
    std::initializer_list<const char*> words;
    bool permanent;
  } cases[] = {
      {"\x05\xff"s, {"socks5://proxy:1080", "wants a user and a password"}, true},
      {"\x05\x02"s, {"no SOCKS5"}, true},
      {"HTTP/1.1 400 Bad", {"no SOCKS5", "http://"}, true},
      {"\x04"s, {"no SOCKS5"}, true},
      {"\x05\x00\x05\x01\x00\x01\x00"s, {"cannot reach"}, false},
      {"\x05\x00\x05\x02\x00\x01\x00"s, {"does not allow", "443"}, true},
      {"\x05\x00\x05\x03\x00\x01\x00"s, {"cannot reach", "network"}, false},
      {"\x05\x00\x05\x04\x00\x01\x00"s, {"cannot look up the name"}, false},
      {"\x05\x00\x05\x05\x00\x01\x00"s, {"cannot reach", "refused"}, false},
      {"\x05\x00\x05\x06\x00\x01\x00"s, {"cannot reach", "in time"}, false},
      {"\x05\x00\x05\x07\x00\x01\x00"s, {"does not connect", "reply 7"}, true},
      {"\x05\x00\x05\x00\x00\x09\x00"s, {"no SOCKS5"}, true},
  };
  for (const auto& c : cases) {
    Proxy proxy = proxy_of("socks5://proxy");
    const auto t = answered(proxy, c.answer);
    expect_failure(*t, c.words, c.permanent);
  }
  to.host = "10.0.0.1";
  Proxy proxy = proxy_of("socks5://proxy");
  expect_failure(*answered(proxy, "\x05\x00\x05\x04\x00\x01\x00"s), {"host is unreachable"}, false);
}

// However the bytes are cut, and whatever they are: the same end, and nothing taken of what is
// behind it.
TEST_F(ProxyTalkTest, PiecesMakeNoDifference) {
  std::mt19937 random(7);
  const std::string good[] = {
      "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbehind",
      "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"x\", nonce=\"n\"\r\n\r\nbehind",
      "\x05\x00\x05\x00\x00\x03\x03"s + "abc" + "\x00\x01"s + "behind",
      "\x05\x02\x01\x00\x05\x00\x00\x04"s + std::string(18, 'x') + "behind",
  };
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good[round % 4];
    if (round % 3 != 0) bytes[random() % bytes.size()] = static_cast<char>(random());
    const char* url = round % 4 < 2 ? "http://ann:secret@p" : "socks5://ann:secret@p";
    Proxy one = proxy_of(url);
    Proxy other = proxy_of(url);
    const auto whole = talk(one);
    std::string out = whole->take_output();
    const std::size_t used_whole = whole->receive(bytes);
    out += whole->take_output();
    const auto pieces = talk(other);
    std::string out_pieces = pieces->take_output();
    std::size_t used_pieces = 0;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = std::min<std::size_t>(1 + random() % 7, bytes.size() - at);
      used_pieces += pieces->receive(std::string_view(bytes).substr(at, size));
      out_pieces += pieces->take_output();
      at += size;
    }
    ASSERT_EQ(whole->state(), pieces->state()) << round;
    if (whole->state() == State::open) {
      ASSERT_EQ(used_whole, used_pieces) << round;
    }
    ASSERT_EQ(out, out_pieces) << round;
    ASSERT_EQ(whole->failure().message, pieces->failure().message) << round;
  }
}

}  // namespace
}  // namespace paceline::proxy_talk_test
