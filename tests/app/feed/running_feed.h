// A feed of the test picture, for tests of those who listen to it.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "app/feed/feed.h"
#include "base/clock.h"

namespace qvid::app {

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
