// The link in virtual time: what leaves when, and what does not.
#include "lab/emulator/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

#include "lab/emulator/drop_tail.h"
#include "lab/emulator/flow.h"
#include "tests/lab/emulator_link.h"
#include "tests/lab/ip_packets.h"

namespace qvid::lab {
namespace {

TEST(EmulatorLink, APacketTakesItsTransmissionAndTheDelay) {
  Link link = link_of("rate=1200kbit delay=20ms");
  link.push(packet(1500), kStart + 5ms);
  EXPECT_FALSE(link.pop(kStart + 35ms - 1ns));
  EXPECT_EQ(link.next_event(), kStart + 35ms);
  const auto p = link.pop(kStart + 35ms);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->due, kStart + 35ms);
  EXPECT_EQ(link.next_event(), kNever);
}

TEST(EmulatorLink, TheRateIsExactOverAnyBusyPeriod) {
  // 7 Mbit/s and 1234 bytes: no packet ends on a whole nanosecond.
  Link link = link_of("rate=7mbit queue=32MiB");
  constexpr std::uint32_t kPackets = 20'000;
  for (std::uint32_t i = 0; i < kPackets; ++i) link.push(packet(1234, i), kStart);
  const auto out = drain(link, kStart + 3600s);
  ASSERT_EQ(out.size(), kPackets);
  const std::int64_t exact = std::int64_t{kPackets} * 1234 * 8 * 1'000'000'000 / 7'000'000;
  EXPECT_LE(std::abs((out.back().due - kStart).count() - exact), 1);
}

TEST(EmulatorLink, TheQueueHoldsItsLimitBesidesThePacketInTransmission) {
  Link link = link_of("rate=1mbit queue=4500B");
  for (std::uint32_t i = 0; i < 10; ++i) link.push(packet(1500, i), kStart);
  EXPECT_EQ(link.stats().queue_drops, 6u);
  EXPECT_EQ(link.stats().max_queue, 4500_B);
  const auto out = drain(link, kStart + 1s);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(number_of(out.back()), 3u) << "drop-tail drops those that come last";
}

TEST(EmulatorLink, AFullQueueMakesTheDelayThatItsTimeSays) {
  Link link = link_of("rate=16mbit delay=15ms queue=60ms");
  // 20 Mbit/s of 1500-byte packets: every 600 us.
  Duration worst{};
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const Timestamp now = kStart + i * 600us;
    link.push(packet(1500, i), now);
    while (const auto p = link.pop(now)) worst = std::max(worst, p->due - p->arrived);
  }
  EXPECT_LE(worst, 15ms + 60ms + 750us);  // and its own transmission
  EXPECT_GT(worst, 15ms + 60ms - 750us);
}

TEST(EmulatorLink, LossIsAsOftenAsSaidAndTheSameForTheSameSeed) {
  const auto survivors = [](const std::string& words) {
    Link link = link_of("rate=1gbit queue=32MiB " + words);
    for (std::uint32_t i = 0; i < 20'000; ++i) link.push(packet(1000, i), kStart);
    std::vector<std::uint32_t> numbers;
    for (const Packet& p : drain(link, kStart + 10s)) numbers.push_back(number_of(p));
    return numbers;
  };
  const auto once = survivors("loss=5% seed=7");
  EXPECT_EQ(once, survivors("loss=5% seed=7"));
  EXPECT_NE(once, survivors("loss=5% seed=8"));
  // Binomial: standard deviation sqrt(20000 · .05 · .95) = 31.
  EXPECT_NEAR(static_cast<double>(20'000 - once.size()), 1000, 4 * 31);
  EXPECT_EQ(survivors("loss=100%").size(), 0u);
  EXPECT_EQ(survivors("loss=0%").size(), 20'000u);
}

TEST(EmulatorLink, DirectionsLoseIndependently) {
  const LinkSpec spec = spec_of("loss=50% seed=3");
  EXPECT_NE(spec.up.seed, spec.down.seed);
}

TEST(EmulatorLink, AScheduledOutageHoldsThePacketInTransmission) {
  // 1500 bytes take 12 ms; the outage comes after 4 ms of them.
  Link link = link_of("rate=1mbit delay=1ms outage=10ms+500ms");
  link.push(packet(1500), kStart + 6ms);
  const auto out = drain(link, kStart + 10s);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].due, kStart + 510ms + 8ms + 1ms);
}

TEST(EmulatorLink, WhatIsInFlightArrivesInAnOutage) {
  Link link = link_of("rate=100mbit delay=50ms outage=10ms+1s");
  link.push(packet(1500), kStart);
  const auto out = drain(link, kStart + 100ms);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].due, kStart + 50ms + 120us);
}

