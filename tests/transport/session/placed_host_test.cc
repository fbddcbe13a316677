// A host whose sessions live on another thread: as on its own, and nobody touches a session but its
// thread. Real loopback sockets, plain and with TLS.
#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <thread>

#include "tests/temporary_folder.h"
#include "tests/transport/real_session.h"
#include "transport/tls/tls.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using qvid::operator""ms;

// What happens to a session there is told here, on the test's thread.
struct PlacedHost : RealSession, testing::WithParamInterface<bool> {
  void start() {
    thread = std::jthread([this] { there.run(); });
    options.place = [this]() -> asio::io_context& {
      ++placed;
      return there;
    };
    options.listen = {.host = "127.0.0.1", .port = 0};
    if (GetParam()) {
      const auto identity = Identity::load_or_generate(folder / "identity");
      ASSERT_TRUE(identity) << identity.error().message;
      options.identity = *identity;
      TrustOptions by;
      by.fingerprint = (*identity)->fingerprint();
      trust = *Trust::make(by);
    }
    options.session = config;
    auto opened = Host::open(
        io, options,
        [this](const std::shared_ptr<Session>& session) {
          EXPECT_TRUE(there.get_executor().running_in_this_thread());
          return [this, session, tell = accepting->handler()](SessionEvent&& e) {
            EXPECT_TRUE(there.get_executor().running_in_this_thread());
            // What comes goes back.
            if (const auto* m = std::get_if<MessageArrived>(&e)) {
              EXPECT_TRUE(session->send(
                  m->stream,
                  {.importance = m->importance, .position = m->position, .payload = m->payload}));
            }
            asio::post(io, [tell, e = std::move(e)]() mutable { tell(std::move(e)); });
          };
        },
        [](const std::string& trouble) { ADD_FAILURE() << trouble; });
    ASSERT_TRUE(opened) << opened.error().message;
    host = *std::move(opened);
  }
  void connect() {
    ASSERT_NO_FATAL_FAILURE(start());
    dial(host->address(), trust);
    ASSERT_TRUE(run_until([&] { return client.established && server.established && settled(); }));
  }
  bool settled() const {
    const std::size_t wanted = config.standby + (config.separate_directions ? 2 : 1);
    return client.session->signals().channels == wanted;
  }
  // Each byte back.
  void expect_echo(std::size_t size) {
    const std::size_t before = client.arrived.size();
    ASSERT_TRUE(client.session->send(kFirstStream, text(size, 'e')));
    ASSERT_TRUE(run_until([&] { return client.arrived.size() == before + 1; }));
    EXPECT_EQ(client.arrived.back().payload.text(), std::string(size, 'e'));
  }
  void TearDown() override {
    RealSession::TearDown();
    work.reset();
    there.stop();  // a test may have left the thread waiting
  }

