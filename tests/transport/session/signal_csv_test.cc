// Samples as lines of a log: what is written is what is read, whatever the file holds.
#include "transport/session/signal_csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "transport/session/signal_reader.h"

namespace paceline {
namespace {

using qvid::operator""ms;

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

TEST(SignalCsv, HasTheUnitsInItsNames) {
  const std::string header = csv_header();
  EXPECT_TRUE(
      header.starts_with("time_s,session,peer,rtt_ms,rtt_low_ms,base_rtt_ms,"
                         "bandwidth_kbps,pressure,window_bytes,competing,"));
  EXPECT_TRUE(header.ends_with(
      "lanes_received,udp,datagrams,datagrams_received,datagrams_lost,held_ms,queue_per_stream\n"));
  const std::string line = csv_line(a_sample());
  EXPECT_EQ(std::ranges::count(header, ','), std::ranges::count(line, ','));
  EXPECT_TRUE(line.starts_with("12.300,3,192.0.2.1:7400,31.250,0,0,2500.125,0.125,")) << line;
  EXPECT_TRUE(line.ends_with(",1,0,0,0,0,0,0,0,0,0:1200;7:0\n")) << line;
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

}  // namespace
}  // namespace paceline