TEST(EmulatorLink, TheScheduleChangesTheRateInTheMiddleOfAPacket) {
  // 1500 bytes at 1 Mbit/s: 12 ms. After 6 ms the rate doubles: 3 ms are left.
  Link link = link_of("rate=1mbit rate@6ms=2mbit");
  link.push(packet(1500), kStart);
  const auto out = drain(link, kStart + 1s);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].due, kStart + 9ms);
}

TEST(EmulatorLink, ARepeatedScheduleGivesItsMeanRate) {
  // Each 100 ms: 40 at 10 Mbit/s, 40 at 2 Mbit/s, 20 out; 60 kB.
  Link link = link_of("rate=10mbit rate@40ms=2mbit outage=80ms+20ms every=100ms queue=32MiB");
  for (std::uint32_t i = 0; i < 8000; ++i) link.push(packet(1500, i), kStart);
  const auto out = drain(link, kStart + 10s);
  EXPECT_EQ(out.size(), 100u * 60'000 / 1500);
}

TEST(EmulatorLink, AllCanBeChangedWhileItRuns) {
  Link link = link_of("rate=1mbit delay=10ms");
  link.push(packet(1500), kStart);                         // 12 ms at 1 Mbit/s
  link.set_rate(DataRate::from_kbps(3000), kStart + 6ms);  // 2 ms at 3
  link.set_delay(1ms, kStart + 7ms);
  auto out = drain(link, kStart + 50ms);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].due, kStart + 9ms);

  link.outage(100ms, kStart + 100ms);
  link.push(packet(1500), kStart + 150ms);
  out = drain(link, kStart + 1s);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].due, kStart + 205ms);

  link.set_loss(1, kStart + 1s);
  link.push(packet(1500), kStart + 1s);
  EXPECT_TRUE(drain(link, kStart + 2s).empty());
  EXPECT_EQ(link.stats().lost, 1u);
}

TEST(EmulatorLink, AShorterDelayDoesNotReorder) {
  Link link = link_of("rate=100mbit delay=100ms");
  link.push(packet(1500, 1), kStart);
  link.set_delay(1ms, kStart + 10ms);
  link.push(packet(1500, 2), kStart + 10ms);
  const auto out = drain(link, kStart + 1s);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(number_of(out[0]), 1u);
  EXPECT_EQ(out[0].due, out[1].due);
}

// An IPv4 packet with ports.
std::vector<std::byte> ip_packet(int protocol, int source, int target, std::size_t size = 60) {
  std::vector<std::byte> bytes(size);
  bytes[0] = std::byte{0x45};
  bytes[9] = std::byte(protocol);
  bytes[20] = std::byte(source >> 8);
  bytes[21] = std::byte(source & 0xff);
  bytes[22] = std::byte(target >> 8);
  bytes[23] = std::byte(target & 0xff);
  return bytes;
}

TEST(EmulatorLink, DropFlowTakesOnePortForATime) {
  Link link = link_of("rate=100mbit");
  link.drop_flow(7400, 1s, kStart);
  link.push(ip_packet(6, 7400, 9), kStart + 1ms);
  link.push(ip_packet(6, 9, 7400), kStart + 2ms);
  link.push(ip_packet(6, 9, 7401), kStart + 3ms);  // passes
  link.push(ip_packet(1, 9, 7400), kStart + 3ms);  // no TCP: passes
  link.push(ip_packet(6, 9, 7400), kStart + 1s);   // over: passes
  EXPECT_EQ(drain(link, kStart + 2s).size(), 3u);
  EXPECT_EQ(link.stats().flow_drops, 2u);
}

TEST(EmulatorLink, ALinkWithoutUdpPassesTheRest) {
  Link link = link_of("office-tcp-only");
  link.push(ip_packet(17, 1, 2), kStart);
  link.push(ip_packet(6, 1, 2), kStart);
  link.push({}, kStart);
  link.push(std::vector<std::byte>(3, std::byte{0x45}), kStart);
  EXPECT_EQ(drain(link, kStart + 1s).size(), 3u);
  EXPECT_EQ(link.stats().udp_drops, 1u);
}

TEST(EmulatorLink, OfUdpAloneLittlePassesOrForAWhileNone) {
  Link link = link_of("rate=100mbit udp=300kbit udp-outage=2s+1s");
  // 800 kbit/s of either.
  for (std::uint32_t i = 0; i < 300; ++i) {
    const Timestamp now = kStart + i * 10ms;
    link.push(ip_packet(17, 1, 2, 500), now);
    link.push(ip_packet(17, 1, 2, 500), now);
    link.push(ip_packet(6, 1, 2, 1000), now);
  }
  const LinkStats stats = link.stats();
  const auto out = drain(link, kStart + 10s);
  EXPECT_EQ(out.size() + stats.udp_drops, 900u);
  std::size_t udp = 0;
  for (const Packet& p : out) {
    if (flow_of(p.bytes).transport != Transport::kUdp) continue;
    ++udp;
    EXPECT_FALSE(p.due > kStart + 2001ms && p.due < kStart + 3s);
  }
  EXPECT_EQ(out.size() - udp, 300u);
  // Two seconds at 75 packets a second, and what may pass at once.
  EXPECT_NEAR(static_cast<double>(udp), 150 + 6, 2);
}

