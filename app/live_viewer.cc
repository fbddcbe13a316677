#include "app/live_viewer.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace qvid::app {
namespace {

// Frames that an encoder which knows of the loss may take until what it makes can be decoded again.
constexpr int kInformedPatience = 8;
// Frames after which a synchronisation point that did not come is asked for again.
constexpr int kAskAgain = 30;

}  // namespace

LiveViewer::LiveViewer(boost::asio::io_context& io, paceline::Session& session, Feed& feed,
                       const PlayRequest& request, Tell tell, std::function<void(Feed*)> release)
    : session_(session),
      feed_(&feed),
      window_(request.window),
      tell_(std::move(tell)),
      release_(std::move(release)),
      sender_(feed.options().source_options.rate, request.window,
              media::AdaptationPolicy(request.prefer)),
      rate_(feed.options().bitrate),
      timer_(io),
      stream_(session.open_stream()) {}

void LiveViewer::start() {
  tell_(Playing{.codec = feed_->options().codec,
                .rate = feed_->options().source_options.rate,
                .window = window_,
                .stream = stream_.value(),
                .stored = {}});
  feed_->add(this);
}

LiveViewer::~LiveViewer() {
  if (feed_ == nullptr) return;
  feed_->remove(this);
  release_(feed_);
}

bool LiveViewer::on_request(const ClientMessage& request) {
  if (const auto* window = std::get_if<SetWindow>(&request)) {
    sender_.set_window(window->window);
    return true;
  }
  const bool pause = std::holds_alternative<Pause>(request);
  if (!pause && !std::holds_alternative<Resume>(request)) return false;
  if (paused_ == pause) return true;
  paused_ = pause;
  if (pause) {
    cancel(sender_.restart());
    meter_.clear();
  }
  frames_broken_ = 0;
  if (feed_ != nullptr) feed_->on_pause_changed();
  return true;
}

ViewerStats LiveViewer::stats() const {
  ViewerStats stats = stats_;
  stats.frames = sender_.frames();
  stats.units_not_sent = sender_.not_sent();
  stats.late_outputs = sender_.late_outputs();
  return stats;
}

void LiveViewer::on_status(const media::SourceStatus& status) {
  tell_(Status{.ok = status.ok, .text = status.text});
}

void LiveViewer::on_limited(const std::string& reason) { tell_(Limited{reason}); }

void LiveViewer::on_feed_ended(const std::string& reason) {
  feed_ = nullptr;
  tell_(Ended{reason});
}

void LiveViewer::set_encoder_informed(bool informed) {
  informed_ = informed;
  sender_.set_encoder_informed(informed);
}

DataRate LiveViewer::measure(Timestamp now) {
  const auto signals = session_.signals();
  const Duration round_trip =
      signals.base_rtt > Duration::zero() ? signals.base_rtt : signals.rtt_low;
  rate_.on_reading(meter_.read(now, 2 * media::ViewerRate::kInterval, round_trip),
                   meter_.read(now, media::DeliveryMeter::kMemory, round_trip), now);
  return rate_.rate();
}

void LiveViewer::on_frame(const std::shared_ptr<const media::WireFrame>& wire) {
  if (paused_) return;
  sender_.on_frame(wire);
  poll();
  ask_for_sync_point();
}

// The feed asks for the first one itself, when a viewer joins or goes on.
void LiveViewer::ask_for_sync_point() {
  frames_broken_ = sender_.wants_sync_point() ? frames_broken_ + 1 : 0;
  const int patience = informed_ ? kInformedPatience : 0;
  if (feed_ == nullptr || frames_broken_ == 0) return;
  if (frames_broken_ == patience + 1 && sender_.begun()) {
    feed_->request_sync_point(0);
  } else if (frames_broken_ % kAskAgain == 0) {
    feed_->request_sync_point();
  }
}

void LiveViewer::poll() {
  auto decisions = sender_.poll(steady_now());
  cancel(decisions.cancels);
  for (auto& one : decisions.sends) send(std::move(one));
  tell_encoder();
  arm();
}

void LiveViewer::arm() {
  const Timestamp next = sender_.next_event();
  if (next >= armed_) return;
  armed_ = next;
  timer_.at(next, [this] {
    armed_ = kNever;
    poll();
  });
}

void LiveViewer::send(media::LiveSender::Send&& send) {
  const auto id = session_.send(stream_, {.importance = paceline::Importance(send.importance),
                                          .position = paceline::Position(send.position),
                                          .deadline = send.deadline,
                                          .payload = std::move(send.payload)});
  if (!send.unit) {
    if (!id) cancel(sender_.on_header_refused(send.frame));
    return;
  }
  if (id) {
    pending_[*send.unit] = *id;
    unit_of_[*id] = *send.unit;
    meter_.on_sent(*send.unit, steady_now());
  } else {
    ++stats_.units_cancelled;
    cancel(sender_.on_ended(*send.unit, false));
  }
}

void LiveViewer::cancel(const std::vector<media::UnitKey>& units) {
  for (const media::UnitKey& unit : units) {
    const auto it = pending_.find(unit);
    if (it != pending_.end()) session_.cancel(it->second);
  }
}

// Where this is its only viewer, the encoder refers to nothing that was lost here.
void LiveViewer::tell_encoder() {
  const auto lost = sender_.take_lost();
  if (!informed_ || feed_ == nullptr) return;
  for (const media::UnitKey& unit : lost) feed_->on_lost(unit);
}

void LiveViewer::on_message_ended(const paceline::MessageEnded& ended) {
  const auto it = unit_of_.find(ended.message);
  if (it == unit_of_.end()) return;
  const media::UnitKey unit = it->second;
  const bool delivered = ended.outcome == paceline::Outcome::kDelivered;
  ++(delivered ? stats_.units_sent : stats_.units_cancelled);
  pending_.erase(unit);
  unit_of_.erase(it);
  meter_.on_ended(unit, ended.sent, delivered, steady_now());
  cancel(sender_.on_ended(unit, delivered));
  tell_encoder();
}

}  // namespace qvid::app
