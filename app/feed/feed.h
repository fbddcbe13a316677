// One running source and those who watch it: the bridge from Live-In's threads to the network
// thread.
//
// Everything here happens on the io_context's thread; frames and status are posted to it. A feed
// keeps the io_context at work until its source has stopped.
//
// The encoder follows those who watch: ten times a second it is given the rate that they together
// can take (media/live/encoder_rate.h), and where only one of them is not paused, what that one
// lost. While all are paused nothing is encoded, and the device stays open.
//
// Which codec frames are of, media/live/codec_choice.h says. Nobody is given a frame that it does not
// decode. Pictures are as large as the largest that any of them shows (media/live/needed_scale.h).
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
#include <string_view>
#include <vector>

#include "media/live/codec_choice.h"
#include "media/live/encoder_rate.h"
#include "media/live/live_in.h"
#include "transport/rate/receiver_rate.h"
#include "transport/socket/timer.h"

namespace qvid::app {

class FeedListener {
 public:
  virtual ~FeedListener() = default;
  virtual void on_frame(const std::shared_ptr<const media::WireFrame>& frame) = 0;
  virtual void on_status(const media::SourceStatus& status) = 0;
  // The video is less than was asked for, and why; empty: whole again.
  virtual void on_limited(const std::string& reason) = 0;
  // The feed is over; the listener has been taken off it.
  virtual void on_feed_ended(const std::string& reason) = 0;

  // It wants no frames now; the feed is told when that changes (on_pause_changed).
  virtual bool paused() const = 0;
  // Whether it shares its path with a competitor.
  virtual bool contended(Timestamp now) const = 0;
  // Called every ReceiverRate::kInterval while it is not paused: adds what it, or each of those
  // behind it, can take.
  virtual void measure(Timestamp now, std::vector<DataRate>& rates) = 0;
  // The encoder refers to nothing that it reports by Feed::on_lost.
  virtual void set_encoder_informed(bool informed) = 0;
  // By a name of media/codec/codec.h; the feed is told when that changes (on_receivers_changed).
  virtual bool decodes(std::string_view codec) const = 0;
  // How tall it is shown, by those behind it at the most, as media::LiveIn::set_lines has it; the feed is told
  // when that changes, too.
  virtual std::optional<int> lines() const { return std::nullopt; }
  // All that is lost on the way to who watches is reported by Feed::on_lost where it is informed.
  virtual bool tells_all_losses() const = 0;
};

class Feed {
 public:
  static constexpr int kMaxPosted = 64;

  // `on_picture`: as in media::LiveIn. `on_feed_ended` is called on the io thread when the source
  // has stopped: the feed may be destroyed.
  Feed(boost::asio::io_context& io, media::LiveInOptions options,
       std::function<void(Feed*, const media::SourceStatus&)> on_status,
       std::function<void(Feed*)> on_feed_ended,
       std::function<void(const media::VideoFrame&)> on_picture = {});

  // The listener gets frames from the next synchronisation point on, which is asked for.
  void add(FeedListener* listener);
  void remove(FeedListener* listener);
  std::size_t listeners() const { return listeners_.size(); }

  void request_stop();
  // All who watch this are new to it.
  void expect_newcomers() { live_in_->expect_newcomers(); }
  // For a listener that has lost frames: in all layers, or in that one.
  void request_sync_point() { live_in_->request_sync_point(); }
  void request_sync_point(std::uint8_t layer) { live_in_->request_sync_point(layer); }
  void on_pause_changed();
  void on_receivers_changed() {
    follow_codec();
    follow_lines();
  }
  // Of the listener's tells_all_losses.
  void on_telling_changed() { on_listeners_changed(); }
  // What a listener can take became less at once: its next `measure` is not waited for.
  void on_rates_changed() {
    if (following_) follow_rates();
  }
  // Of the listener that was told that the encoder is informed: its path takes no more now. Holds
  // until that changes, or listeners do.
  void hold_back(bool on) { live_in_->hold_back(on); }
  // Of the same.
  void on_lost(media::UnitKey unit) { live_in_->on_lost(unit.frame, unit.layer); }
  // As media::LiveIn has it.
  void freeze(bool on) { live_in_->freeze(on); }
  media::LiveInStats stats() const { return live_in_->stats(); }
  const media::LiveInOptions& options() const { return options_; }
  // What frames are encoded as from now on.
  const std::string& codec() const { return codec_; }  // a name, never kAutoCodec

 private:
  void on_frame(const std::shared_ptr<const media::WireFrame>& frame);
  void on_ended(const std::string& reason);
  void on_listeners_changed();
  void follow_rates();
  void follow_codec();
  void follow_lines();

  media::LiveInOptions options_;
  std::function<void(Feed*, const media::SourceStatus&)> on_status_;
  std::function<void(Feed*)> on_ended_;
  std::vector<FeedListener*> listeners_;
  std::optional<media::SourceStatus> last_status_;
  std::string limited_;
  media::CodecChoice codec_choice_;
  std::string codec_;
  media::EncoderRate encoder_rate_;
  std::optional<media::EncoderRates> rates_;  // as the encoder was last told
  std::optional<int> lines_;                  // the same
  paceline::Timer rate_timer_;
  bool following_ = false;       // rate_timer_ is set
  std::atomic<int> posted_ = 0;  // frames on their way to the network thread
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::unique_ptr<media::LiveIn> live_in_;
};

}  // namespace qvid::app
