// What a feed's frames become on their way to one receiver: the thin shell around what decides
// (media/live/live_sender.h), between the shared, once-encoded stream and whatever carries it.
// Source: 000 section 5.1.
//
// Frames are sent at their output events, each header and unit by itself; at its expire event what
// is left of a unit is cancelled, with all that needs it. While paused nothing is sent. How they
// are sent is the derived class's: to a player (live_viewer.h) or to a broker (room_publisher.h).
//
// Where the encoder knows of each loss and a base was given up, no picture is encoded until one can be
// sent, and the other end was heard since a way was given up: what is encoded while a path stands
// still is lost, too, and after half a second of that nothing is left to refer to
// (media/codec/h264/reference_plan.h) but a key frame. The first sockets after a failover would take some.
//
// Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/feed/feed.h"
#include "media/live/encoder_rate.h"
#include "media/live/live_sender.h"
#include "transport/rate/receiver_rate.h"
#include "transport/session/signals.h"
#include "transport/socket/timer.h"

namespace qvid::app {

class FeedSender : protected FeedListener {
 public:
  // `feed` outlives this, or on_feed_ended comes first; otherwise `release` is called when this
  // goes and has taken itself off the feed. `window`: frames.
  FeedSender(boost::asio::io_context& io, Feed& feed, int window, media::Preference prefer,
             std::function<void(Feed*)> release);
  ~FeedSender() override;
  FeedSender(const FeedSender&) = delete;
  FeedSender& operator=(const FeedSender&) = delete;

  // What the transport says of its path.
  void on_path_rate(const paceline::PathRate& path);
  // What it gave the transport of late (DeliveryMeter::kMemory): by this several that share a path
  // have their parts of it.
  ByteCount offered(Timestamp now) const {
    return meter_.read(now, paceline::DeliveryMeter::kMemory, {}).offered;
  }
  std::int64_t frames() const { return sender_.frames(); }
  std::int64_t units_not_sent() const { return sender_.not_sent(); }
  std::int64_t late_outputs() const { return sender_.late_outputs(); }

 protected:
  // Frames come from the next synchronisation point on.
  void join() { feed_->add(this); }
  void pause(bool on);
  void set_window(int window) { sender_.set_window(window); }
  // No more than these, 1 or more. Who wants the base alone is to the encoder one who cannot take more: where
  // all do, that is one layer at a lower rate, which is sharper than the base of two.
  void set_layers(int most);
  // All that is under way is lost, and it begins again.
  void restart();
  // A message that put took has ended; `sent`: bytes of it that went out. False: it was no unit, but a header
  // or of somebody else.
  bool on_message_ended(std::uint64_t message, ByteCount sent, bool delivered);
  // As media::LiveSender::on_lost.
  void on_lost_behind(FrameNumber number, std::optional<std::uint8_t> layer);
  // The encoder refers to nothing that is lost here.
  bool informed() const { return informed_; }
  const Feed* feed() const { return feed_; }
  Feed* feed() { return feed_; }

  // A header or unit to send, as a message of its own; their numbers rise. Empty: it was refused.
  // on_message_ended follows.
  virtual std::optional<std::uint64_t> put(const media::LiveSender::Send& send) = 0;
  // What is left of a unit that put took. True: it will not arrive. False: all of it has gone out.
  virtual bool drop(std::uint64_t message) = 0;
  virtual paceline::SessionSignals signals() const = 0;

  bool paused() const override { return paused_; }
  void on_frame(const std::shared_ptr<const media::WireFrame>& frame) override;
  void on_feed_ended(const std::string& reason) override;
  // What the path takes, whatever is wanted of it.
  DataRate path_rate() const { return rate_.rate(); }
  void measure(Timestamp now, std::vector<DataRate>& rates) override;
  bool contended(Timestamp now) const override { return rate_.contended(now); }
  void set_encoder_informed(bool informed) override;

 private:
  void poll();
  void hold_back();
  void send(const media::LiveSender::Send& send);
  void cancel(const std::vector<media::UnitKey>& units);
  void tell_encoder();
  void ask_for_sync_point();
  void arm();

  Feed* feed_;
  std::function<void(Feed*)> release_;
  media::LiveSender sender_;
  paceline::DeliveryMeter meter_;
  paceline::ReceiverRate rate_;
  paceline::Timer timer_;
  paceline::Timer held_timer_;
  Timestamp armed_ = kNever;
  bool paused_ = false;
  bool base_alone_ = false;
  bool informed_ = false;
  bool gave_up_ = false;   // a base, and nothing could be sent since
  int frames_broken_ = 0;  // given by the feed in a row while a synchronisation point is wanted
};

}  // namespace qvid::app
