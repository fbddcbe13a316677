// Rapid switching: the rate of a viewer's path steps up and down for two minutes, and layers come
// and go without a freeze. The codec is the real one; sender, path and receiver run in virtual
// time.
//
// Scaled down from 4 -> 0.6 -> 4 Mbit/s for 2.5 Mbit/s of video, so that it takes seconds.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "media/codec/decoder.h"
#include "media/codec/encoder.h"
#include "media/live/encoder_rate.h"
#include "media/live/live_sender.h"
#include "media/playout/frame_assembler.h"
#include "media/source/test_scene.h"
#include "tests/media/priority_link.h"
#include "transport/rate/receiver_rate.h"

namespace qvid::media::switching_test {
namespace {

using paceline::ReceiverRate;

constexpr FrameRate kRate{30, 1};
constexpr PictureSize kSize{160, 128};
constexpr DataRate kVideo = DataRate::from_kbps(400);
constexpr DataRate kWide = DataRate::from_kbps(640);
constexpr DataRate kNarrow = DataRate::from_kbps(96);
constexpr Duration kRoundTrip = 30ms;
constexpr Duration kStep = 15s;
constexpr Duration kEncoding = 10ms;
constexpr Duration kFreeze = 250ms;

Timestamp at(Duration d) { return Timestamp(1h) + d; }
DataRate stepping(Timestamp now) { return (now - at(0s)) / kStep % 2 == 0 ? kWide : kNarrow; }
DataRate wide(Timestamp) { return kWide; }

// One viewer with its path, and what its player makes of it.
class Party {
 public:
  Party(std::function<DataRate(Timestamp)> rate, int window)
      : sender_(kRate, window, AdaptationPolicy()),
        link_(std::move(rate), kRoundTrip),
        // The path's shortest time and the window, after the output event.
        decode_after_(kRate.time_of(kSetupFrames + window) + kRoundTrip / 2 + 5ms) {}

  void on_frame(const std::shared_ptr<const WireFrame>& frame, Timestamp now) {
    sender_.on_frame(frame);
    poll(now);
  }
  Timestamp next_event() const {
    return std::min({sender_.next_event(), link_.next_event(), decode_time()});
  }
  void advance(Timestamp now) {
    link_.advance(
        now, [&](const PriorityLink::Delivered& d) { receive(d); },
        [&](const PriorityLink::Ended& e) { ended(e, now); });
    if (sender_.next_event() <= now) poll(now);
    if (decode_time() <= now) decode(now);
  }
  DataRate measure(Timestamp now) {
    rate_.on_measured(meter_, kRoundTrip, now);
    return rate_.rate();
  }
  LiveSender& sender() { return sender_; }

  struct Shown {
    Timestamp at;
    bool whole = false;
  };
  std::vector<Shown> shown;
  std::int64_t undecodable = 0;  // units that came and could never be decoded
  std::int64_t units_came = 0;
  std::int64_t decode_errors = 0;

