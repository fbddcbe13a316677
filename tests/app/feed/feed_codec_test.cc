// A feed gives each of its listeners what it decodes, and all of them one codec.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "media/codec/codec.h"
#include "tests/app/feed/running_feed.h"

namespace qvid::app {
namespace {

class Listener final : public PlainListener {
 public:
  explicit Listener(std::set<std::string, std::less<>> decodes) : decodes_(std::move(decodes)) {}

  void on_frame(const std::shared_ptr<const media::WireFrame>& frame) override {
    const std::string codec(media::codec_of(frame->frame));
    if (got.empty() || got.back() != codec) got.push_back(codec);
  }
  bool decodes(std::string_view codec) const override { return decodes_.contains(codec); }

  std::vector<std::string> got;  // codecs, each change of them

 private:
  std::set<std::string, std::less<>> decodes_;
};

class FeedCodec : public RunningFeed {
 protected:
  FeedCodec() : RunningFeed("av1") {}
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
