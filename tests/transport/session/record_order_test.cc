#include "transport/session/record_order.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using Wrong = std::optional<std::string>;

struct RecordOrder : testing::Test {
  Wrong wrong(const Record& record, Side side = Side::kClient) const {
    return out_of_place(record, channel, side, greeting);
  }

  Channel channel;
  bool greeting = false;
};

TEST_F(RecordOrder, AnswersToAGreetingComeOnceEach) {
  EXPECT_EQ(wrong(Welcome{}), "a stray welcome");
  EXPECT_FALSE(wrong(Bound{}));
  EXPECT_FALSE(wrong(Close{}));
  greeting = true;
  EXPECT_FALSE(wrong(Welcome{}));
  EXPECT_EQ(wrong(Bound{}), "a stray bound");
  EXPECT_FALSE(wrong(Close{}));
  greeting = false;
  channel.open = true;
  EXPECT_EQ(wrong(Bound{}), "a stray bound");
  EXPECT_FALSE(wrong(Close{}));
}

TEST_F(RecordOrder, GreetingsOfClientsAreTakenElsewhere) {
  EXPECT_EQ(wrong(Hello{}), "a stray hello");
  EXPECT_EQ(wrong(Bind{}), "a stray bind");
}

TEST_F(RecordOrder, NothingComesBeforeTheGreeting) {
  const std::vector<Record> others = {Activate{}, Ack{},         Ping{},       Cancel{},
                                      Chunk{},    Probe{},       ProbeReply{}, StreamClose{},
                                      Segments{}, LaneMessage{}, LaneAck{}};
  for (const Record& r : others) EXPECT_EQ(wrong(r), "content before the greeting");
}

TEST_F(RecordOrder, NumberedRecordsComeBehindAnActivate) {
  channel.open = true;
  const std::vector<Record> numbered = {Ping{}, Cancel{}, Chunk{}, StreamClose{}};
  for (const Record& r : numbered) {
    EXPECT_EQ(wrong(r), "content on a channel that is not active");
  }
  const std::vector<Record> others = {Activate{}, Ack{},         Probe{},  ProbeReply{},
                                      Segments{}, LaneMessage{}, LaneAck{}};
  for (const Record& r : others) EXPECT_FALSE(wrong(r));
  channel.has_content = true;
  for (const Record& r : numbered) EXPECT_FALSE(wrong(r));
}

TEST_F(RecordOrder, OnlyAServerWishesForSegments) {
  channel.open = true;
  EXPECT_EQ(wrong(Segments{}, Side::kServer), "a stray wish for segments");
}

}  // namespace
}  // namespace paceline
