// One running source and those who watch it: the bridge from Live-In's threads to the network
// thread.
//
// Everything here happens on the io_context's thread; frames and status are posted to it. A feed
// keeps the io_context at work until its source has stopped.
//
// Queue: frames posted and not yet handled, at most kMaxPosted; beyond, the network thread hangs:
// frames are dropped, and a synchronisation point is asked for.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "media/live_in.h"

namespace qvid::app {

class FeedListener {
 public:
  virtual ~FeedListener() = default;
  virtual void on_frame(const std::shared_ptr<const media::WireFrame>& frame) = 0;
  virtual void on_status(const media::SourceStatus& status) = 0;
  // The feed is over; the listener has been taken off it.
  virtual void on_feed_ended(const std::string& reason) = 0;
};

class Feed {
 public:
  static constexpr int kMaxPosted = 64;

  // `on_feed_ended` is called on the io thread when the source has stopped: the feed may be
  // destroyed.
  Feed(boost::asio::io_context& io, media::LiveInOptions options,
       std::function<void(Feed*, const media::SourceStatus&)> on_status,
       std::function<void(Feed*)> on_feed_ended);

  // The listener gets frames from the next synchronisation point on, which is asked for.
  void add(FeedListener* listener);
  void remove(FeedListener* listener);
  std::size_t listeners() const { return listeners_.size(); }

  void request_stop();
  // For a listener that has lost frames.
  void request_sync_point() { live_in_->request_sync_point(); }
  media::LiveInStats stats() const { return live_in_->stats(); }
  const media::LiveInOptions& options() const { return options_; }

 private:
  void on_frame(const std::shared_ptr<const media::WireFrame>& frame);
  void on_ended(const std::string& reason);

  media::LiveInOptions options_;
  std::function<void(Feed*, const media::SourceStatus&)> on_status_;
  std::function<void(Feed*)> on_ended_;
  std::vector<FeedListener*> listeners_;
  std::optional<media::SourceStatus> last_status_;
  std::atomic<int> posted_ = 0;  // frames on their way to the network thread
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::unique_ptr<media::LiveIn> live_in_;
};

}  // namespace qvid::app
