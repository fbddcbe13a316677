// Any interleaving of calls with anything that networks do, from many seeds: each message arrives
// whole and once, or is reported cancelled or lost, and never two of these.
#include <gtest/gtest.h>

#include <random>

#include "tests/transport/call.h"

namespace paceline {
namespace {

using qvid::operator""_B;
using qvid::operator""_KiB;
using qvid::operator""min;
using qvid::operator""ms;
using qvid::operator""s;

class Storm {
 public:
  explicit Storm(unsigned seed) : random_(seed), call_(link(), config(), config()) {
    for (const Side side : {Side::kClient, Side::kServer}) end(side).streams = {kFirstStream};
  }

  void rage(int steps) {
    for (int i = 0; i < steps && !over(); ++i) {
      const Side side = pick(2) == 0 ? Side::kClient : Side::kServer;
      const int action = pick(100);
      if (action < 60) {
        use(side);
      } else if (action < 70) {
        disturb(side);
      } else {
        call_.net.run_for(pick(40) * 1ms);
      }
    }
  }
  // Whatever had happened, one of these ends comes.
  void end_well(unsigned how) {
    call_.net.failing_dials = 0;
    if (how % 4 == 0) {
      call_.net.engine(how % 8 == 0 ? Side::kClient : Side::kServer).close("done");
    } else if (how % 4 == 1) {
      call_.net.outage(std::chrono::hours(1));
    } else {
      // All that waits goes out.
      const auto quiet = [this] {
        return call_.client.ledger.all_ended() && call_.server.ledger.all_ended();
      };
      EXPECT_TRUE(call_.net.run_until(quiet, 5min));
      EXPECT_FALSE(call_.client.closed) << call_.client.closed->detail;
      EXPECT_FALSE(call_.server.closed) << call_.server.closed->detail;
      EXPECT_EQ(call_.client.ledger.count(Outcome::kLost), 0);
      EXPECT_EQ(call_.server.ledger.count(Outcome::kLost), 0);
      EXPECT_EQ(call_.net.client().signals(call_.net.now()).queued, 0_B);
      call_.net.run_for(20s + RedundantLanes::kFor);  // lanes are kept for so long
      EXPECT_GE(call_.net.channels().size(), wanted_);
      EXPECT_LE(call_.net.channels().size(), std::max<std::size_t>(wanted_, 2));
      call_.net.server().close("done");
    }
    call_.net.run_for(3min);
    EXPECT_TRUE(call_.client.closed && call_.server.closed);
    call_.client.ledger.expect_settled();
    call_.server.ledger.expect_settled();
    for (const Call::End* e : {&call_.client, &call_.server}) {
      EXPECT_NE(e->closed->reason, CloseReason::kProtocolError) << e->closed->detail;
    }
  }

 private:
  struct End {
    std::vector<StreamId> streams;
    std::vector<MessageId> ids;
  };

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class T>
  const T& any(const std::vector<T>& of) {
    return of[static_cast<std::size_t>(pick(1 << 20)) % of.size()];
  }
  LinkConfig link() {
    return {.rate = qvid::DataRate::from_kbps(500 + pick(8000)),
            .delay = pick(50) * 1ms,
            .cwnd = static_cast<std::uint32_t>(1 + pick(30)),
            .mss = ByteCount(500 + pick(1000)),
            .send_buffer = ByteCount(4096 + pick(100'000))};
  }
  // The client's, then the server's.
  SessionConfig config() {
    static constexpr const char* kControllers[] = {"pace", "adapt", "sock", "none"};
    SessionConfig config;
    config.controller.name = kControllers[pick(4)];
    config.fairness = pick(2) == 0 ? Fairness::kResource : Fairness::kQuality;
    config.send_capacity = 300_KiB;
    config.limits.max_reassembly = ByteCount(20'000 + pick(100'000));
    config.standby = static_cast<std::size_t>(pick(4));
    config.separate_directions = pick(3) != 0;
    config.small_segments = false;
    // Which of the two calls comes first is the compiler's choice: both ends have the client's.
    if (wanted_ == 0) {
      wanted_ = config.standby + (config.separate_directions ? 2 : 1);
      first_ = config;
    }
    return first_;
  }
  End& end(Side side) { return ends_[side == Side::kClient ? 0 : 1]; }
  bool over() const {
    return call_.client.closed || call_.server.closed || testing::Test::HasFailure();
  }

  void use(Side side) {
    End& e = end(side);
    SessionEngine& engine = call_.net.engine(side);
    const int action = pick(60);
    if (action < 42) {
      const auto size = static_cast<std::size_t>(pick(8) == 0 ? pick(60'000) : pick(3000));
      const Timestamp deadline =
          pick(3) == 0 ? call_.net.now() + (1 + pick(300)) * 1ms : qvid::kNever;
      // Some are as sound is.
      const bool sound = pick(4) == 0;
      const auto id = sound ? call_.send(side, static_cast<std::size_t>(pick(200)), 254,
                                         call_.net.now() + 500ms)
                            : call_.send(side, size, pick(256), deadline, any(e.streams));
      if (id) e.ids.push_back(*id);
    } else if (action < 55) {
      if (!e.ids.empty()) engine.cancel(any(e.ids));
    } else if (action < 58) {
      if (e.streams.size() < 20) e.streams.push_back(engine.open_stream(1 + pick(3)));
    } else if (e.streams.size() > 1) {
      engine.close_stream(e.streams.back());
      e.streams.pop_back();
    }
  }
  void disturb(Side side) {
    SimulatedNetwork& net = call_.net;
    const auto channels = net.channels();
    const ChannelId channel = channels.empty() ? kFirstChannel : any(channels);
    switch (pick(12)) {
      case 0: net.stall(channel, pick(1000) * 1ms); break;
      case 1: net.stall(channel, side, pick(3000) * 1ms); break;
      case 2: net.stall(net.active(side), 20s); break;
      case 3: net.cut(channel, {side}); break;
      case 4: net.cut(channel, {Side::kClient, Side::kServer}); break;
      case 5: net.cut(net.active(side), {}); break;
      case 6:
        if (pick(4) == 0) net.cut_all({side});
        break;
      case 7: net.failing_dials = pick(4); break;
      case 8: net.delays.push_back(pick(4000) * 1ms); break;
      case 9:
        if (pick(4) == 0) net.outage(pick(15'000) * 1ms);
        break;
      case 10: net.jump(-(pick(5) * 1ms)); break;
      default: EXPECT_TRUE(net.binds().empty() || net.stranger(any(net.binds())));
    }
  }

  std::mt19937 random_;
  std::size_t wanted_ = 0;
  SessionConfig first_;
  Call call_;
  End ends_[2];
};

TEST(SessionProperty, EveryMessageEndsOnceWhateverHappens) {
  for (unsigned seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Storm storm(seed);
    storm.rage(800);
    storm.end_well(seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace paceline
