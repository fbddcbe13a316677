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
#include "tests/lab/ip_packets.h"

namespace qvid::lab {
namespace {

constexpr Timestamp kStart{1000s};

LinkSpec spec_of(const std::string& words) {
  auto spec = parse_link(words);
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return spec ? *spec : LinkSpec{};
}

Link link_of(const std::string& words) { return Link(spec_of(words).up, kStart); }

// A packet that carries its number, and is no IP: no queue marks it.
std::vector<std::byte> packet(std::size_t size, std::uint32_t number = 0) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < 4 && 4 + i < size; ++i) {
    bytes[4 + i] = std::byte(number >> (8 * i) & 0xff);
  }
  return bytes;
}

std::uint32_t number_of(const Packet& p) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number |= std::to_integer<std::uint32_t>(p.bytes[4 + i]) << (8 * i);
  }
  return number;
}

// All that come out by `end`, taken when the link says that something may happen.
std::vector<Packet> drain(Link& link, Timestamp end) {
  std::vector<Packet> out;
  for (Timestamp next = link.next_event(); next <= end; next = link.next_event()) {
    while (auto p = link.pop(next)) out.push_back(*std::move(p));
  }
  return out;
}

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
std::vector<std::byte> ip_packet(int protocol, int source, int target) {
  std::vector<std::byte> bytes(60);
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

struct Arrival {
  Timestamp at;
  std::size_t size;
};

std::vector<Arrival> random_arrivals(std::mt19937_64& random) {
  std::vector<Arrival> arrivals;
  Timestamp at = kStart;
  for (int i = 0; i < 3000; ++i) {
    if (random() % 8 == 0) at += Duration(static_cast<std::int64_t>(random() % 20'000'000));
    arrivals.push_back({at, 40 + random() % 1461});
  }
  return arrivals;
}

// Whenever the shell gets to run, with any queue, what leaves, when it is due, and what is dropped
// are the same.
TEST(EmulatorLink, LateWakeUpsDelayPacketsAndChangeNothingElse) {
  constexpr std::array<const char*, 6> kQueues{"drop-tail", "red", "codel", "arc", "sfg", "sfa"};
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    std::mt19937_64 random(seed);
    const std::string words =
        std::string("aqm=") + kQueues[seed % 6] + " " +
        "rate=3mbit rate@1s=1mbit rate@2s=5mbit outage=1500ms+300ms every=3s delay=17ms queue=80ms "
        "loss=2%";
    const auto arrivals = random_arrivals(random);
    const auto send = [&](Duration late) {
      Link link = link_of(words);
      std::map<std::uint32_t, Timestamp> due;
      Timestamp next_wake = kStart;
      const auto take = [&](Timestamp now) {
        while (const auto p = link.pop(now)) {
          EXPECT_LE(p->due, now);
          EXPECT_TRUE(due.emplace(number_of(*p), p->due).second);
        }
      };
      for (std::uint32_t i = 0; i < arrivals.size(); ++i) {
        link.push(packet(arrivals[i].size, i), arrivals[i].at);
        if (late > Duration::zero()) {
          if (arrivals[i].at < next_wake) continue;
          next_wake = arrivals[i].at + Duration(static_cast<std::int64_t>(
                                           random() % static_cast<std::uint64_t>(late.count())));
        }
        take(arrivals[i].at);
      }
      take(arrivals.back().at + 3600s);
      EXPECT_EQ(link.next_event(), kNever);
      const LinkStats s = link.stats();
      EXPECT_EQ(s.packets, s.delivered + s.queue_drops + s.lost);
      EXPECT_GT(s.queue_drops, 0u);
      return due;
    };
    const auto exact = send(Duration::zero());
    EXPECT_EQ(exact, send(200ms)) << "seed " << seed;
    EXPECT_EQ(exact, send(2s)) << "seed " << seed;
  }
}

