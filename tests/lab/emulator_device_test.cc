// The emulator with real devices, sockets and processes. Skipped where there is no root or no TUN.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "lab/emulator/emulator.h"
#include "lab/emulator/link_spec.h"
#include "lab/emulator/unique_fd.h"

namespace qvid::lab {
namespace {

constexpr std::size_t kHeaders = 28;  // IPv4 and UDP
constexpr std::size_t kPayload = 1472;
constexpr std::uint16_t kPort = 9000;

// A UDP socket in a namespace, bound, that does not block.
class Udp {
 public:
  Udp(const NetNamespace& where, std::uint16_t port) {
    where.run(
        [&] { fd_ = UniqueFd(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); });
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_port = htons(port);
    EXPECT_EQ(bind(fd_.get(), reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
    const int buffer = 4 << 20;
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
    setsockopt(fd_.get(), SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer);
  }

  // Carries the time of sending.
  bool send(const char* address, std::uint16_t port, std::size_t size = kPayload) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, address, &to.sin_addr);
    std::array<char, kPayload> bytes{};
    const Timestamp now = steady_now();
    std::memcpy(bytes.data(), &now, sizeof now);
    return sendto(fd_.get(), bytes.data(), size, 0, reinterpret_cast<sockaddr*>(&to), sizeof to) ==
           static_cast<ssize_t>(size);
  }

  struct Received {
    Duration delay{};
    std::size_t size = 0;
  };
  // The next, waiting for it until `deadline`.
  std::optional<Received> receive(Timestamp deadline) {
    for (;;) {
      std::array<char, kPayload> bytes;
      const ssize_t got = recv(fd_.get(), bytes.data(), bytes.size(), 0);
      const Timestamp now = steady_now();
      if (got >= static_cast<ssize_t>(sizeof now)) {
        Timestamp sent;
        std::memcpy(&sent, bytes.data(), sizeof sent);
        return Received{now - sent, static_cast<std::size_t>(got)};
      }
      if (now >= deadline) return std::nullopt;
      pollfd polled{fd_.get(), POLLIN, 0};
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now);
      poll(&polled, 1, static_cast<int>(left.count()));
    }
  }

 private:
  UniqueFd fd_;
};

Duration median(std::vector<Duration> values) {
  if (values.empty()) return Duration::max();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class EmulatorDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_for_emulator(); !missing.empty()) {
      GTEST_SKIP() << missing;
    }
  }
  static std::unique_ptr<Emulator> open(const std::string& words) {
    const auto spec = parse_link(words);
    EXPECT_TRUE(spec);
    auto emulator = Emulator::open(*spec);
    emulator->start();
    return emulator;
  }
};

TEST_F(EmulatorDevice, AnIdleRoundTripIsTwiceTheDelay) {
  const auto emulator = open("rate=16mbit delay=15ms");
  Udp near(emulator->near(), kPort);
  Udp far(emulator->far(), kPort);
  std::vector<Duration> round_trips;
  for (int i = 0; i < 30; ++i) {
    const Timestamp begin = steady_now();
    ASSERT_TRUE(near.send(kFarAddress, kPort, 72));
    ASSERT_TRUE(far.receive(begin + 2s));
    ASSERT_TRUE(far.send(kNearAddress, kPort, 72));
    ASSERT_TRUE(near.receive(begin + 2s));
    round_trips.push_back(steady_now() - begin);
  }
  constexpr Duration kExact = 30ms + 100us;  // and 100 bytes at 16 Mbit/s, both ways
  // The shortest of them: on a busy machine this thread is late more often than the link.
  const Duration shortest = *std::min_element(round_trips.begin(), round_trips.end());
  EXPECT_GE(shortest, kExact);
  EXPECT_LT(shortest, kExact + 1ms);
  EXPECT_LT(emulator->report().up.lateness.percentile(0.1), 1ms);
}

struct Flood {
  DataRate rate;     // of IP packets that arrived, in the last four fifths of the time
  Duration delay{};  // median in the same time
};