 private:
  void poll(Timestamp now) {
    auto decisions = sender_.poll(now);
    cancel(decisions.cancels, now);
    for (auto& s : decisions.sends) {
      const ByteCount size = s.payload.byte_count();
      const auto id = link_.send(s.importance, s.position, s.deadline, std::move(s.payload));
      if (!s.unit) continue;
      unit_of_[id] = {.unit = *s.unit, .ticket = meter_.on_sent(size, now)};
      id_of_[*s.unit] = id;
    }
  }
  void cancel(const std::vector<UnitKey>& units, Timestamp now) {
    for (const UnitKey& unit : units) {
      if (const auto it = id_of_.find(unit); it != id_of_.end()) link_.cancel(it->second, now);
    }
  }
  void ended(const PriorityLink::Ended& e, Timestamp now) {
    const auto it = unit_of_.find(e.id);
    if (it == unit_of_.end()) return;
    const auto [unit, ticket] = it->second;
    unit_of_.erase(it);
    id_of_.erase(unit);
    meter_.on_ended(ticket, e.sent, e.delivered, now);
    cancel(sender_.on_ended(unit, e.delivered), now);
  }
  void receive(const PriorityLink::Delivered& d) {
    auto message = parse_frame_message(d.position, d.payload);
    ASSERT_TRUE(message);
    if (auto* header = std::get_if<FrameHeaderMessage>(&*message)) {
      assembler_.on_header(std::move(*header));
      return;
    }
    UnitMessage& unit = std::get<UnitMessage>(*message);
    ++units_came;
    std::set<UnitKey>& came = came_;
    for (const UnitDependency& need : unit.unit.depends_on) {
      const UnitKey key{FrameNumber(unit.number.value() - need.frames_back), need.unit};
      if (!came.contains(key)) {
        ++undecodable;  // the more important comes first, so it is not still to come
        break;
      }
    }
    came.insert({unit.number, unit.unit.layer});
    assembler_.on_unit(std::move(unit));
  }
  Timestamp decode_time() const {
    const auto* header = assembler_.next_header();
    return header == nullptr ? kNever : header->due + decode_after_;
  }
  void decode(Timestamp now) {
    const auto* header = assembler_.next_header();
    const FrameNumber number = header->number;
    const bool in_time = header->due + decode_after_ + kRate.frame_time() >= now;
    for (const ReceivedFrame& frame : assembler_.take(number)) {
      const auto decoded = decoder_->decode(frame);
      if (!decoded) {
        ++decode_errors;
      } else if (*decoded && frame.number == number && in_time) {
        shown.push_back({now, (*decoded)->layer + 1 == (*decoded)->layers});
      }
    }
  }

  LiveSender sender_;
  PriorityLink link_;
  paceline::DeliveryMeter meter_;
  ReceiverRate rate_{kVideo};
  Duration decode_after_;
  struct Under {
    UnitKey unit;
    paceline::DeliveryMeter::Ticket ticket = 0;
  };
  std::map<std::uint64_t, Under> unit_of_;
  std::map<UnitKey, std::uint64_t> id_of_;
  FrameAssembler assembler_;
  std::unique_ptr<Decoder> decoder_ = *make_decoder("h264");
  std::set<UnitKey> came_;
};

// One encoder for all parties.
class Source {
 public:
  Source() {
    auto made = make_encoder("h264", {.size = kSize, .rate = kRate, .bitrate = kVideo, .gop = 60});
    encoder_ = *std::move(made);
  }
  // The rate stays as it is.
  void hold_rate() { follows_ = false; }
  void run(const std::vector<Party*>& parties, Duration time) {
    Timestamp next_rates = at(0s);
    Timestamp next_frame = at(0s);
    for (Timestamp now = at(0s); now < at(time);) {
      if (next_frame <= now) {
        const auto frame = encode();
        for (Party* p : parties) p->on_frame(frame, now);
        next_frame = at(kRate.time_of(number_.value())) + kEncoding;
      }
      if (next_rates <= now) {
        follow(parties, now);
        next_rates += ReceiverRate::kInterval;
      }
      for (Party* p : parties) p->advance(now);
      inform(parties);
      Timestamp next = std::min(next_frame, next_rates);
      for (const Party* p : parties) next = std::min(next, p->next_event());
      now = std::max(next, now + 1us);
    }
  }
  int sync_points(std::uint8_t layer) const { return sync_points_[layer]; }

 private:
  std::shared_ptr<const WireFrame> encode() {
    NewFrame picture = allocate_frame(kSize);
    draw_test_scene(picture, number_.value(), kRate.time_of(number_.value()));
    auto coded = encoder_->encode(picture.frame, number_);
    if (!coded) throw std::runtime_error(coded.error().message);
    coded->due = at(kRate.time_of(number_.value()));
    for (const CodedUnit& unit : coded->units) {
      if (unit.is_sync_point()) ++sync_points_[unit.layer];
    }
    number_ = number_.next();
    return std::make_shared<const WireFrame>(serialise(*std::move(coded)));
  }
  void follow(const std::vector<Party*>& parties, Timestamp now) {
    std::vector<DataRate> rates;
    for (Party* p : parties) {
      rates.push_back(p->measure(now));
      p->sender().set_encoder_informed(parties.size() == 1);
    }
    if (!follows_) return;
    const EncoderRates wanted = encoder_rate_.rates(rates, false);
    encoder_->set_rates(wanted.total, wanted.base);
    encoder_->set_base_needed(wanted.base_needed);
  }
  void inform(const std::vector<Party*>& parties) {
    for (Party* p : parties) {
      const auto lost = p->sender().take_lost();
      if (parties.size() > 1) {
        // As a live viewer asks for it, once.
        const bool broken = p->sender().begun() && p->sender().wants_sync_point();
        if (broken && !asked_) encoder_->request_sync_point(0);
        asked_ = broken;
        continue;
      }
      for (const UnitKey& unit : lost) encoder_->on_lost(unit.frame, unit.layer);
    }
  }

