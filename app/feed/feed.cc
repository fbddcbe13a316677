#include "app/feed/feed.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "app/log/log.h"
#include "base/clock.h"

namespace qvid::app {

namespace asio = boost::asio;

Feed::Feed(asio::io_context& io, media::LiveInOptions options,
           std::function<void(Feed*, const media::SourceStatus&)> on_status,
           std::function<void(Feed*)> on_feed_ended,
           std::function<void(const media::VideoFrame&)> on_picture)
    : options_(std::move(options)),
      on_status_(std::move(on_status)),
      on_ended_(std::move(on_feed_ended)),
      codec_choice_(options_.codec),
      codec_(codec_choice_.codec()),
      encoder_rate_(options_.bitrate),
      rate_timer_(io),
      work_(asio::make_work_guard(io)) {
  // Posted handlers run before the one of `ended`, after which the owner destroys this object:
  // `this` is valid in each of them.
  media::LiveInOptions live = options_;
  live.codec = codec_;
  live_in_ = std::make_unique<media::LiveIn>(
      std::move(live),
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
                                   },
                               .limited =
                                   [this, &io](const std::string& reason) {
                                     asio::post(io, [this, reason] {
                                       limited_ = reason;
                                       for (FeedListener* l : std::vector(listeners_))
                                         l->on_limited(reason);
                                     });
                                   },
                               .picture = std::move(on_picture)});
}

void Feed::add(FeedListener* listener) {
  listeners_.push_back(listener);
  if (last_status_) listener->on_status(*last_status_);
  if (!limited_.empty()) listener->on_limited(limited_);
  on_listeners_changed();
  live_in_->request_sync_point();
}

void Feed::remove(FeedListener* listener) {
  std::erase(listeners_, listener);
  on_listeners_changed();
}

void Feed::on_pause_changed() {
  on_listeners_changed();
  live_in_->request_sync_point();
}

void Feed::on_listeners_changed() {
  on_receivers_changed();
  const auto active =
      std::ranges::count_if(listeners_, [](const FeedListener* l) { return !l->paused(); });
  for (FeedListener* l : listeners_) l->set_encoder_informed(active == 1 && !l->paused());
  live_in_->hold_back(false);
  live_in_->set_informed(active == 1 && std::ranges::any_of(listeners_, [](const auto* l) {
                           return !l->paused() && l->tells_all_losses();
                         }));
  // Nobody at all: what is encoded in the grace time makes the next viewer's beginning quick.
  live_in_->set_encoding(active > 0 || listeners_.empty());
  if (active > 0 && !following_) follow_rates();
}

void Feed::follow_codec() {
  codec_choice_.on_decoders(std::ranges::all_of(
      listeners_, [this](const FeedListener* l) { return l->decodes(codec_choice_.wanted()); }));
  std::string codec = codec_choice_.codec();
  if (codec == codec_) return;
  codec_ = std::move(codec);
  log_info("{}: encoded as {} from now on, {}", options_.source.text(), codec_,
           codec_choice_.reason());
  live_in_->set_codec(codec_);
}

void Feed::follow_lines() {
  std::optional<int> most = 0;
  for (const FeedListener* l : listeners_) {
    const auto lines = l->paused() ? 0 : l->lines();
    most = most && lines ? std::optional(std::max(*most, *lines)) : std::nullopt;
  }
  if (std::exchange(lines_, most) == most) return;
  log_debug("{}: {} lines are shown of it", options_.source.text(),
            most ? std::to_string(*most) : "all");
  live_in_->set_lines(most);
}

void Feed::follow_rates() {
  const Timestamp now = steady_now();
  std::vector<DataRate> viewers;
  bool contended = false;
  for (FeedListener* l : listeners_) {
    if (l->paused()) continue;
    l->measure(now, viewers);
    contended = contended || l->contended(now);
  }
  following_ = !viewers.empty();
  codec_choice_.on_load(live_in_->stats().load, now);
  follow_codec();
  const media::EncoderRates rates = encoder_rate_.rates(viewers, contended);
  if (rates != rates_) {
    if (!rates_ || rates.base_needed != rates_->base_needed) {
      live_in_->set_base_needed(rates.base_needed);
    }
    live_in_->set_rates(rates.total, rates.base);
    rates_ = rates;
  }
  if (!following_) return;
  rate_timer_.after(paceline::ReceiverRate::kInterval, [this] { follow_rates(); });
}

void Feed::request_stop() { live_in_->request_stop(); }

void Feed::on_frame(const std::shared_ptr<const media::WireFrame>& frame) {
  const std::string_view codec = media::codec_of(frame->frame);
  // A listener may go, and take itself off, while it is called.
  for (FeedListener* l : std::vector(listeners_)) {
    const bool there = std::find(listeners_.begin(), listeners_.end(), l) != listeners_.end();
    if (there && l->decodes(codec)) l->on_frame(frame);
  }
}

void Feed::on_ended(const std::string& reason) {
  rate_timer_.cancel();
  for (FeedListener* l : std::exchange(listeners_, {})) l->on_feed_ended(reason);
  on_ended_(this);  // destroys this object
}

}  // namespace qvid::app