// Sends 1.2 times the rate for a while.
Flood flood(const Emulator& emulator, DataRate rate, Duration length) {
  Udp near(emulator.near(), kPort);
  Udp far(emulator.far(), kPort);
  const Timestamp begin = steady_now();
  const Timestamp settled = begin + length / 5;
  std::int64_t sent = 0;
  std::optional<Timestamp> first;
  Timestamp last;
  ByteCount bytes;
  std::vector<Duration> delays;
  for (Timestamp now = begin; now < begin + length; now = steady_now()) {
    const std::int64_t allowed = rate.bytes_in((now - begin) * 6 / 5).value() / 1500;
    for (; sent < allowed; ++sent) near.send(kFarAddress, kPort);
    while (const auto got = far.receive(std::min(now + 1ms, begin + length))) {
      const Timestamp at = steady_now();
      if (at < settled) continue;
      if (first) bytes += ByteCount::of(got->size + kHeaders);
      if (!first) first = at;
      last = at;
      delays.push_back(got->delay);
      if (at > now + 1ms) break;
    }
  }
  return {first ? DataRate::of(bytes, last - *first) : DataRate(), median(std::move(delays))};
}

// Where the machine is busy this thread sends or reads too late: of a few goes, the one that is
// nearest to the rate.
Flood best_flood(const Emulator& emulator, DataRate rate, Duration length) {
  constexpr int kGoes = 5;
  const auto off = [&](const Flood& f) { return std::abs(f.rate.mbps() / rate.mbps() - 1); };
  Flood best = flood(emulator, rate, length);
  for (int go = 1; go < kGoes && off(best) > 0.02; ++go) {
    const Flood next = flood(emulator, rate, length);
    if (off(next) < off(best)) best = next;
  }
  return best;
}

