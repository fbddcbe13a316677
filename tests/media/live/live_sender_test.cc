// Shows what one viewer of live video is sent: nothing that it could not decode, from a beginning
// that it can, under numbers of its own.
#include "media/live/live_sender.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace qvid::media::live_sender_test {
namespace {

constexpr FrameRate kRate{25, 1};
constexpr Duration kFrame = 40ms;
constexpr int kWindow = 3;
constexpr int kGop = 12;

Timestamp at(double frames) {
  return Timestamp(1h) + std::chrono::duration_cast<Duration>(frames * kFrame);
}

// The pattern of the codec h264: T0 T2 T1 T2, with a group of kGop frames.
CodedUnit unit_at(std::int64_t n, std::uint8_t layer) {
  CodedUnit u;
  u.layer = layer;
  const auto place = static_cast<int>(n % kGop);
  const int rest = kGop - 1 - place;
  switch (place % 4) {
    case 0:
      if (place > 0) u.depends_on = {{4, layer}};
      u.needed_for = rest;
      break;
    case 2:
      u.depends_on = {{2, layer}};
      u.needed_for = 1;
      break;
    case 1: u.depends_on = {{1, layer}}; break;
    default: u.depends_on = {{1, layer}, {3, layer}}; break;
  }
  return u;
}
std::shared_ptr<const WireFrame> frame(std::int64_t n) {
  CodedFrame coded;
  coded.number = FrameNumber(n);
  coded.due = at(static_cast<double>(n));
  coded.units = {unit_at(n, 0), unit_at(n, 1)};
  return std::make_shared<const WireFrame>(serialise(std::move(coded)));
}
UnitKey key(std::int64_t n, std::uint8_t layer) { return {FrameNumber(n), layer}; }

std::string text(const std::vector<UnitKey>& keys) {
  std::string t;
  for (const UnitKey& k : keys) {
    t += std::to_string(k.frame.value()) + (k.layer == 0 ? "L " : "H ");
  }
  if (!t.empty()) t.pop_back();
  return t;
}

class Sender : public testing::Test {
 protected:
  // Frames up to `last` are encoded and leave. What was sent: "4h 4L 4H", in the encoder's numbers.
  std::string run_to(std::int64_t last) {
    std::string sent;
    for (; next_ <= last; ++next_) {
      sender_.on_frame(frame(next_));
      for (const auto& s : sender_.poll(at(static_cast<double>(next_ + 1))).sends) {
        sent += std::to_string(s.wire->frame.number.value()) + (!s.unit              ? "h "
                                                                : s.unit->layer == 0 ? "L "
                                                                                     : "H ");
        positions_.push_back(s.position);
        if (s.unit) sent_.push_back(*s.unit);
      }
    }
    if (!sent.empty()) sent.pop_back();
    return sent;
  }
  LiveSender sender_{kRate, kWindow, AdaptationPolicy()};
  std::int64_t next_ = 0;
  std::vector<std::uint64_t> positions_;
  std::vector<UnitKey> sent_;
};

TEST_F(Sender, BeginsAtASyncPointAndCountsFromThere) {
  next_ = 5;
  EXPECT_TRUE(sender_.wants_sync_point());
  EXPECT_EQ(run_to(11), "");
  EXPECT_EQ(run_to(13), "12h 12L 12H 13h 13L 13H");
  EXPECT_FALSE(sender_.wants_sync_point());
  EXPECT_EQ(positions_, (std::vector<std::uint64_t>{0, 1, 2, 16, 17, 18}));
}

TEST_F(Sender, WhatExpiresTakesWhatNeedsIt) {
  run_to(2);
  for (int n = 0; n <= 2; ++n) sender_.on_ended(key(n, 0), true);
  // All of H but its first unit is still under way when frame 1 expires.
  sender_.on_ended(key(0, 1), true);
  EXPECT_EQ(text(sender_.poll(at(2 + kWindow)).cancels), "1H");
  EXPECT_EQ(text(sender_.on_ended(key(1, 1), false)), "");
  EXPECT_EQ(text(sender_.poll(at(3 + kWindow + 1)).cancels), "2H");
  EXPECT_EQ(text(sender_.on_ended(key(2, 1), false)), "");
  EXPECT_EQ(run_to(7), "3h 3L 4h 4L 4H 5h 5L 5H 6h 6L 6H 7h 7L 7H");
}

// All of it is out, and cannot be cancelled: it comes late, and what needs it can be decoded.
TEST_F(Sender, WhatExpiresOnTheWayIsNotLost) {
  sender_.set_encoder_informed(true);
  run_to(6);
  for (int n = 1; n <= 6; ++n) {
    sender_.on_ended(key(n, 0), true);
    sender_.on_ended(key(n, 1), true);
  }
  EXPECT_EQ(text(sender_.poll(at(1 + kWindow + LiveTimeline::kPatience)).cancels), "0L 0H");
  EXPECT_EQ(run_to(8), "7h 7L 7H 8h 8L 8H");
  EXPECT_EQ(text(sender_.on_ended(key(0, 0), true)), "");
  EXPECT_EQ(text(sender_.take_lost()), "");
  EXPECT_EQ(text(sender_.on_ended(key(0, 1), false)), "7H 8H");
}

TEST_F(Sender, ALayerWhoseChainIsBrokenWaitsForItsSyncPoint) {
  run_to(3);
  EXPECT_EQ(text(sender_.on_ended(key(0, 1), false)), "1H 2H 3H");
  EXPECT_EQ(run_to(5), "4h 4L 5h 5L");
  EXPECT_EQ(sender_.not_sent(), 2);
  EXPECT_EQ(run_to(11), "6h 6L 7h 7L 8h 8L 9h 9L 10h 10L 11h 11L");
  EXPECT_EQ(run_to(12), "12h 12L 12H");
  EXPECT_FALSE(sender_.wants_sync_point());
}

TEST_F(Sender, WithoutABaseItAsksForASyncPointAndSendsWhatThereIs) {
  run_to(3);
  EXPECT_EQ(text(sender_.on_ended(key(0, 0), false)), "1L 2L 3L");
  EXPECT_EQ(run_to(4), "4h 4H");
  EXPECT_TRUE(sender_.wants_sync_point());
}

TEST_F(Sender, AFrameOfWhichNothingIsLeftIsNotSent) {
  run_to(0);
  sender_.on_ended(key(0, 0), false);
  sender_.on_ended(key(0, 1), false);
  EXPECT_EQ(run_to(11), "");
  EXPECT_EQ(run_to(12), "12h 12L 12H");
}

TEST_F(Sender, TellsTheEncoderOnceWhatIsLost) {
  run_to(3);
  sender_.on_ended(key(2, 1), false);
  EXPECT_EQ(text(sender_.take_lost()), "2H 3H");
  EXPECT_EQ(text(sender_.take_lost()), "");
  sender_.on_ended(key(3, 1), false);  // known
  sender_.on_ended(key(3, 0), true);
  EXPECT_EQ(text(sender_.take_lost()), "");
}

// Behind a broker: what is lost there is lost, in the receiver's numbers.
TEST_F(Sender, WhatIsLostBehindItsReceiverTakesWhatNeedsIt) {
  next_ = 12;
  run_to(15);
  sender_.on_ended(key(12, 0), true);
  sender_.on_ended(key(12, 1), true);
  EXPECT_EQ(text(sender_.on_lost(FrameNumber(0), 1)), "13H 14H 15H");
  EXPECT_EQ(text(sender_.take_lost()), "12H 13H 14H 15H");
  EXPECT_EQ(text(sender_.on_lost(FrameNumber(0), 1)), "");
  EXPECT_EQ(text(sender_.on_lost(FrameNumber(2), {})), "14L 15L");
  EXPECT_EQ(run_to(17), "16h 16L 17h 17L");
  // Of before a pause nothing is of use any more.
  sender_.restart();
  next_ = 36;
  run_to(37);
  EXPECT_EQ(text(sender_.on_lost(FrameNumber(1), 0)), "");
  EXPECT_EQ(text(sender_.take_lost()), "");
  EXPECT_EQ(text(sender_.on_lost(FrameNumber(6), 0)), "36L 37L");
}

TEST_F(Sender, AnInformedEncoderMakesPatienceShort) {
  const auto cancelled_at = [&](bool informed) {
    LiveSender sender(kRate, kWindow, AdaptationPolicy());
    sender.set_encoder_informed(informed);
    sender.on_frame(frame(0));
    sender.poll(at(1));
    for (int n = 1; n < 40; ++n) {
      if (!sender.poll(at(n)).cancels.empty()) return n;
    }
    return -1;
  };
  EXPECT_EQ(cancelled_at(false), 1 + kWindow + kGop - 1);
  EXPECT_EQ(cancelled_at(true), 1 + kWindow + LiveTimeline::kPatience);
}

TEST_F(Sender, WhoWantsTheBaseAloneIsSentNoOtherLayer) {
  run_to(1);
  sender_.set_layers(1);
  EXPECT_EQ(run_to(4), "2h 2L 3h 3L 4h 4L");
  EXPECT_EQ(sender_.not_sent(), 3);
  EXPECT_FALSE(sender_.wants_sync_point());
  sender_.set_layers(2);
  EXPECT_EQ(run_to(kGop - 1), "5h 5L 6h 6L 7h 7L 8h 8L 9h 9L 10h 10L 11h 11L")
      << "what it could not decode";
  EXPECT_EQ(run_to(kGop), "12h 12L 12H") << "the layer's next synchronisation point";
}

TEST_F(Sender, AnEncoderIsToldThatALayerIsNotWanted) {
  sender_.set_encoder_informed(true);
  sender_.set_layers(1);
  run_to(2);
  EXPECT_EQ(text(sender_.take_lost()), "0H 1H 2H");
}

TEST_F(Sender, AfterAPauseItBeginsAgainAndCountsOn) {
  run_to(3);
  EXPECT_EQ(text(sender_.restart()), "0L 0H 1L 1H 2L 2H 3L 3H");
  for (const UnitKey& unit : sent_) EXPECT_TRUE(sender_.on_ended(unit, false).empty());
  EXPECT_EQ(text(sender_.take_lost()), "");
  positions_.clear();
  next_ = 30;
  EXPECT_EQ(run_to(36), "36h 36L 36H");
  EXPECT_EQ(positions_, (std::vector<std::uint64_t>{64, 65, 66}));
}

TEST_F(Sender, WithoutItsHeaderNothingOfAFrameIsOfUse) {
  run_to(3);
  EXPECT_EQ(text(sender_.on_lost(FrameNumber(2), std::nullopt)), "2L 3L 2H 3H");
}

TEST_F(Sender, AFrameWhoseHeaderIsLostIsLostThoughItsUnitsHaveArrived) {
  sender_.set_encoder_informed(true);
  run_to(3);
  sender_.on_header_taken(FrameNumber(1), 5);
  sender_.on_header_taken(FrameNumber(2), 6);
  for (const UnitKey& unit : {key(2, 0), key(2, 1)}) sender_.on_ended(unit, true);
  EXPECT_EQ(text(sender_.on_header_ended(5, true)), "");
  EXPECT_EQ(text(sender_.take_lost()), "");
  EXPECT_EQ(text(sender_.on_header_ended(6, false)), "3L 3H");
  EXPECT_EQ(text(sender_.take_lost()), "2L 3L 2H 3H");
  EXPECT_EQ(text(sender_.on_header_ended(6, false)), "") << "it is told once";
}

// What was cancelled is under way no more; what becomes of its message is told later.
TEST_F(Sender, WhatItWasTakenAsIsKnownUntilThatEnds) {
  run_to(0);
  sender_.on_taken(key(0, 0), 5, 50);
  sender_.on_taken(key(0, 1), 6, 60);
  EXPECT_EQ(sender_.message_of(key(0, 1)), 6u);
  EXPECT_EQ(text(sender_.on_ended(key(0, 1), false)), "");
  EXPECT_EQ(text(sender_.restart()), "0L");
  EXPECT_EQ(sender_.take(6)->ticket, 60u);
  EXPECT_FALSE(sender_.take(6));
  EXPECT_FALSE(sender_.message_of(key(0, 1)));
}

// Whoever makes an envelope of it need not look anything up.
TEST_F(Sender, WhatIsSentSaysWhereItIsFrom) {
  sender_.on_frame(frame(12));
  const auto sends = sender_.poll(at(13)).sends;
  ASSERT_EQ(sends.size(), 3u);
  for (const auto& send : sends) {
    EXPECT_EQ(send.number, FrameNumber(0));
    EXPECT_EQ(send.wire->frame.number, FrameNumber(12));
  }
  EXPECT_EQ(sends[2].index, 1u);
}

TEST_F(Sender, TheWindowCanChange) {
  sender_.set_window(10);
  sender_.on_frame(frame(0));
  const auto sends = sender_.poll(at(1)).sends;
  ASSERT_EQ(sends.size(), 3u);
  EXPECT_EQ(sends[1].deadline, at(1 + 10 + kGop - 1));
}

}  // namespace
}  // namespace qvid::media::live_sender_test
