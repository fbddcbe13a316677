// A feed gives each of its listeners what it decodes, and all of them one codec.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/feed/feed.h"
#include "base/clock.h"
#include "media/codec/codec.h"

namespace qvid::app {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);

class Listener final : public FeedListener {
 public:
  explicit Listener(std::set<std::string, std::less<>> decodes) : decodes_(std::move(decodes)) {}

  void on_frame(const std::shared_ptr<const media::WireFrame>& frame) override {
    const std::string codec(media::codec_of(frame->frame));
    if (got.empty() || got.back() != codec) got.push_back(codec);
  }
  void on_status(const media::SourceStatus&) override {}
  void on_limited(const std::string&) override {}
  void on_feed_ended(const std::string&) override {}
  bool paused() const override { return false; }
  void measure(Timestamp, std::vector<DataRate>& rates) override {
    rates.push_back(DataRate::from_kbps(300));
  }
  bool contended(Timestamp) const override { return false; }
  void set_encoder_informed(bool) override {}
  bool tells_all_losses() const override { return true; }
  bool decodes(std::string_view codec) const override { return decodes_.contains(codec); }

  std::vector<std::string> got;  // codecs, each change of them

 private:
  std::set<std::string, std::less<>> decodes_;
};

class FeedCodec : public ::testing::Test {
 protected:
  FeedCodec() {
    media::LiveInOptions options;
    options.source = *media::parse_source_spec("test");
    options.source_options.size = {64, 48};
    options.source_options.rate = {60, 1};
    options.codec = "av1";
    feed_ = std::make_unique<Feed>(
        io_, options, [](Feed*, const media::SourceStatus&) {}, [this](Feed*) { feed_.reset(); });
  }
  ~FeedCodec() override {
    if (feed_) feed_->request_stop();
    run_until([&] { return feed_ == nullptr; });
  }
  bool run_until(const std::function<bool()>& condition) {
    const Timestamp end = steady_now() + kPatience;
    while (!condition() && steady_now() < end) io_.run_one_for(std::chrono::milliseconds(100));
    return condition();
  }

  boost::asio::io_context io_;
  std::unique_ptr<Feed> feed_;
};

TEST_F(FeedCodec, WhoDoesNotDecodeItMakesAllFallBackUntilItLeaves) {
  using Codecs = std::vector<std::string>;
  Listener both({"h264", "av1"});
  Listener old({"h264"});
  feed_->add(&both);
  ASSERT_TRUE(run_until([&] { return both.got == Codecs{"av1"}; }));
  feed_->add(&old);
  EXPECT_EQ(feed_->codec(), "h264");
  ASSERT_TRUE(run_until([&] { return both.got == Codecs{"av1", "h264"} && !old.got.empty(); }));
  feed_->remove(&old);
  EXPECT_EQ(feed_->codec(), "av1");
  ASSERT_TRUE(run_until([&] { return both.got == Codecs{"av1", "h264", "av1"}; }));
  EXPECT_EQ(old.got, Codecs{"h264"});
  feed_->remove(&both);
}

}  // namespace
}  // namespace qvid::app
