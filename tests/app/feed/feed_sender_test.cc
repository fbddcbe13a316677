// While a path stands still nothing is encoded for it, so that what comes first afterwards refers to
// a picture that arrived. Nor does anything refer to a picture whose header did not.
#include "app/feed/feed_sender.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tests/app/feed/running_feed.h"

namespace qvid::app {
namespace {

// A path that carries all at once, or nothing.
class Sender final : public FeedSender {
 public:
  Sender(boost::asio::io_context& io, Feed& feed)
      : FeedSender(io, feed, 3, media::Preference::kMotion, [](Feed*) {}) {
    join();
  }

  // What was put and has not ended arrives, where the path carries.
  void arrive() {
    while (carries && !under_way_.empty()) {
      const std::uint64_t message = under_way_.front();
      under_way_.pop_front();
      on_message_ended(message, ByteCount(1), true);
      if (!header_ || message != header_->message + 1) continue;
      without_header = header_->frame;
      on_message_ended(std::exchange(header_, std::nullopt)->message, {}, false);
    }
  }

  // Of the next frame that others need: its base has arrived before that is known.
  bool lose_header = false;
  std::optional<FrameNumber> without_header;  // and that is known
  int bases_on_it = 0;                        // put since, which refer to it

  bool carries = true;
  int looks = 0;        // at the path's signals
  int dropped = 0;      // bases
  int bases = 0;        // put
  int sync_points = 0;  // of them

 private:
  std::optional<std::uint64_t> put(const media::LiveSender::Send& send) override {
    const std::uint64_t message = ++last_;
    const FrameNumber number = send.wire->frame.number;
    if (!send.unit || send.unit->layer > 0) {
      if (send.unit) under_way_.push_back(message);
      const bool needed = send.wire->frame.units.front().needed_for > 1;
      if (!send.unit && needed && std::exchange(lose_header, false)) header_ = {message, number};
      return message;
    }
    ++bases;
    const auto& needs = send.wire->frame.units[send.index].depends_on;
    if (needs.empty()) ++sync_points;
    for (const media::UnitDependency& d : needs) {
      const bool on_it =
          without_header && number.value() - d.frames_back == without_header->value();
      bases_on_it += on_it ? 1 : 0;
    }
    under_way_.push_back(message);
    bases_.insert(message);
    return message;
  }
  bool drop(std::uint64_t message) override {
    std::erase(under_way_, message);
    dropped += bases_.contains(message) ? 1 : 0;
    return true;
  }
  paceline::SessionSignals signals() const override {
    ++const_cast<Sender*>(this)->looks;
    paceline::SessionSignals now;
    now.allowance = ByteCount(carries ? 100'000 : 0);
    return now;
  }
  void on_status(const media::SourceStatus&) override {}
  void on_limited(const std::string&) override {}
  bool tells_all_losses() const override { return true; }
  bool decodes(std::string_view codec) const override { return codec == "h264"; }

  struct Header {
    std::uint64_t message = 0;
    FrameNumber frame;
  };
  std::optional<Header> header_;  // that does not arrive
  std::uint64_t last_ = 0;
  std::deque<std::uint64_t> under_way_;
  std::set<std::uint64_t> bases_;
};

class FeedSending : public RunningFeed {
 protected:
  FeedSending() : RunningFeed("h264"), sender_(io_, *feed_) {}

  bool carry_until(const std::function<bool()>& condition) {
    return run_until([&] {
      sender_.arrive();
      return condition();
    });
  }

  Sender sender_;
};

TEST_F(FeedSending, AnOutageCostsNoKeyFrame) {
  ASSERT_TRUE(carry_until([&] { return sender_.bases > 30; }));
  const int sync_points = sender_.sync_points;
  sender_.carries = false;
  ASSERT_TRUE(run_until([&] { return sender_.dropped > 0; }));
  // It looks every 5 ms: half a second at least, in which 30 pictures are captured. What was under
  // way expires, a few more are on their way from the encoder.
  const int looks = sender_.looks;
  const int bases = sender_.bases;
  ASSERT_TRUE(run_until([&] { return sender_.looks > looks + 100; }));
  EXPECT_LE(sender_.bases, bases + 4);

  sender_.carries = true;
  const int before = sender_.bases;
  ASSERT_TRUE(carry_until([&] { return sender_.bases > before + 10; }));
  EXPECT_EQ(sender_.sync_points, sync_points);
}

TEST_F(FeedSending, NothingRefersToAPictureWhoseHeaderDidNotArrive) {
  ASSERT_TRUE(carry_until([&] { return sender_.bases > 10; }));
  const int sync_points = sender_.sync_points;
  sender_.lose_header = true;
  ASSERT_TRUE(carry_until([&] { return sender_.without_header.has_value(); }));
  const int before = sender_.bases;
  ASSERT_TRUE(carry_until([&] { return sender_.bases > before + 20; }));
  EXPECT_EQ(sender_.bases_on_it, 0);
  EXPECT_EQ(sender_.sync_points, sync_points) << "and that costs no key frame";
}

}  // namespace
}  // namespace qvid::app
