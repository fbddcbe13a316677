// What Qmon shows of given samples, without a terminal.
#include "app/mon/mon_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace qvid::app {
namespace {

using paceline::Signal;
using paceline::SignalSample;

void set(SignalSample& sample, Signal signal, double value) {
  sample.values[static_cast<std::size_t>(signal)] = value;
}

// A minute at ten samples a second: 1 Mbit/s sent, a round trip of 30 ms that peaks at 90.
Samples a_minute() {
  Samples samples;
  for (int i = 0; i <= 600; ++i) {
    SignalSample s;
    s.time = i * 100ms;
    s.session = 3;
    s.peer = "192.0.2.1:7400";
    set(s, Signal::kRtt, i == 300 ? 90 : 30);
    set(s, Signal::kSent, i * 12'500.0);
    set(s, Signal::kWindow, 64'000);
    set(s, Signal::kDelivered, i * 3.0);
    set(s, Signal::kCancelled, i / 10.0);
    set(s, Signal::kChannels, 3);
    set(s, Signal::kFailovers, i >= 300 ? 1 : 0);
    s.queues = {{0, ByteCount(1200)}, {2, ByteCount(64'000)}};
    samples.push_back(s);
  }
  return samples;
}

MonView a_view() { return {.file = "run.csv", .sessions = {1, 2, 3}}; }

std::string all(const std::vector<ScreenLine>& lines) {
  std::string text;
  for (const ScreenLine& line : lines) text += line.text + "\n";
  return text;
}

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

TEST(MonTable, ValuesHaveUnitsAndThreeDigits) {
  EXPECT_EQ(text_of(31.26, Measure::kMilliseconds), "31.3 ms");
  EXPECT_EQ(text_of(99.97, Measure::kMilliseconds), "100 ms");
  EXPECT_EQ(text_of(0, Measure::kBytes), "0 B");
  EXPECT_EQ(text_of(999, Measure::kBytes), "999 B");
  EXPECT_EQ(text_of(999.6, Measure::kBytes), "1.00 kB");
  EXPECT_EQ(text_of(64'000, Measure::kBytes), "64.0 kB");
  EXPECT_EQ(text_of(-1500, Measure::kBytes), "-1.50 kB");
  EXPECT_EQ(text_of(SignalSample::kMaxSignal, Measure::kBytes), "no limit");
  EXPECT_EQ(text_of(2500.1, Measure::kBitRate), "2.50 Mbit/s");
  EXPECT_EQ(text_of(125'000, Measure::kByteRate), "1.00 Mbit/s");
  EXPECT_EQ(text_of(12.345, Measure::kCountRate), "12.3 /s");
  EXPECT_EQ(text_of(0.125, Measure::kNumber), "0.12");
}

TEST(MonTable, SparklinesGoFromTheLowestBlockToAFullOne) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double values[] = {0, 1, 2, 3, 4, 5, 6, 7, nan, 99, -1};
  EXPECT_EQ(sparkline(values, 7), "▁▂▃▄▅▆▇█ █▁");
  const double zeros[] = {0, 0};
  EXPECT_EQ(sparkline(zeros, 0), "▁▁");
  EXPECT_EQ(sparkline({}, 1), "");
}

TEST(MonTable, CutsBetweenCharacters) {
  EXPECT_EQ(cut_to("a▁b█", 4), "a▁b█");
  EXPECT_EQ(cut_to("a▁b█", 3), "a▁b");
  EXPECT_EQ(cut_to("a▁b█", 2), "a▁");
  EXPECT_EQ(cut_to("a▁b█", 0), "");
}

TEST(MonTable, PartsShowPeaksAndRates) {
  const Samples samples = a_minute();
  const auto rtt = parts_of(samples, Signal::kRtt, Measure::kMilliseconds, 60s, 60s, 60);
  ASSERT_EQ(rtt.size(), 60u);
  EXPECT_EQ(*std::ranges::max_element(rtt), 90);
  EXPECT_EQ(rtt[28], 30);
  EXPECT_EQ(rtt[29], 90) << "30 s is the 29th part of 1 s .. 61 s";
  const auto sent = parts_of(samples, Signal::kSent, Measure::kByteRate, 60s, 60s, 60);
  for (const double rate : sent) EXPECT_NEAR(rate, 125'000, 1);
  EXPECT_NEAR(latest(samples, Signal::kSent, Measure::kByteRate), 125'000, 1);
  EXPECT_NEAR(latest(samples, Signal::kCancelled, Measure::kCountRate), 1, 1e-9);
}

TEST(MonTable, PartsMoveOnWithoutChanging) {
  Samples samples = a_minute();
  const auto before = parts_of(samples, Signal::kRtt, Measure::kMilliseconds, 59'900ms, 60s, 30);
  const auto after = parts_of(samples, Signal::kRtt, Measure::kMilliseconds, 60s, 60s, 30);
  for (std::size_t i = 1; i + 1 < before.size(); ++i) EXPECT_EQ(before[i + 1], after[i]) << i;
}

TEST(MonTable, PartsOfLittleAreBlank) {
  Samples samples = a_minute();
  samples.resize(1);
  const auto rates = parts_of(samples, Signal::kSent, Measure::kByteRate, {}, 60s, 10);
  for (const double rate : rates) EXPECT_TRUE(std::isnan(rate));
  EXPECT_EQ(latest(samples, Signal::kSent, Measure::kByteRate), 0);
  EXPECT_TRUE(parts_of(samples, Signal::kSent, Measure::kBytes, {}, 60s, 0).empty());
}

TEST(MonTable, TheScreenFitsAnyTerminal) {
  const Samples samples = a_minute();
  for (const std::size_t columns : {1u, 10u, 40u, 56u, 61u, 80u, 200u}) {
    for (const std::size_t rows : {0u, 1u, 10u, 24u, 60u}) {
      const auto lines = screen_of(samples, a_view(), columns, rows);
      EXPECT_LE(lines.size(), rows);
      for (const ScreenLine& line : lines) EXPECT_LE(width(line.text), columns) << line.text;
    }
  }
  EXPECT_LE(screen_of(samples, a_view(), 80, 1000).size(), 24u) << "the smallest usual terminal";
}

TEST(MonTable, TheScreenTellsWhatMatters) {
  Samples samples = a_minute();
  const std::string screen = all(screen_of(samples, a_view(), 80, 24));
  for (const std::string text :
       {"run.csv", "session 3 of 3", "192.0.2.1:7400", "the newest", "at 1:00", "30.0 ms",
        "1.00 Mbit/s", "64.0 kB", "3 sockets, 1 failover (0 of the peer's), 0 resumptions", "▃",
        "stream 2: 64.0 kB", "q quit"}) {
    EXPECT_NE(screen.find(text), std::string::npos) << text << " in\n" << screen;
  }
  set(samples.back(), Signal::kInterrupted, 1);
  EXPECT_NE(all(screen_of(samples, a_view(), 80, 24)).find("INTERRUPTED"), std::string::npos);
  MonView silent = a_view();
  silent.silent = 12s;
  EXPECT_NE(all(screen_of(samples, silent, 80, 24)).find("no sample for 12 s"), std::string::npos);
}

TEST(MonTable, ALineAndASummary) {
  const Samples samples = a_minute();
  EXPECT_EQ(line_of(samples),
            "1:00 session 3 192.0.2.1:7400  rtt 30.0 ms  out 1.00 Mbit/s  in 0 bit/s  queued 0 B  "
            "oldest 0.0 ms  cancelled 1.0 /s  failovers 1\n");
  const std::string summary = summary_of(samples, a_view());
  EXPECT_TRUE(summary.starts_with("run.csv: session 3 of 3 with 192.0.2.1:7400, at 1:00\n"))
      << summary;
  EXPECT_NE(summary.find("1800 delivered, 60 cancelled"), std::string::npos) << summary;
  EXPECT_NE(summary.find("sockets    3, 1 failover (0 of the peer's)"), std::string::npos)
      << summary;
  EXPECT_EQ(summary.find("played after"), std::string::npos) << summary;
}

TEST(MonTable, SaysHowLongAPlayerHoldsWhatItReceives) {
  Samples samples = a_minute();
  samples.back().values[static_cast<std::size_t>(Signal::kHeld)] = 31.5;
  const std::string summary = summary_of(samples, a_view());
  EXPECT_NE(summary.find("in all, played after 31.5 ms\n"), std::string::npos) << summary;
}

TEST(MonTable, JsonHasTheNamesOfTheFile) {
  const auto json = json_of(a_minute(), a_view());
  EXPECT_EQ(json["session"], 3);
  EXPECT_EQ(json["sessions"].size(), 3u);
  EXPECT_EQ(json["time_s"], 60.0);
  EXPECT_EQ(json["sent_bytes"], 7'500'000);
  EXPECT_EQ(json["queue_per_stream"]["2"], 64'000);
  for (const std::string_view name : paceline::kSignalNames) {
    EXPECT_TRUE(json.contains(std::string(name))) << name;
  }
}

TEST(MonTable, NothingOfALogReachesTheTerminalRaw) {
  MonView view = a_view();
  view.file = "a\x1b[2Jb\n.csv";
  const Samples samples = a_minute();
  EXPECT_EQ(all(screen_of(samples, view, 80, 24)).find('\x1b'), std::string::npos);
  EXPECT_EQ(summary_of(samples, view).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace qvid::app
