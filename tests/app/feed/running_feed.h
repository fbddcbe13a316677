// A feed of the test picture, for tests of those who listen to it.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/feed/feed.h"
#include "base/clock.h"

namespace qvid::app {

// Watches, decodes everything and takes 300 kbit/s.
class PlainListener : public FeedListener {
 public:
  void on_frame(const std::shared_ptr<const media::WireFrame>&) override {}
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
  bool decodes(std::string_view) const override { return true; }
};

class RunningFeed : public ::testing::Test {
 protected:
  explicit RunningFeed(const std::string& codec, media::PictureSize size = {64, 48}) {
    media::LiveInOptions options;
    options.source = *media::parse_source_spec("test");
    options.source_options.size = size;
    options.source_options.rate = {60, 1};
    options.codec = codec;
    options.adapt_to_load = false;
    feed_ = std::make_unique<Feed>(
        io_, options, [](Feed*, const media::SourceStatus&) {}, [this](Feed*) { feed_.reset(); });
  }
  ~RunningFeed() override {
    if (feed_) feed_->request_stop();
    run_until([&] { return feed_ == nullptr; });
  }
  bool run_until(const std::function<bool()>& condition) {
    constexpr Duration kPatience = std::chrono::seconds(30);
    const Timestamp end = steady_now() + kPatience;
    while (!condition() && steady_now() < end) io_.run_one_for(std::chrono::milliseconds(100));
    return condition();
  }

  boost::asio::io_context io_;
  std::unique_ptr<Feed> feed_;
};

}  // namespace qvid::app
