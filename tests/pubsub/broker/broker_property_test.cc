// Any order of valid messages harms nobody.
#include <gtest/gtest.h>

#include <random>

#include "pubsub/broker/broker.h"
#include "tests/pubsub/broker/broker_fixture.h"
#include "tests/pubsub/broker_party.h"

namespace qps {
namespace {

using namespace std::chrono_literals;
using paceline::Outcome;
using paceline::StreamId;

// Any valid messages in any order, by many clients: nobody else is closed, and nothing is left.
TEST_F(BrokerTest, AnyOrderOfValidMessagesHarmsNobody) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Broker broker;
    Party witness(broker, now_, "witness", "den", {kKnowsChat});
    Party source(broker, now_, "source");
    source.publish(2);
    source.publish(4, "sound");
    witness.watch({"source"});
    const StreamId shown = witness.seat_stream();
    witness.watch({"source"}, 100ms, "sound", 2);
    const StreamId heard = witness.seat_stream();
    std::vector<std::unique_ptr<Party>> parties;
    const std::vector<std::string> tracks{"", "sound", "a", "b"};
    const auto viewer = [&] { return static_cast<std::uint32_t>(pick(3)); };
    const auto track = [&] { return tracks[static_cast<std::size_t>(pick(4))]; };
    std::int64_t item = 0;
    for (int step = 0; step < 600; ++step) {
      now_ += 10ms;
      broker.poll(now_);
      if (parties.size() < 5) {
        parties.push_back(std::make_unique<Party>(
            broker, now_, "p" + std::to_string(step), "den",
            pick(2) == 0 ? std::vector<std::string>{kKnowsChat} : std::vector<std::string>()));
      }
      Party& p = *parties[static_cast<std::size_t>(pick(static_cast<int>(parties.size())))];
      switch (pick(11)) {
        case 0: {
          const int which = pick(4);  // each on either of two streams of its own
          p.publish(static_cast<std::uint32_t>(2 + 4 * which + 2 * pick(2)),
                    tracks[static_cast<std::size_t>(which)]);
          break;
        }
        case 1: p.say(Unpublish{track()}); break;
        case 2:
          if (pick(2) == 0) {
            p.watch({"source", "p" + std::to_string(pick(step + 1))}, 100ms, track(), viewer());
          } else {
            p.say(Watch{.viewer = viewer(),
                        .names = {},
                        .best = "ORDER BY attributes->>'a'",
                        .seats = 1 + pick(3),
                        .window = pick(2) * 100ms,
                        .track = track()});
          }
          break;
        case 3:
          p.say(pick(2) == 0 ? ToBroker(PauseViewer{viewer()}) : ToBroker(ResumeViewer{viewer()}));
          break;
        case 4: p.say(Unwatch{viewer()}); break;
        case 5: p.say(SetAttributes{{{"a", pick(10)}}}); break;
        case 6: p.end_all(pick(2) == 0 ? Outcome::kDelivered : Outcome::kCancelled); break;
        case 7:
          p.item(pick(40), static_cast<std::uint8_t>(pick(3)), 100,
                 static_cast<std::uint32_t>(2 + 2 * pick(8)));
          break;
        case 8:
          p.say(Say{std::string(static_cast<std::size_t>(pick(2000)), 'a'),
                    pick(2) == 0 ? "" : "witness"});
          break;
        case 9: p.say(RaiseHand{pick(2) == 0}); break;
        default: break;
      }
      source.item(item, 0, 100, 2);
      source.item(item++, 0, 100, 4);
      if (p.port.closed || pick(20) == 0) {
        p.leave("gone");
        std::erase_if(parties, [&](const auto& each) { return each.get() == &p; });
      }
    }
    EXPECT_FALSE(witness.port.closed);
    EXPECT_FALSE(source.port.closed);
    for (const StreamId of : {shown, heard}) {
      const Got got = witness.got(of);
      ASSERT_EQ(got.size(), 600u);
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].first, std::int64_t(i));
    }
    for (const auto& p : parties) p->leave("end");
    EXPECT_EQ(broker.clients(), 2u);
  }
}

}  // namespace
}  // namespace qps
