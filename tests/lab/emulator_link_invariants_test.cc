// The link in virtual time: late wake-ups, counts, and what holds whatever is done with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

#include "lab/emulator/drop_tail.h"
#include "lab/emulator/link.h"
#include "tests/lab/emulator_link.h"
#include "tests/lab/ip_packets.h"

namespace qvid::lab {
namespace {

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
  constexpr std::array<const char*, 7> kQueues{"drop-tail", "red", "codel", "fq-codel",
                                               "arc",       "sfg", "sfa"};
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    std::mt19937_64 random(seed);
    const std::string words =
        std::string("aqm=") + kQueues[seed % 7] + " " +
        "rate=3mbit rate@1s=1mbit rate@2s=5mbit outage=1500ms+300ms every=3s delay=17ms queue=80ms "
        "loss=2%" +
        (seed % 3 == 0 ? " aggregate=8ms police=3mbit" : "");
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
      EXPECT_EQ(s.packets, s.delivered + s.queue_drops + s.lost + s.policed);
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