TEST_F(EmulatorDevice, RateAndFullQueueAreAsSaid) {
  const auto emulator = open("rate=16mbit delay=15ms queue=60ms");
  const Flood result = best_flood(*emulator, DataRate::from_kbps(16'000), 2500ms);
  EXPECT_NEAR(result.rate.mbps(), 16, 16 * 0.03);
  EXPECT_NEAR(to_ms(result.delay), 75.4, 3);
  const LinkReport report = emulator->report();
  EXPECT_GT(report.up.queue_drops, 0u);
  EXPECT_LE(report.up.max_queue, 120'000_B);
  EXPECT_EQ(report.refused_by_kernel, 0u);
}

TEST_F(EmulatorDevice, AHundredMegabits) {
  const auto emulator = open("rate=100mbit delay=5ms queue=20ms");
  const Flood result = best_flood(*emulator, DataRate::from_kbps(100'000), 2500ms);
  EXPECT_NEAR(result.rate.mbps(), 100, 100 * 0.03);
  EXPECT_NEAR(to_ms(result.delay), 25, 3);
}

TEST_F(EmulatorDevice, TheRateChangesWhileItRuns) {
  const auto emulator = open("rate=16mbit queue=30kB");
  emulator->set_rate(DataRate::from_kbps(4000), Way::kUp);
  EXPECT_NEAR(best_flood(*emulator, DataRate::from_kbps(4000), 1500ms).rate.mbps(), 4, 4 * 0.1);
}

TEST_F(EmulatorDevice, LossIsAsOftenAsSaid) {
  const auto emulator = open("rate=100mbit delay=1ms queue=1s loss=10%");
  Udp near(emulator->near(), kPort);
  Udp far(emulator->far(), kPort);
  constexpr int kPackets = 2000;
  for (int i = 0; i < kPackets; ++i) ASSERT_TRUE(near.send(kFarAddress, kPort, 100));
  int received = 0;
  while (far.receive(steady_now() + 300ms)) ++received;
  EXPECT_EQ(emulator->report().up.lost, static_cast<std::uint64_t>(kPackets - received));
  EXPECT_NEAR(kPackets - received, 200, 4 * std::sqrt(kPackets * 0.1 * 0.9));
}

TEST_F(EmulatorDevice, AnOutageHoldsBackAndDropFlowTakesAway) {
  const auto emulator = open("rate=100mbit delay=1ms");
  Udp near(emulator->near(), kPort);
  Udp far(emulator->far(), kPort);
  Udp other(emulator->far(), kPort + 1);
  emulator->outage(300ms);
  ASSERT_TRUE(near.send(kFarAddress, kPort));
  const auto late = far.receive(steady_now() + 3s);
  ASSERT_TRUE(late);
  EXPECT_GT(late->delay, 295ms);
  EXPECT_LT(late->delay, 2s);

  emulator->drop_flow(kPort + 1, 300ms);
  const Timestamp until = steady_now() + 300ms;
  ASSERT_TRUE(near.send(kFarAddress, kPort + 1));
  ASSERT_TRUE(near.send(kFarAddress, kPort));
  EXPECT_TRUE(far.receive(steady_now() + 3s)) << "another port is not meant";
  EXPECT_FALSE(other.receive(until));
  ASSERT_TRUE(near.send(kFarAddress, kPort + 1));
  EXPECT_TRUE(other.receive(steady_now() + 3s)) << "the time is over";
  EXPECT_EQ(emulator->report().up.flow_drops, 1u);
}

TEST_F(EmulatorDevice, StatisticsCountAnewFromAReset) {
  const auto emulator = open("rate=100mbit delay=1ms");
  Udp near(emulator->near(), kPort);
  Udp far(emulator->far(), kPort);
  ASSERT_TRUE(near.send(kFarAddress, kPort));
  ASSERT_TRUE(far.receive(steady_now() + 3s));
  const LinkReport before = emulator->report();
  EXPECT_EQ(before.up.delivered, 1u);
  emulator->reset_stats();
  const Timestamp reset = steady_now();
  LinkReport report = emulator->report();
  EXPECT_EQ(report.up.packets, 0u);
  EXPECT_EQ(report.up.delivered, 0u);
  EXPECT_LT(report.running, before.running);
  ASSERT_TRUE(near.send(kFarAddress, kPort));
  ASSERT_TRUE(far.receive(steady_now() + 3s));
  emulator->stop();
  report = emulator->report();
  EXPECT_EQ(report.up.delivered, 1u);
  EXPECT_LE(report.running, steady_now() - reset + 100ms);
  emulator->reset_stats();  // of a stopped one: nothing, in no time
  EXPECT_EQ(emulator->report().running, Duration::zero());
  EXPECT_EQ(emulator->report().up.delivered, 0u);
}

TEST_F(EmulatorDevice, TwoEmulatorsDoNotMeet) {
  const auto one = open("rate=10mbit");
  const auto two = open("rate=10mbit");
  EXPECT_NE(one->near().name(), two->near().name());
  Udp near(one->near(), kPort);
  Udp far(two->far(), kPort);
  ASSERT_TRUE(near.send(kFarAddress, kPort));
  EXPECT_FALSE(far.receive(steady_now() + 100ms));
}

TEST_F(EmulatorDevice, NothingOutlivesIt) {
  std::string near;
  std::string far;
  {
    const auto emulator = open("rate=10mbit");
    near = emulator->near().path();
    far = emulator->far().path();
    EXPECT_TRUE(std::filesystem::exists(near));
  }
  EXPECT_FALSE(std::filesystem::exists(near));
  EXPECT_FALSE(std::filesystem::exists(far));
}

TEST_F(EmulatorDevice, NamespacesOfDeadProcessesAreRemoved) {
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  ASSERT_EQ(waitpid(dead, nullptr, 0), dead);
  // An emulator of another process may remove it as soon as it is there.
  std::optional<NetNamespace> stale;
  try {
    stale.emplace("qvid-lab-" + std::to_string(dead) + "-0-near");
  } catch (const std::exception& gone) {
    GTEST_SKIP() << gone.what();
  }
  const NetNamespace foreign("qvid-other");
  const auto emulator = open("rate=10mbit");
  EXPECT_FALSE(std::filesystem::exists(stale->path()));
  EXPECT_TRUE(std::filesystem::exists(foreign.path()));
}

}  // namespace
}  // namespace qvid::lab
