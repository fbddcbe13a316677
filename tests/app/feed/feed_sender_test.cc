// While a path stands still nothing is encoded for it, so that what comes first afterwards refers to
// a picture that arrived.
#include "app/feed/feed_sender.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>
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
    }
  }

  bool carries = true;
  int looks = 0;        // at the path's signals
  int dropped = 0;      // bases
  int bases = 0;        // put
  int sync_points = 0;  // of them

 private:
  std::optional<std::uint64_t> put(const media::LiveSender::Send& send) override {
    const std::uint64_t message = ++last_;
    if (!send.unit || send.unit->layer > 0) {
      if (send.unit) under_way_.push_back(message);
      return message;
    }
    ++bases;
    if (send.wire->frame.units[send.index].depends_on.empty()) ++sync_points;
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

}  // namespace
}  // namespace qvid::app