  qvid::TemporaryFolder folder;
  std::shared_ptr<Trust> trust;
  asio::io_context there{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(there);
  std::jthread thread;
  int placed = 0;
};

TEST_P(PlacedHost, MessagesGoBothWaysOverEverySocket) {
  ASSERT_NO_FATAL_FAILURE(connect());
  EXPECT_EQ(placed, 1);
  EXPECT_EQ(host->sessions(), 1u);
  EXPECT_TRUE(run_until([&] { return host->stats().sockets == 3; }));
  for (const std::size_t size : {1u, 10'000u, 2'000'000u}) expect_echo(size);
  EXPECT_EQ(server.arrived.size(), 3u);
  client.session->close("bye");
  EXPECT_TRUE(run_until([&] { return server.closed && host->sessions() == 0; }));
  EXPECT_EQ(server.closed->detail, "bye");
  EXPECT_EQ(server.ended.size(), 3u);
}

TEST_P(PlacedHost, ManySessionsComeAndGo) {
  ASSERT_NO_FATAL_FAILURE(connect());
  std::vector<End> ends(20);
  std::vector<End> servers(20);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    // Read there when the next session begins: this waits until it has.
    accepting = &servers[i];
    ends[i].session = Session::connect(io, {.address = host->address(), .trust = trust}, config,
                                       ends[i].handler());
    ASSERT_TRUE(run_until([&] { return ends[i].established && servers[i].established; }));
    if (i % 2 == 0) ends[i].session->close();
  }
  for (End& end : ends) end.session->close();
  EXPECT_TRUE(run_until([&] { return host->sessions() == 1; }));
  EXPECT_TRUE(run_until([&] {
    return std::ranges::all_of(servers, [](const End& e) { return e.closed.has_value(); });
  }));
  for (End& end : ends) end.session.reset();
  expect_echo(100);
}

TEST_P(PlacedHost, MayGoBeforeItsSessions) {
  ASSERT_NO_FATAL_FAILURE(connect());
  host.reset();
  expect_echo(10'000);
  client.session->close("bye");
  EXPECT_TRUE(run_until([&] { return client.closed && server.closed; }));
}

TEST_P(PlacedHost, MayGoWhileASessionBegins) {
  ASSERT_NO_FATAL_FAILURE(start());
  config.greeting_timeout = 300ms;
  dial(host->address(), trust);
  ASSERT_TRUE(run_until([&] { return host->stats().sessions == 1; }));
  host.reset();
  EXPECT_TRUE(run_until([&] { return client.closed.has_value() || client.established; }));
}

INSTANTIATE_TEST_SUITE_P(Plain, PlacedHost, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Tls, PlacedHost, testing::Values(true));

// Without TLS, so that a bare socket can play a client.
struct PlacedHostStrangers : PlacedHost {
  static std::vector<std::byte> greeting(const Record& record) {
    std::vector<std::byte> bytes;
    write_preamble(bytes);
    write_record(record, bytes);
    return bytes;
  }
  // What it is told until the socket is closed.
  std::optional<Close> answer_to(const Record& record) {
    tcp::socket raw = connect_raw();
    asio::write(raw, asio::buffer(greeting(record)));
    std::vector<std::byte> all(4096);
    std::optional<std::size_t> size;
    asio::async_read(raw, asio::buffer(all), [&](const error_code&, std::size_t n) { size = n; });
    EXPECT_TRUE(run_until([&] { return size.has_value(); }));
    if (!size) {
      raw.close();
      run_until([&] { return size.has_value(); });
    }
    all.resize(*size);
    RecordParser parser;
    parser.feed(all);
    const auto step = parser.next();
    const auto* first = std::get_if<Record>(&step);
    const auto* close = first != nullptr ? std::get_if<Close>(first) : nullptr;
    return close != nullptr ? std::optional(*close) : std::nullopt;
  }
};
INSTANTIATE_TEST_SUITE_P(Plain, PlacedHostStrangers, testing::Values(false));

TEST_P(PlacedHostStrangers, BindsAreCheckedHereAndThere) {
  ASSERT_NO_FATAL_FAILURE(connect());
  const SessionCredentials ours = client.session->credentials();
  Bind bind{.session = ours.session, .channel = 50, .segment = 0, .proof = {}};
  EXPECT_EQ(answer_to(bind)->reason, CloseReason::kUnknownSession);
  bind.channel = 1;  // used by the client
  bind.proof = bind_proof(ours.secret, bind);
  EXPECT_EQ(answer_to(bind)->reason, CloseReason::kRefused);  // by the session itself
  expect_echo(100);
  EXPECT_TRUE(run_until([&] { return host->stats().turned_away() == 2; }));
  client.session->close();
  ASSERT_TRUE(run_until([&] { return host->sessions() == 0; }));
  bind.channel = 60;
  bind.proof = bind_proof(ours.secret, bind);
  EXPECT_EQ(answer_to(bind)->reason, CloseReason::kUnknownSession);
}

// Its thread is busy for longer than the host lives.
TEST_P(PlacedHostStrangers, HostMayGoWhileASocketJoins) {
  ASSERT_NO_FATAL_FAILURE(connect());
  const SessionCredentials ours = client.session->credentials();
  std::promise<void> go_on;
  asio::post(there, [until = go_on.get_future().share()] { until.wait(); });
  Bind bind{.session = ours.session, .channel = 1, .segment = 0, .proof = {}};
  bind.proof = bind_proof(ours.secret, bind);
  tcp::socket raw = connect_raw();
  asio::write(raw, asio::buffer(greeting(bind)));
  ASSERT_TRUE(run_until([&] { return host->stats().sockets == 4; }));
  drain();  // it has gone over
  host->close();
  host.reset();
  go_on.set_value();
  std::array<std::byte, 1> byte;
  std::optional<error_code> end;
  asio::async_read(raw, asio::buffer(byte), [&](const error_code& e, std::size_t) { end = e; });
  EXPECT_TRUE(run_until([&] { return end.has_value(); }));
  EXPECT_TRUE(*end) << "it was told nothing";
  expect_echo(100);
}

TEST_P(PlacedHostStrangers, AnInterruptedSessionMakesRoom) {
  options.max_sessions = 1;
  config.resume_limit = std::chrono::seconds(20);
  ASSERT_NO_FATAL_FAILURE(start());
  {
    tcp::socket raw = connect_raw();
    asio::write(raw,
                asio::buffer(greeting(Hello{.limits = {}, .resume_limit = config.resume_limit})));
    ASSERT_TRUE(run_until([&] { return server.established; }));
    EXPECT_EQ(answer_to(Hello{})->reason, CloseReason::kRefused);
  }
  ASSERT_TRUE(run_until([&] { return server.interrupted == 1; }));
  End second;
  accepting = &second;
  dial(host->address());
  ASSERT_TRUE(run_until([&] { return client.established && second.established; }));
  EXPECT_TRUE(run_until([&] { return server.closed.has_value(); }));
  EXPECT_EQ(server.closed->detail, "its place was needed by another session");
  client.session->close();
  EXPECT_TRUE(run_until([&] { return second.closed.has_value(); }));
}

}  // namespace
}  // namespace paceline