TEST(EmulatorLink, LatenessIsCounted) {
  Link link = link_of("rate=1mbit delay=10ms");
  link.push(packet(1500), kStart);
  ASSERT_TRUE(link.pop(kStart + 25ms));  // due at 22
  const LinkStats stats = link.stats();
  EXPECT_EQ(stats.lateness.count(), 1u);
  EXPECT_EQ(stats.lateness.most(), 3ms);
  EXPECT_EQ(stats.lateness.percentile(0.5), 3ms);
}

TEST(EmulatorLink, StatisticsCountAnewFromAReset) {
  Link link = link_of("rate=1mbit delay=10ms queue=3000B");
  for (std::uint32_t i = 0; i < 5; ++i) link.push(packet(1500, i), kStart);  // 2 do not fit
  EXPECT_EQ(link.stats().queue_drops, 2u);
  EXPECT_EQ(drain(link, kStart + 30ms).size(), 1u);  // due at 22, 34 and 46 ms

  link.reset_stats(kStart + 30ms);
  LinkStats stats = link.stats();
  EXPECT_EQ(stats.packets, 0u);
  EXPECT_EQ(stats.bytes, 0u);
  EXPECT_EQ(stats.delivered, 0u);
  EXPECT_EQ(stats.queue_drops, 0u);
  EXPECT_EQ(stats.waiting.count(), 0u);
  EXPECT_EQ(stats.lateness.count(), 0u);
  EXPECT_EQ(stats.max_queue, 0_B) << "what waits at the reset: the third is being sent";

  for (std::uint32_t i = 5; i < 9; ++i) link.push(packet(1500, i), kStart + 31ms);
  EXPECT_EQ(drain(link, kStart + 1s).size(), 4u);
  stats = link.stats();
  EXPECT_EQ(stats.packets, 4u);
  EXPECT_EQ(stats.bytes, 6000u);
  EXPECT_EQ(stats.delivered, 4u) << "two from before the reset, and two that fitted";
  EXPECT_EQ(stats.queue_drops, 2u);
  EXPECT_EQ(stats.max_queue, 3000_B);
  // The two begin at 36 and 48 ms.
  EXPECT_EQ(stats.waiting.count(), 2u);
  EXPECT_EQ(stats.waiting.mean(), 11ms);
  EXPECT_EQ(stats.waiting.most(), 17ms);
}

TEST(EmulatorLink, MarksAreCountedAnewToo) {
  Link link = link_of("rate=1mbit queue=1s aqm=codel");
  const auto send = [&](Timestamp from) {
    for (int i = 0; i < 600; ++i) {  // 1.2 Mbit/s
      link.push(ip_bytes({.ecn = Ecn::kCapable0, .size = 1500}), from + i * Duration(10ms));
      while (link.pop(from + i * Duration(10ms))) {
      }
    }
  };
  send(kStart);
  const std::uint64_t before = link.stats().queue_marks;
  EXPECT_GT(before, 10u);
  link.reset_stats(kStart + 6s);
  EXPECT_EQ(link.stats().queue_marks, 0u);
  send(kStart + 6s);
  EXPECT_GT(link.stats().queue_marks, before) << "the bad time goes on";
}

