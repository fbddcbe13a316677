// A feed makes pictures as large as those who watch it show them.
#include <gtest/gtest.h>

#include <optional>

#include "tests/app/feed/running_feed.h"

namespace qvid::app {
namespace {

class Screen final : public PlainListener {
 public:
  bool paused() const override { return paused_; }
  std::optional<int> lines() const override { return lines_; }

  std::optional<int> lines_ = 0;
  bool paused_ = false;
};

class FeedLines : public RunningFeed {
 protected:
  FeedLines() : RunningFeed("h264", {256, 192}) {}
  bool becomes(media::PictureSize size) {
    return run_until([&] { return feed_->stats().size == size; });
  }
};

TEST_F(FeedLines, TheTallestCounts) {
  Screen small;
  Screen large;
  feed_->add(&small);
  feed_->add(&large);
  EXPECT_TRUE(becomes({256, 192})) << "nobody has said anything yet";
  small.lines_ = 50;
  large.lines_ = 100;
  feed_->on_receivers_changed();
  EXPECT_TRUE(becomes({192, 144}));
  large.paused_ = true;
  feed_->on_pause_changed();
  EXPECT_TRUE(becomes({128, 96}));
  large.paused_ = false;
  large.lines_ = std::nullopt;
  feed_->on_pause_changed();
  EXPECT_TRUE(becomes({256, 192}));
  feed_->remove(&large);
  EXPECT_TRUE(becomes({128, 96}));
  feed_->remove(&small);
}

}  // namespace
}  // namespace qvid::app
