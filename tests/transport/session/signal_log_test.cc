// The log of real sessions on loopback, which keeps nothing alive and no bound exceeded.
#include "transport/session/signal_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/transport/event_loop.h"
#include "transport/session/host.h"
#include "transport/session/signal_csv.h"
#include "transport/session/signal_reader.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;
using qvid::operator""_KiB;
using qvid::operator""ms;
using qvid::operator""s;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct SignalLogTest : testing::Test, EventLoop {
  void SetUp() override {
    folder = fs::temp_directory_path() / ("qvid-signal-log-test-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    path = folder / "run.csv";
  }
  void connect() {
    auto opened = Host::open(
        io, {.listen = {"127.0.0.1", 0}, .identity = {}, .session = {}},
        [this](const std::shared_ptr<Session>& s) -> Session::Handler {
          server = s;
          return [](SessionEvent&&) {};
        },
        [](const std::string&) {});
    ASSERT_TRUE(opened) << opened.error().message;
    host = std::move(*opened);
    client = Session::connect(io, {.address = host->address(), .trust = {}}, {},
                              [this](SessionEvent&& e) {
                                if (std::holds_alternative<SessionEstablished>(e)) ready = true;
                              });
    ASSERT_TRUE(run_until([&] { return ready && server; }));
  }
  std::unique_ptr<SignalLog> open(SignalLogOptions options = {.interval = 5ms, .on_trouble = {}}) {
    auto log = SignalLog::open(io, path, std::move(options));
    EXPECT_TRUE(log) << (log ? "" : log.error().message);
    return log ? std::move(*log) : nullptr;
  }
  std::vector<SignalSample> logged(const fs::path& file) {
    SignalReader reader;
    std::vector<SignalSample> samples;
    EXPECT_TRUE(reader.feed(contents(file), samples));
    return samples;
  }
  void TearDown() override {
    for (auto* session : {&client, &server}) {
      if (*session) (*session)->close();
      session->reset();
    }
    host.reset();
    EXPECT_TRUE(run_until([] { return Session::alive() == 0; })) << Session::alive() << " left";
    fs::remove_all(folder);
  }
  std::shared_ptr<Session> client, server;
  std::unique_ptr<Host> host;
  bool ready = false;
  fs::path folder, path;
};

TEST_F(SignalLogTest, LogsTheSessionsAddedToIt) {
  connect();
  auto log = open();
  ASSERT_TRUE(log);
  EXPECT_EQ(log->add(client), 1u);
  EXPECT_EQ(log->add(server), 2u);
  ASSERT_TRUE(client->send(
      kFirstStream,
      {.importance = {}, .position = {}, .payload = Payload::copy_of(std::string(5000, 'x'))}));
  ASSERT_TRUE(run_until([&] { return client->signals().messages_delivered == 1; }));
  log->remove(*client);
  log->remove(*client);  // without effect
  ASSERT_TRUE(run_until([&] { return log->samples() > 10; }));
  log.reset();
  const auto samples = logged(path);
  ASSERT_GT(samples.size(), 10u);
  EXPECT_EQ(samples[0].session, 1u);
  EXPECT_EQ(samples[0].peer, client->peer());
  EXPECT_EQ(samples.back().session, 2u);
  const auto last = std::find_if(samples.rbegin(), samples.rend(),
                                 [](const SignalSample& s) { return s.session == 1; });
  EXPECT_EQ((*last)[Signal::kDelivered], 1) << "sampled for the last time as it is removed";
  EXPECT_GT((*last)[Signal::kRtt], 0);
  EXPECT_TRUE(std::ranges::is_sorted(samples, {}, &SignalSample::time));
}

TEST_F(SignalLogTest, KeepsNeitherTheLoopNorASessionAlive) {
  connect();
  auto log = open();
  ASSERT_TRUE(log);
  log->add(client);
  log->add(server);
  log->remove(*server);
  host.reset();
  for (auto* session : {&client, &server}) {
    (*session)->close();
    session->reset();
  }
  const auto began = std::chrono::steady_clock::now();
  io.restart();
  io.run_for(5s);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 4s) << "the loop ran out of work";
  EXPECT_EQ(Session::alive(), 0);
  EXPECT_FALSE(logged(path).empty()) << "flushed when the last has gone";
}

TEST_F(SignalLogTest, RotatesAtItsBound) {
  connect();
  auto log = open({.interval = 1ms, .max_file = 4_KiB, .on_trouble = {}});
  ASSERT_TRUE(log);
  log->add(client);
  ASSERT_TRUE(run_until([&] { return log->samples() > 100; }));
  log.reset();
  EXPECT_LE(fs::file_size(path), 4096u);
  EXPECT_LE(fs::file_size(path.string() + ".1"), 4096u);
  const auto earlier = logged(path.string() + ".1");
  const auto samples = logged(path);
  ASSERT_FALSE(earlier.empty());
  ASSERT_FALSE(samples.empty());
  EXPECT_GE(samples.front().time, earlier.back().time) << "time goes on";
}

TEST_F(SignalLogTest, AnEarlierLogIsKeptAndAnyOtherFileIsRefused) {
  { ASSERT_TRUE(open()); }
  std::ofstream(path, std::ios::app) << "mark\n";
  { ASSERT_TRUE(open()); }
  EXPECT_NE(contents(path.string() + ".1").find("mark"), std::string::npos);
  EXPECT_EQ(contents(path), csv_header());
  std::ofstream(path) << "dear diary\n";
  const auto refused = SignalLog::open(io, path);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("no log of signals"), std::string::npos);
  EXPECT_EQ(contents(path), "dear diary\n");
}

TEST_F(SignalLogTest, SaysWhyItCannotWrite) {
  for (const fs::path& bad : {folder, folder / "none" / "run.csv"}) {
    const auto log = SignalLog::open(io, bad);
    ASSERT_FALSE(log) << bad;
    EXPECT_NE(log.error().message.find(bad.string()), std::string::npos) << log.error().message;
    EXPECT_NE(log.error().message.find("irector"), std::string::npos) << log.error().message;
  }
}

TEST_F(SignalLogTest, WritesToDevicesAsTheyAre) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  connect();
  fs::create_symlink("/dev/null", path);
  int troubles = 0;
  auto log = open({.interval = 1ms, .on_trouble = [&](const std::string&) { ++troubles; }});
  ASSERT_TRUE(log);
  log->add(client);
  ASSERT_TRUE(run_until([&] { return log->samples() > 5; }));
  EXPECT_EQ(troubles, 0);
  EXPECT_TRUE(fs::is_symlink(path)) << "a link is written to as it is";
  log.reset();
  const auto refused = SignalLog::open(io, "/dev/full");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("/dev/full"), std::string::npos);
}

TEST_F(SignalLogTest, AFileBehindALinkEndsAtItsBound) {
  connect();
  fs::create_symlink(folder / "real.csv", path);
  std::vector<std::string> troubles;
  auto log = open({.interval = 1ms, .max_file = 4_KiB, .on_trouble = [&](const std::string& why) {
                     troubles.push_back(why);
                   }});
  ASSERT_TRUE(log);
  log->add(client);
  ASSERT_TRUE(run_until([&] { return !troubles.empty(); }));
  io.restart();
  io.run_for(20ms);
  ASSERT_EQ(troubles.size(), 1u);
  EXPECT_NE(troubles[0].find("ends here"), std::string::npos) << troubles[0];
  EXPECT_LE(fs::file_size(folder / "real.csv"), 4096u);
  log->add(server);  // harmless
  log->remove(*client);
}

}  // namespace
}  // namespace paceline