// What a queue learns of its link's rate.
TEST(EmulatorLink, TheQueueIsToldTheCapacity) {
  class Told : public DropTail {
   public:
    explicit Told(std::vector<std::pair<DataRate, Timestamp>>& told)
        : DropTail(1_MiB), told_(told) {}
    void set_capacity(DataRate capacity, Timestamp now) override {
      told_.emplace_back(capacity, now);
    }

   private:
    std::vector<std::pair<DataRate, Timestamp>>& told_;
  };
  using Tellings = std::vector<std::pair<DataRate, Timestamp>>;
  const auto kbps = [](std::int64_t n) { return DataRate::from_kbps(n); };
  const auto told_by = [&](const DirectionSpec& spec, auto&& use) {
    Tellings told;
    Link link(spec, std::make_unique<Told>(told), kStart);
    use(link);
    return told;
  };
  // Packets end at 12, 34 (10 ms of outage), 46 and 54 ms; the outage is no other rate.
  const auto steps = spec_of("rate=1mbit rate@50ms=2mbit outage=20ms+10ms").up;
  EXPECT_EQ(told_by(steps,
                    [](Link& link) {
                      for (int i = 0; i < 10; ++i) link.push(packet(1500), kStart);
                      drain(link, kStart + 1s);
                    }),
            (Tellings{{kbps(1000), kStart}, {kbps(2000), kStart + 54ms}}));
  // At rest: with the next packet. A looking shell does not change that.
  for (const bool looks : {false, true}) {
    EXPECT_EQ(told_by(steps,
                      [&](Link& link) {
                        if (looks) link.pop(kStart + 60ms);
                        link.push(packet(1500), kStart + 70ms);
                      }),
              (Tellings{{kbps(1000), kStart}, {kbps(2000), kStart + 70ms}}));
  }
  EXPECT_EQ(told_by(steps, [&](Link& link) { link.set_rate(kbps(300), kStart + 5ms); }),
            (Tellings{{kbps(1000), kStart}, {kbps(300), kStart + 5ms}}));
  // A trace of which only the mean is a rate.
  DirectionSpec trace = steps;
  trace.schedule = steps.schedule.with_capacity(kbps(1500));
  EXPECT_EQ(told_by(trace,
                    [](Link& link) {
                      for (int i = 0; i < 10; ++i) link.push(packet(1500), kStart);
                      drain(link, kStart + 1s);
                    }),
            (Tellings{{kbps(1500), kStart}}));
}

// Any order of calls: packets leave in order, none twice, no time goes back, all are accounted for.
TEST(EmulatorLink, RandomUseKeepsItsInvariants) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    Link link = link_of("rate=2mbit rate@300ms=500kbit outage=1s+200ms every=2s queue=9kB loss=3%");
    Timestamp now = kStart;
    Timestamp last_due = kStart;
    std::uint32_t next = 0;
    std::int64_t last = -1;
    for (int i = 0; i < 4000; ++i) {
      now += Duration(below(3'000'000));
      switch (random() % 12) {
        case 0: link.set_rate(DataRate::from_kbps(1 + below(100'000)), now); break;
        case 1: link.set_delay(Duration(below(100'000'000)), now); break;
        case 2: link.outage(Duration(below(20'000'000)), now); break;
        case 3: link.drop_flow(static_cast<std::uint16_t>(random()), 10ms, now); break;
        default: link.push(packet(8 + random() % 1493, next++), now);
      }
      // A clock that goes back does no harm.
      if (random() % 50 == 0) link.push(packet(100, next++), now - 1s);
      while (const auto p = link.pop(now)) {
        EXPECT_GT(static_cast<std::int64_t>(number_of(*p)), last);
        last = number_of(*p);
        EXPECT_GE(p->due, last_due);
        EXPECT_LE(p->due, now);
        last_due = p->due;
      }
      EXPECT_GT(link.next_event(), now);
    }
    while (link.pop(now + 3600s)) {
    }
    const LinkStats s = link.stats();
    EXPECT_EQ(s.packets, next);
    EXPECT_EQ(s.packets, s.delivered + s.queue_drops + s.lost + s.flow_drops);
    EXPECT_LE(s.max_queue, 9000_B);
  }
}

TEST(EmulatorLink, MemoryInFlightIsBounded) {
  Link link = link_of("rate=1gbit delay=10s queue=32MiB");
  const auto limit = static_cast<std::uint32_t>(Link::kMaxPipe.value() / 1500);
  Timestamp now = kStart;
  for (std::uint32_t i = 0; i < limit + 100; ++i) link.push(packet(1500, i), now += 12us);
  EXPECT_FALSE(link.pop(now + 1ms));
  EXPECT_GE(link.stats().pipe_overflow, 99u);
}

}  // namespace
}  // namespace qvid::lab
