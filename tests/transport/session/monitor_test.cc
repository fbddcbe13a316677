// The log of signals: what is written is what is read, whatever the file holds; and the log of real
// sessions on loopback, which keeps nothing alive and no bound exceeded.
#include "transport/session/monitor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/transport/event_loop.h"
#include "transport/session/host.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using qvid::operator""_KiB;
using qvid::operator""ms;
using qvid::operator""s;

SignalSample a_sample() {
  SessionSignals signals;
  signals.rtt = std::chrono::microseconds(31'250);
  signals.bandwidth = qvid::DataRate::from_bps(2'500'125);
  signals.pressure = 0.125;
  signals.window = ByteCount::max();  // without limit
  signals.allowance = ByteCount(-500);
  signals.sent = ByteCount(9'007'199'254);
  signals.failovers = 2;
  signals.interrupted = true;
  SignalSample sample = sample_of(
      signals, {{StreamId(0), 2, ByteCount(1200)}, {StreamId(1), 0, {}}, {StreamId(7), 1, {}}});
  sample.time = 12'300ms;
  sample.session = 3;
  sample.peer = "192.0.2.1:7400";
  return sample;
}

std::vector<SignalSample> read(std::string_view text, SignalReader& reader) {
  std::vector<SignalSample> samples;
  EXPECT_TRUE(reader.feed(text, samples));
  return samples;
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SignalCsv, HasTheUnitsInItsNames) {
  const std::string header = csv_header();
  EXPECT_TRUE(
      header.starts_with("time_s,session,peer,rtt_ms,rtt_low_ms,base_rtt_ms,"
                         "bandwidth_kbps,pressure,window_bytes,competing,"));
  EXPECT_TRUE(header.ends_with(
      ",interrupted,small_segments,express_sent,express_received,queue_per_stream\n"));
  const std::string line = csv_line(a_sample());
  EXPECT_EQ(std::ranges::count(header, ','), std::ranges::count(line, ','));
  EXPECT_TRUE(line.starts_with("12.300,3,192.0.2.1:7400,31.250,0,0,2500.125,0.125,")) << line;
  EXPECT_TRUE(line.ends_with(",1,0,0,0,0:1200;7:0\n")) << line;
}

TEST(SignalCsv, WhatIsWrittenIsReadHoweverItIsCut) {
  const std::string text = csv_header() + csv_line(a_sample()) + csv_line(a_sample());
  for (std::size_t piece = 1; piece < text.size(); piece += 7) {
    SignalReader reader;
    std::vector<SignalSample> samples;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      ASSERT_TRUE(reader.feed(std::string_view(text).substr(at, piece), samples));
    }
    ASSERT_EQ(samples.size(), 2u);
    EXPECT_EQ(csv_line(samples[1]), csv_line(a_sample()));
    EXPECT_EQ(samples[1].time, 12'300ms);
    EXPECT_EQ(samples[1][Signal::kAllowance], -500);
    EXPECT_EQ(samples[1][Signal::kWindow], SignalSample::kMaxSignal);
    EXPECT_EQ(samples[1][Signal::kSent], 9'007'199'254);
    EXPECT_EQ(reader.bad_lines(), 0u);
  }
}

TEST(SignalCsv, AHalfWrittenLastLineWaitsForItsRest) {
  SignalReader reader;
  const std::string line = csv_line(a_sample());
  EXPECT_TRUE(read(csv_header() + line + line.substr(0, 30), reader).size() == 1);
  EXPECT_EQ(read(line.substr(30), reader).size(), 1u);
  EXPECT_EQ(reader.bad_lines(), 0u);
}

TEST(SignalCsv, GoesByTheNamesOfTheColumns) {
  SignalReader reader;
  const auto samples = read("session,later_idea,failovers,time_s\r\n4,text,2,1.5\r\n", reader);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].session, 4u);
  EXPECT_EQ(samples[0].time, 1500ms);
  EXPECT_EQ(samples[0][Signal::kFailovers], 2);
}

TEST(SignalCsv, LinesThatMakeNoSenseAreCountedAndLeftOut) {
  SignalReader reader;
  const std::string bad[] = {"",
                             "1,2",
                             "1,2,3,4",
                             "x,1,2",
                             "-1,1,2",
                             "1e300,1,2",
                             "nan,1,2",
                             "1,-1,2",
                             "1,99999999999999999999,2",
                             "1,1,inf",
                             "1,1,1e16",
                             "1,1,",
                             "1,1,2 ",
                             std::string("1,1,\0", 5),
                             std::string(SignalReader::kMaxLine + 1, '1')};
  std::string text = "time_s,session,rtt_ms\n";
  for (const std::string& line : bad) text += line + "\n";
  const auto samples = read(text + "2,1,5\n", reader);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0][Signal::kRtt], 5);
  EXPECT_EQ(reader.bad_lines(), std::size(bad));
}

TEST(SignalCsv, QueuesAreBounded) {
  std::vector<StreamSignals> streams;
  for (std::uint32_t i = 0; i < 100; ++i) {
    streams.push_back({StreamId(i), 1, ByteCount(static_cast<std::int64_t>(i) * 10)});
  }
  const SignalSample sample = sample_of({}, streams);
  ASSERT_EQ(sample.queues.size(), kMaxQueues);
  EXPECT_EQ(sample.queues.front().stream, 100 - kMaxQueues);  // those with the most
  EXPECT_EQ(sample.queues.back().stream, 99u);
  for (const std::string queues : {"1", "1:", ":1", "1:-2", "1:2;", "a:b", "4294967296:1"}) {
    SignalReader reader;
    const auto samples =
        read("time_s,session,rtt_ms,queue_per_stream\n1,1,1," + queues + "\n", reader);
    EXPECT_EQ(samples.size(), queues == "1:2;" ? 1u : 0u) << queues;
  }
}

TEST(SignalCsv, RefusesWhatIsNoLog) {
  for (const std::string& text :
       {std::string("\n"), std::string("a,b,c\n"), std::string("time_s,session\n"),
        std::string("time_s,time_s,session,rtt_ms\n"), std::string("\x89PNG\r\n\x1a\n"),
        std::string(SignalReader::kMaxLine + 1, 'a')}) {
    SignalReader reader;
    std::vector<SignalSample> samples;
    EXPECT_FALSE(reader.feed(text, samples)) << text.substr(0, 20);
    EXPECT_FALSE(reader.feed(csv_header(), samples)) << "it stays refused";
    EXPECT_TRUE(samples.empty());
  }
}

TEST(SignalCsv, ThePeersNameCannotForgeAColumnOrALine) {
  SignalSample sample = a_sample();
  sample.peer = "a,b\n\"c\x1b[2J\xc3\xa4" + std::string(1000, 'x');
  SignalReader reader;
  const auto samples = read(csv_header() + csv_line(sample), reader);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_TRUE(samples[0].peer.starts_with("a_b__c_[2J__x")) << samples[0].peer;
  EXPECT_LE(samples[0].peer.size(), 300u);
}

struct SignalLogTest : testing::Test, EventLoop {
  void SetUp() override {
    folder = fs::temp_directory_path() / ("qvid-monitor-test-" + std::to_string(::getpid()));
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
    return read(contents(file), reader);
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
