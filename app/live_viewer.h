// One viewer of a feed: the thin shell around what decides (media/live_sender.h), between the
// shared, once-encoded stream and the viewer's session. Source: 000 section 5.1.
//
// Frames are sent at their output events, each header and unit as a message of its own; at its
// expire event what is left of a unit is cancelled, with all that needs it. While paused nothing is
// sent. Queue: the session's send queue (bounded; a unit that it refuses counts as cancelled).
// Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "app/feed.h"
#include "app/timer.h"
#include "app/viewer.h"
#include "media/delivery_meter.h"
#include "media/encoder_rate.h"
#include "media/live_sender.h"
#include "transport/session.h"

namespace qvid::app {

class LiveViewer : public Viewer, private FeedListener {
 public:
  // `feed` outlives the viewer, or on_feed_ended comes first; otherwise `release` is called when
  // the viewer goes and has taken itself off the feed.
  LiveViewer(boost::asio::io_context& io, paceline::Session& session, Feed& feed,
             const PlayRequest& request, Tell tell, std::function<void(Feed*)> release);
  ~LiveViewer() override;

  void start() override;
  bool on_request(const ClientMessage& request) override;
  void on_message_ended(const paceline::MessageEnded& ended) override;
  ViewerStats stats() const override;

 private:
  void on_frame(const std::shared_ptr<const media::WireFrame>& frame) override;
  void on_status(const media::SourceStatus& status) override;
  void on_limited(const std::string& reason) override;
  void on_feed_ended(const std::string& reason) override;
  bool paused() const override { return paused_; }
  DataRate measure(Timestamp now) override;
  void set_encoder_informed(bool informed) override;

  void poll();
  void send(media::LiveSender::Send&& send);
  void cancel(const std::vector<media::UnitKey>& units);
  void tell_encoder();
  void ask_for_sync_point();
  void arm();

  paceline::Session& session_;
  Feed* feed_;
  int window_;
  Tell tell_;
  std::function<void(Feed*)> release_;
  media::LiveSender sender_;
  media::DeliveryMeter meter_;
  media::ViewerRate rate_;
  Timer timer_;
  Timestamp armed_ = kNever;
  paceline::StreamId stream_;
  // Units that are still to be delivered; as many as the timeline remembers.
  std::map<media::UnitKey, paceline::MessageId> pending_;
  std::map<paceline::MessageId, media::UnitKey> unit_of_;
  bool paused_ = false;
  bool informed_ = false;
  int frames_broken_ = 0;  // given by the feed in a row while a synchronisation point is wanted
  ViewerStats stats_;
};

}  // namespace qvid::app
