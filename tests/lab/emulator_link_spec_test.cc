// What a person writes for a link, and what is said to nonsense.
#include "lab/emulator/link_spec.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "lab/emulator/arc.h"
#include "lab/emulator/codel.h"
#include "lab/emulator/drop_tail.h"
#include "lab/emulator/fq_codel.h"
#include "lab/emulator/link_command.h"
#include "lab/emulator/rate_trace.h"
#include "lab/emulator/rate_walk.h"
#include "lab/emulator/red.h"
#include "lab/emulator/sfg.h"

namespace qvid::lab {
namespace {

LinkSpec good(const std::string& words) {
  auto spec = parse_link(words);
  EXPECT_TRUE(spec) << words << ": " << (spec ? "" : spec.error().message);
  return spec ? *spec : LinkSpec{};
}

std::string why_not(const std::string& words) {
  const auto spec = parse_link(words);
  EXPECT_FALSE(spec) << words;
  return spec ? "" : spec.error().message;
}

std::int64_t kbps_at(const DirectionSpec& spec, Duration time) {
  return spec.schedule.at(time).rate.bps() / 1000;
}

TEST(EmulatorLinkSpec, EveryWordIsRead) {
  const LinkSpec link = good(
      "rate=2mbit delay=20ms queue=1s loss=0.5% outage=10s+20s rate@30s=600kbit seed=7 udp=drop");
  for (const DirectionSpec* d : {&link.up, &link.down}) {
    EXPECT_EQ(kbps_at(*d, 0s), 2000);
    EXPECT_EQ(kbps_at(*d, 9'999ms), 2000);
    EXPECT_EQ(kbps_at(*d, 10s), 0);
    EXPECT_EQ(kbps_at(*d, 29'999ms), 0);
    EXPECT_EQ(kbps_at(*d, 30s), 600);
    EXPECT_EQ(kbps_at(*d, 1h), 600);
    EXPECT_EQ(d->delay, 20ms);
    EXPECT_EQ(d->queue_limit, 250'000_B);
    EXPECT_DOUBLE_EQ(d->loss, 0.005);
    EXPECT_TRUE(d->udp.drop);
  }
  EXPECT_EQ(link.up.seed, 7u);
}

TEST(EmulatorLinkSpec, DirectionsMayDiffer) {
  const LinkSpec link = good("delay=15ms down:rate=16mbit up:rate=1mbit up:queue=64KiB queue=30kB");
  EXPECT_EQ(kbps_at(link.down, 0s), 16'000);
  EXPECT_EQ(kbps_at(link.up, 0s), 1000);
  EXPECT_EQ(link.up.delay, 15ms);
  EXPECT_EQ(link.up.queue_limit, 30'000_B) << "the later word counts";
}

TEST(EmulatorLinkSpec, AQueueOfTimeIsMeasuredByTheFirstRateInWhateverOrder) {
  EXPECT_EQ(good("queue=60ms rate=16mbit rate@1s=1mbit").up.queue_limit, 120'000_B);
  EXPECT_EQ(good("rate=16mbit").up.queue_limit, 200'000_B) << "100 ms unless said otherwise";
  EXPECT_EQ(good("rate=10kbit").up.queue_limit, 3000_B) << "two packets at least";
}

TEST(EmulatorLinkSpec, ADisciplineIsChosenForEachDirection) {
  EXPECT_EQ(good("rate=2mbit").up.discipline, Discipline::kDropTail);
  const LinkSpec link = good("lte aqm=codel up:aqm=sfa");
  EXPECT_EQ(link.up.discipline, Discipline::kSfa);
  EXPECT_EQ(link.down.discipline, Discipline::kCodel);
  EXPECT_EQ(good("aqm=arc aqm=drop-tail").up.discipline, Discipline::kDropTail);

  const auto is = [](const std::string& words, auto* type) {
    const auto queue = make_queue(good(words).up);
    return dynamic_cast<decltype(type)>(queue.get()) != nullptr;
  };
  EXPECT_TRUE(is("aqm=drop-tail", static_cast<DropTail*>(nullptr)));
  EXPECT_TRUE(is("aqm=red", static_cast<Red*>(nullptr)));
  EXPECT_TRUE(is("aqm=codel", static_cast<Codel*>(nullptr)));
  EXPECT_TRUE(is("aqm=fq-codel", static_cast<FqCodel*>(nullptr)));
  EXPECT_TRUE(is("aqm=arc", static_cast<Arc*>(nullptr)));
  EXPECT_TRUE(is("aqm=sfg", static_cast<Sfg*>(nullptr)));
  EXPECT_TRUE(is("aqm=sfa", static_cast<Sfg*>(nullptr)));
  EXPECT_FALSE(make_queue(good("aqm=sfg").up)->notification_probability());
}

TEST(EmulatorLinkSpec, TheCapacityIsTheRateWithoutOutages) {
  const LinkSpec link = good("rate=3mbit rate@6s=1mbit outage=4s+300ms every=10s");
  const auto kbps = [&](Duration at) { return link.up.schedule.capacity(at).bps() / 1000; };
  EXPECT_EQ(kbps(0s), 3000);
  EXPECT_EQ(kbps(4100ms), 3000);
  EXPECT_EQ(kbps(6s), 1000);
  EXPECT_EQ(kbps(10s), 3000);
  EXPECT_EQ(kbps(19s), 1000);
  EXPECT_EQ(link.up.schedule.with_rate(DataRate::from_kbps(7)).capacity(8s).bps(), 7000);
}

TEST(EmulatorLinkSpec, ATracesCapacityIsItsMean) {
  const std::string path = testing::TempDir() + "capacity_trace_" + std::to_string(getpid());
  std::ofstream(path) << "1\n1\n10\n";  // 3 packets of 1500 bytes in 10 ms
  for (const Duration at : {Duration(0ms), Duration(500us), Duration(5ms), Duration(1s)}) {
    EXPECT_EQ(good("trace=" + path).up.schedule.capacity(at).bps(), 3'600'000);
    EXPECT_EQ(good("trace=" + path + " rate=1mbit every=0s").up.schedule.capacity(at).bps(),
              1'000'000);
  }
  std::filesystem::remove(path);
}

TEST(EmulatorLinkSpec, AWalkHasAboutItsMeanAndRestsAtTimes) {
  const DataRate mean = DataRate::from_kbps(10'000);
  double sum = 0;
  std::size_t rests = 0;
  std::size_t steps = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const RateStep& step : walked(mean, DataRate::from_kbps(2400), seed)) {
      EXPECT_LE(step.rate.bps(), 20'000'000);
      sum += static_cast<double>(step.rate.bps());
      rests += step.rate == DataRate();
      ++steps;
    }
  }
  EXPECT_NEAR(sum / static_cast<double>(steps), 1e7, 1.5e6);
  EXPECT_GT(rests, 0u);
  EXPECT_LT(rests, steps / 10);
  const LinkSpec link = good("cellular seed=3");
  EXPECT_EQ(link.down.schedule.capacity(7s).bps(), 10'000'000) << "a discipline knows the mean";
  EXPECT_NE(kbps_at(link.down, 7s), kbps_at(good("cellular seed=4").down, 7s));
  EXPECT_EQ(kbps_at(link.down, 7s), kbps_at(good("cellular seed=3").down, 7s));
  EXPECT_EQ(kbps_at(good("cellular rate=5mbit").down, 7s), 5000);
  const LinkSpec alike = good("rate=4mbit walk=1mbit");
  EXPECT_NE(kbps_at(alike.up, 7s), kbps_at(alike.down, 7s));
  // However slow the line, it comes back from nothing.
  std::size_t at_nothing = 0;
  for (const RateStep& step : walked(DataRate::from_kbps(20), DataRate::from_kbps(5), 1)) {
    at_nothing += step.rate == DataRate();
  }
  EXPECT_LT(at_nothing, 3000u);
}

TEST(EmulatorLinkSpec, APolicersBurstIsATenthOfASecondWhereNoneIsSaid) {
  EXPECT_EQ(good("police=4mbit").up.policer->burst, 50'000_B);
  EXPECT_EQ(good("police=4mbit+9kB").up.policer->burst, 9'000_B);
  EXPECT_FALSE(good("policed police=none").up.policer);
}

TEST(EmulatorLinkSpec, NamedLinksCanBeChanged) {
  for (const NamedLink& named : named_links()) good(std::string(named.name));
  const LinkSpec link = good("lte rate=5mbit loss=1% outage=none every=0s");
  EXPECT_EQ(link.up.schedule.at(0s).until, Duration::max());
  EXPECT_EQ(kbps_at(link.down, 13s), 5000);
  EXPECT_EQ(link.down.delay, 25ms);
  EXPECT_TRUE(good("office-tcp-only").down.udp.drop);
}

TEST(EmulatorLinkSpec, ARepeatedScheduleBeginsAgain) {
  const LinkSpec link = good("rate=3mbit rate@6s=1mbit outage=4s+300ms every=10s");
  EXPECT_EQ(kbps_at(link.up, 14'299ms), 0);
  EXPECT_EQ(kbps_at(link.up, 14'300ms), 3000);
  EXPECT_EQ(kbps_at(link.up, 19s), 1000);
  EXPECT_EQ(kbps_at(link.up, 20s), 3000);
  EXPECT_EQ(link.up.schedule.at(19s).until, 20s);
}

TEST(EmulatorLinkSpec, NonsenseIsExplained) {
  const auto says = [](const std::string& words, const std::string& part) {
    const std::string why = why_not(words);
    EXPECT_NE(why.find(part), std::string::npos) << words << ": " << why;
  };
  says("", "the link is empty");
  says("   ", "the link is empty");
  says("rate=2mbits", "'2mbits' is no rate");
  says("rate=5", "kbit, mbit or gbit");
  says("rate=0mbit", "1kbit to 1gbit");
  says("rate=2gbit", "1kbit to 1gbit");
  says("rate=-2mbit", "is no rate");
  says("rate=nanmbit", "is no rate");
  says("rate=infmbit", "is no rate");
  says("delay=20", "in 'delay=20'");
  says("delay=11s", "at most 10s");
  says("delay=1e300s", "is no time");
  says("loss=200%", "0% to 100%");
  says("loss=-1", "0% to 100%");
  says("queue=lots", "a time (60ms, at the first rate) or a size (120kB)");
  says("queue=10B", "at least one packet");
  says("queue=1GB", "is no queue limit");
  says("queue=40MiB", "at most 32MiB");
  says("outage=5s", "outage=WHEN+LENGTH");
  says("outage=5s+", "is no time");
  says("rate@x=3mbit", "'x' is no time");
  says("banana=3", "there are rate, rate@TIME");
  says("up:banana=3", "in 'up:banana=3'");
  says("wifi", "there are dsl, lte");
  says("rate=1mbit lte", "comes first");
  says("seed=1.5", "whole number");
  says("udp=maybe", "udp=300kbit");
  says("udp-outage=5s", "udp-outage=10s+500ms");
  says("udp-forget=soon", "'soon' is no time");
  says("reorder=2%", "reorder=2%+20ms");
  says("reorder=2%+1min", "at most 10s");
  says("police=fast", "'fast' is no rate");
  says("police=1mbit+10B", "burst is at least one packet");
  says("aggregate=soon", "'soon' is no time");
  says("aggregate=11s", "at most 10s");
  says("rate=1mbit walk=1mbit every=3s", "walk= makes the steps itself");
  says("rate=1mbit walk=2mbit", "at most the rate");
  says("lte walk=1mbit", "walk= makes the steps itself");
  says("duplicate=often", "duplicate=often");
  says("aqm=fq",
       "'fq' is no queue discipline: there are drop-tail, red, codel, fq-codel, arc, sfg and sfa");
  says("up:aqm=", "drop-tail, red");
  says("aqm=RED", "in 'aqm=RED'");
  says("every=3s", "there are none");
  says("outage=1s+3s every=2s", "outage ends after");
  says("rate@5s=1mbit every=2s", "comes after every");
  says("trace=/nonexistent", "cannot be read");
  says("rate=\x1b[31mred", "?[31m");
  EXPECT_EQ(why_not("rate=\x1b[31mred").find('\x1b'), std::string::npos);
  std::string long_link;
  for (int i = 0; i < 300; ++i) long_link += "loss=1% ";
  says(long_link, "at most 200 words");
}

TEST(EmulatorLinkSpec, RandomWordsDoNoHarm) {
  const std::vector<std::string> parts{"rate", "@",      "=",     "2",      "mbit",     "ms",
                                       "s",    "+",      " ",     "up:",    "lte",      "e9",
                                       "-",    "outage", "queue", "every",  "%",        "1",
                                       ".",    "\n",     "down:", "loss",   "delay",    "kB",
                                       "aqm",  "sfa",    "walk",  "police", "aggregate"};
  std::mt19937 random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) text += parts[random() % parts.size()];
    if (const auto spec = parse_link(text)) {
      EXPECT_LE(spec->up.queue_limit, kMaxQueue);
      EXPECT_LE(spec->up.delay, kMaxDelay);
    }
  }
}

TEST(EmulatorTrace, OpportunitiesBecomeTheirRate) {
  const auto trace = parse_trace("1\n2\n2\n5\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->period, 5ms);
  const RateSchedule schedule(trace->mean, trace->steps, {}, trace->period);
  EXPECT_EQ(schedule.at(0ms).rate.bps(), 12'000'000);
  EXPECT_EQ(schedule.at(1500us).rate.bps(), 24'000'000);
  EXPECT_EQ(schedule.at(2ms).rate.bps(), 0);
  EXPECT_EQ(schedule.at(4ms).rate.bps(), 12'000'000);
  EXPECT_EQ(schedule.at(5ms).rate.bps(), 12'000'000);
  EXPECT_NEAR(trace->mean.mbps(), 4 * 1500 * 8 / 5e3, 1e-6);
}

TEST(EmulatorTrace, NonsenseIsExplained) {
  EXPECT_FALSE(parse_trace(""));
  EXPECT_FALSE(parse_trace("\n\n"));
  EXPECT_FALSE(parse_trace("5\n4\n"));
  EXPECT_FALSE(parse_trace("-1\n"));
  EXPECT_FALSE(parse_trace("99999999999999999999\n"));
  const auto bad = parse_trace("1\nx\n");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("line 2"), std::string::npos);
  std::string fast;
  for (int i = 0; i < 100; ++i) fast += "3\n";
  EXPECT_FALSE(parse_trace(fast));
}

TEST(EmulatorCommand, EveryCommandIsRead) {
  const auto read = [](const std::string& line) {
    const auto command = parse_command(line);
    EXPECT_TRUE(command && *command) << line;
    return command && *command ? **command : LinkCommand{};
  };
  EXPECT_EQ(std::get<SetRate>(read("rate 600kbit").what).rate, DataRate::from_kbps(600));
  EXPECT_EQ(read("up:delay 50ms").way, Way::kUp);
  EXPECT_EQ(read(" down:loss  1% # comment").way, Way::kDown);
  EXPECT_EQ(std::get<MakeOutage>(read("outage 20s\r").what).length, 20s);
  EXPECT_EQ(std::get<DropFlow>(read("drop-flow 7400 1s").what).port, 7400);
  EXPECT_EQ(std::get<Wait>(read("wait 2s").what).length, 2s);
  for (const char* line : {"", "   ", "# only a comment"}) {
    const auto nothing = parse_command(line);
    EXPECT_TRUE(nothing && !*nothing) << line;
  }
  for (const char* line :
       {"rate", "rate 5", "rate 5mbit 6mbit", "drop-flow 0 1s", "drop-flow 70000 1s", "drop-flow 5",
        "delay 20s", "halt", "up:", "outage x"}) {
    EXPECT_FALSE(parse_command(line)) << line;
  }
}

}  // namespace
}  // namespace qvid::lab