TEST(EmulatorLink, SomeComeLaterAndSomeTwice) {
  constexpr std::uint32_t kPackets = 10'000;
  Link link = link_of("rate=12mbit delay=5ms reorder=2%+20ms duplicate=1% seed=3");
  std::vector<std::uint32_t> came;
  Timestamp last = kStart;
  const auto take = [&](Timestamp now) {
    while (const auto p = link.pop(now)) {
      EXPECT_GE(p->due, last) << "never out of the order of their times";
      last = p->due;
      came.push_back(number_of(*p));
    }
  };
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    link.push(packet(1500, i), kStart + i * 1ms);
    take(std::min(kStart + i * 1ms, link.next_event()));
  }
  while (link.next_event() != kNever) take(link.next_event());
  const LinkStats stats = link.stats();
  EXPECT_NEAR(static_cast<double>(stats.duplicated), 100, 40);
  EXPECT_NEAR(static_cast<double>(stats.reordered), 200, 60);
  EXPECT_EQ(came.size(), kPackets + stats.duplicated);
  std::size_t falls = 0;
  for (std::size_t i = 1; i < came.size(); ++i) falls += came[i] < came[i - 1] ? 1 : 0;
  EXPECT_GT(falls, stats.reordered / 2);
  std::ranges::sort(came);
  came.erase(std::unique(came.begin(), came.end()), came.end());
  EXPECT_EQ(came.size(), kPackets) << "each has come";
}

TEST(EmulatorLink, APolicerLetsItsBurstAndItsRateThrough) {
  Link link = link_of("rate=100mbit queue=1MiB police=1200kbit+15kB");
  for (std::uint32_t i = 0; i < 1000; ++i) link.push(packet(1500, i), kStart + i * 1ms);
  // 15 kB at once, and 150 kB in the second: a tenth of 1.5 MB, whole packets.
  EXPECT_EQ(drain(link, kStart + 2s).size(), 110u);
  EXPECT_EQ(link.stats().policed, 890u);
  EXPECT_EQ(link.stats().queue_drops, 0u);
}

TEST(EmulatorLink, WhatIsAggregatedComesTogetherAndInOrder) {
  Link link = link_of("rate=12mbit delay=7ms aggregate=10ms queue=1MiB");
  for (std::uint32_t i = 0; i < 100; ++i) link.push(packet(1500, i), kStart + i * 2ms);
  std::uint32_t next = 0;
  Duration most{};
  for (const Packet& p : drain(link, kStart + 1s)) {
    EXPECT_EQ((p.due - kStart) % Duration(10ms), Duration{});
    EXPECT_EQ(number_of(p), next++);
    const Duration took = p.due - p.arrived - 7ms - 1ms;  // and its transmission
    EXPECT_GE(took, Duration{});
    most = std::max(most, took);
  }
  EXPECT_EQ(next, 100u);
  EXPECT_LE(most, Duration(10ms));
}

TEST(EmulatorLink, AFlowsLongerWayIsItsOwn) {
  DirectionSpec spec = spec_of("rate=12mbit delay=5ms queue=1MiB").up;
  spec.longer_ways = {{7000, 95ms}};
  Link link(spec, kStart);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const Timestamp now = kStart + i * 10ms;
    link.push(ip_bytes({.target_port = i % 2 == 0 ? 7000u : 2000u, .size = 1500}), now);
    link.push(packet(1500), now);  // no IP at all
  }
  std::vector<Duration> took;
  for (const Packet& p : drain(link, kStart + 1s)) took.push_back(p.due - p.arrived);
  std::ranges::sort(took);
  ASSERT_EQ(took.size(), 20u);
  EXPECT_LE(took[14], Duration(7ms));
  EXPECT_EQ(took[15], Duration(101ms));
  EXPECT_EQ(took[19], Duration(101ms));
}

TEST(EmulatorLink, FlowsAreReadWithinThePacketOnly) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> bytes(random() % 80);
    for (std::byte& b : bytes) b = std::byte(random() & 0xff);
    if (!bytes.empty()) bytes[0] = std::byte((random() & 1 ? 0x40 : 0x60) | (random() & 0xf));
    const Flow flow = flow_of(bytes);
    EXPECT_TRUE(flow.source_port == 0 || flow.transport != Transport::kOther);
  }
}

}  // namespace
}  // namespace qvid::lab
