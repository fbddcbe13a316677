#include "app/feed.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

namespace qvid::app {

namespace asio = boost::asio;

Feed::Feed(asio::io_context& io, media::LiveInOptions options,
           std::function<void(Feed*, const media::SourceStatus&)> on_status,
           std::function<void(Feed*)> on_feed_ended)
    : options_(std::move(options)),
      on_status_(std::move(on_status)),
      on_ended_(std::move(on_feed_ended)),
      work_(asio::make_work_guard(io)) {
  // Posted handlers run before the one of `ended`, after which the owner destroys this object:
  // `this` is valid in each of them.
  live_in_ = std::make_unique<media::LiveIn>(
      options_,
      media::LiveIn::Callbacks{.frame =
                                   [this, &io](std::shared_ptr<const media::WireFrame> frame) {
                                     if (posted_ >= kMaxPosted)
                                       return live_in_->request_sync_point();
                                     ++posted_;
                                     asio::post(io, [this, frame = std::move(frame)] {
                                       --posted_;
                                       on_frame(frame);
                                     });
                                   },
                               .status =
                                   [this, &io](const media::SourceStatus& status) {
                                     asio::post(io, [this, status] {
                                       last_status_ = status;
                                       on_status_(this, status);
                                       for (FeedListener* l : std::vector(listeners_))
                                         l->on_status(status);
                                     });
                                   },
                               .ended =
                                   [this, &io](const std::string& reason) {
                                     asio::post(io, [this, reason] { this->on_ended(reason); });
                                   }});
}

void Feed::add(FeedListener* listener) {
  listeners_.push_back(listener);
  if (last_status_) listener->on_status(*last_status_);
  live_in_->request_sync_point();
}

void Feed::remove(FeedListener* listener) { std::erase(listeners_, listener); }

void Feed::request_stop() { live_in_->request_stop(); }

void Feed::on_frame(const std::shared_ptr<const media::WireFrame>& frame) {
  // A listener may go, and take itself off, while it is called.
  for (FeedListener* l : std::vector(listeners_)) {
    if (std::find(listeners_.begin(), listeners_.end(), l) != listeners_.end()) l->on_frame(frame);
  }
}

void Feed::on_ended(const std::string& reason) {
  for (FeedListener* l : std::exchange(listeners_, {})) l->on_feed_ended(reason);
  on_ended_(this);  // destroys this object
}

}  // namespace qvid::app
