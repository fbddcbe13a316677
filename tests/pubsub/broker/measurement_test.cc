// Shows that a client that is let in can measure the rate of the way to a broker and back, and that
// nobody makes a generator of traffic of it.
#include "pubsub/broker/measurement.h"

#include <gtest/gtest.h>

#include <list>

#include "tests/pubsub/broker_party.h"

namespace qps {
namespace {

using namespace std::chrono_literals;

struct MeasurementTest : testing::Test {
  static BrokerOptions with_key() {
    BrokerOptions options;
    options.authorise = [](const Join& join, const Origin&) -> Result<Rights> {
      if (join.token == "good" && join.room == "den") return Rights{};
      return Error{"no"};
    };
    return options;
  }
  struct Stranger {
    explicit Stranger(MeasurementTest& t, Broker& broker) : test(t), to(broker) {
      client = to.connect(port, "a stranger");
    }
    ~Stranger() { to.disconnect(client, "the test is over", test.now); }
    void ask(const Measure& measure) {
      arrive(0, Payload::copy_of(std::string_view(serialise(ToBroker(measure)))));
    }
    void arrive(std::uint32_t stream, Payload payload) {
      to.on_message(client,
                    {.stream = paceline::StreamId(stream),
                     .importance = {},
                     .position = {},
                     .payload = std::move(payload)},
                    test.now);
    }
    ByteCount allowed() const { return port.last<Measuring>()->bytes; }
    // All that is under way is delivered; gives how much that was.
    ByteCount deliver() {
      ByteCount all;
      for (const auto& sent : std::exchange(port.sent, {})) {
        const ByteCount size = sent.message.payload.byte_count();
        all += size;
        to.on_ended(client,
                    {.stream = sent.stream,
                     .message = sent.id,
                     .outcome = paceline::Outcome::kDelivered,
                     .sent = size,
                     .size = size},
                    test.now);
      }
      return all;
    }

    MeasurementTest& test;
    Broker& to;
    FakePort port;
    Broker::Client* client;
  };

  Timestamp now = kBegin;
};

TEST_F(MeasurementTest, DownIsAsMuchAsGoesButNoMoreThanIsAllowed) {
  Broker broker;
  Stranger ann(*this, broker);
  ann.ask({.way = Way::kDown});
  EXPECT_EQ(ann.allowed(), kMostMeasured);
  ASSERT_FALSE(ann.port.sent.empty());
  EXPECT_EQ(ann.port.sent.front().stream.value(), ann.port.last<Measuring>()->stream);
  EXPECT_EQ(ann.port.sent.front().message.deadline, now + kMeasuringTime);
  ByteCount all;
  for (int i = 0; i < 100; ++i) {
    const ByteCount round = ann.deliver();
    EXPECT_LE(round, Filling::kAhead);
    all += round;
  }
  EXPECT_EQ(all, kMostMeasured);
  EXPECT_EQ(broker.stats().measuring.bytes, kMostMeasured);
}

TEST_F(MeasurementTest, NothingIsSentWhenTheTimeIsOver) {
  Broker broker;
  Stranger ann(*this, broker);
  ann.ask({.way = Way::kDown});
  now += kMeasuringTime;
  EXPECT_GT(ann.deliver(), ByteCount());
  EXPECT_EQ(ann.deliver(), ByteCount());
}

TEST_F(MeasurementTest, UpIsTakenAndForgottenUpToWhatIsAllowed) {
  Broker broker;
  Stranger ann(*this, broker);
  ann.ask({.way = Way::kUp, .stream = 2});
  EXPECT_EQ(ann.allowed(), kMostMeasured);
  const Payload part = qvid::PayloadBuilder(1024 * 1024).take();
  for (int i = 0; i < 32; ++i) ann.arrive(2, part);
  EXPECT_FALSE(ann.port.closed);
  EXPECT_EQ(broker.stats().measuring.bytes, kMostMeasured);
  ann.arrive(2, part);
  EXPECT_TRUE(ann.port.closed);
}

TEST_F(MeasurementTest, OnlyForWhoIsLetIn) {
  Broker broker(with_key());
  Stranger ann(*this, broker);
  for (const Measure& wrong : {Measure{}, Measure{.name = "den", .token = "bad"},
                               Measure{.name = "attic", .token = "good"}}) {
    ann.ask(wrong);
    EXPECT_EQ(ann.port.count<Measuring>(), 0U);
    EXPECT_TRUE(ann.port.last<JoinRefused>());
  }
  EXPECT_TRUE(ann.port.sent.empty());
  ann.ask({.name = "den", .token = "good"});
  EXPECT_EQ(ann.allowed(), kMostMeasured);
  EXPECT_EQ(broker.stats().wrong_tokens, 3);
}

TEST_F(MeasurementTest, OneAtATimeAndFewOfASession) {
  Broker broker;
  Stranger ann(*this, broker);
  int measured = 0;
  for (int i = 0; i < 20; ++i) {
    ann.ask({.way = Way::kDown});
    measured += ann.allowed() > ByteCount() ? 1 : 0;
    ann.ask({.way = Way::kDown});
    EXPECT_EQ(ann.allowed(), ByteCount()) << "the one before is under way";
    now += kMeasuringTime;
    ann.port.sent.clear();
  }
  EXPECT_EQ(measured, Measurement::kEach);
}

TEST_F(MeasurementTest, FewAtOnceAndInTheLongRunNoMoreThanTheRate) {
  BrokerOptions options;
  options.max_measuring = 2;
  Broker broker(options);
  ByteCount all;
  const Timestamp began = now;
  while (now < began + 1min) {
    std::list<Stranger> crowd;
    int at_once = 0;
    for (int i = 0; i < 5; ++i) {
      crowd.emplace_back(*this, broker).ask({.way = Way::kDown});
      at_once += crowd.back().allowed() > ByteCount() ? 1 : 0;
    }
    EXPECT_LE(at_once, 2);
    for (Stranger& one : crowd) {
      for (ByteCount more = one.deliver(); more > ByteCount(); more = one.deliver()) all += more;
    }
    now += kMeasuringTime;
  }
  const double bound =
      Measurements::kBytes.burst + 60 * Measurements::kBytes.per_second + 2 * 33.6e6;
  EXPECT_LE(static_cast<double>(all.value()), bound);
  EXPECT_GT(broker.stats().measuring.put_off, 0);
  options.max_measuring = 0;
  broker.set_options(options);
  now += 10min;
  Stranger late(*this, broker);
  late.ask({.way = Way::kDown});
  EXPECT_EQ(late.allowed(), ByteCount());
}

TEST_F(MeasurementTest, FillingOnAStreamOfSomethingElseIsAFault) {
  Broker broker;
  Stranger control(*this, broker);
  control.ask({.way = Way::kUp, .stream = 0});
  EXPECT_TRUE(control.port.closed);
  Party bob(broker, now, "Bob");
  bob.publish(2);
  bob.say(Measure{.way = Way::kUp, .stream = 2});
  EXPECT_TRUE(bob.port.closed);
}

}  // namespace
}  // namespace qps