  std::unique_ptr<Encoder> encoder_;
  EncoderRate encoder_rate_{kVideo};
  FrameNumber number_;
  bool asked_ = false;
  bool follows_ = true;
  std::array<int, 2> sync_points_{};
};

struct Measures {
  Duration longest_gap{};
  double frames_a_second = 0;
  std::vector<Duration> until_full;  // after each rise: all layers for a second, but for two frames
  double full_when_wide = 0;
};

Measures measure(const std::vector<Party::Shown>& shown, Duration time) {
  Measures m;
  for (std::size_t i = 1; i < shown.size(); ++i) {
    m.longest_gap = std::max(m.longest_gap, shown[i].at - shown[i - 1].at);
  }
  m.frames_a_second = static_cast<double>(shown.size()) / to_seconds(time);
  for (Duration rise = 2 * kStep; rise < time; rise += 2 * kStep) {
    Duration until = Duration::max();
    for (Timestamp from = at(rise); from + 1s < at(rise + kStep); from += kRate.frame_time()) {
      int full = 0;
      for (const auto& s : shown) full += s.at >= from && s.at < from + 1s && s.whole ? 1 : 0;
      if (full < 28) continue;
      until = from - at(rise);
      break;
    }
    m.until_full.push_back(until);
  }
  return m;
}

void expect_steady(const Party& party, Duration time, double frames_a_second = 29) {
  const Measures m = measure(party.shown, time);
  testing::Test::RecordProperty("longest_gap_ms", std::to_string(to_ms(m.longest_gap)));
  testing::Test::RecordProperty("frames_a_second", std::to_string(m.frames_a_second));
  std::string rises;
  for (const Duration d : m.until_full) rises += std::to_string(to_seconds(d)) + " ";
  testing::Test::RecordProperty("seconds_until_full", rises);
  EXPECT_LE(to_ms(m.longest_gap), to_ms(kFreeze));
  EXPECT_GE(m.frames_a_second, frames_a_second);
  ASSERT_FALSE(m.until_full.empty());
  for (const Duration d : m.until_full) EXPECT_LE(to_seconds(d), 2);
  EXPECT_EQ(party.decode_errors, 0);
  EXPECT_EQ(party.undecodable, 0) << "of " << party.units_came;
}

TEST(Switching, AnInformedEncoderKeepsItsOnlyViewerInMotion) {
  constexpr Duration kTime = 120s;
  Party party(stepping, 3);
  Source source;
  source.run({&party}, kTime);
  expect_steady(party, kTime);
  // The planned ones only, a group of 60 frames, whatever is lost; and two where one layer becomes
  // two, and where it does so again.
  EXPECT_LE(source.sync_points(0), 65);
}

// What the rate's falling spares them otherwise: four times more than the path takes, for seconds.
// The base alone takes five sixths of the narrow path, and its key frames are late there.
TEST(Switching, AnEncoderThatDoesNotYieldStillRefersToNothingThatIsLost) {
  constexpr Duration kTime = 60s;
  Party party(stepping, 3);
  Source source;
  source.hold_rate();
  source.run({&party}, kTime);
  expect_steady(party, kTime, 27);
}

TEST(Switching, AViewerBesideAnotherSwitchesWithoutAFreeze) {
  constexpr Duration kTime = 75s;
  Party party(stepping, 3);
  Party other(wide, 3);
  Source source;
  source.run({&party, &other}, kTime);
  expect_steady(party, kTime);
  const Measures m = measure(other.shown, kTime);
  EXPECT_LE(to_ms(m.longest_gap), 2 * to_ms(kRate.frame_time()) + 1);
  EXPECT_GE(m.frames_a_second, 29.5);
}

}  // namespace
}  // namespace qvid::media::switching_test
