#include "app/live_viewer.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "media/adaptation_policy.h"
#include "media/unit_wire.h"

namespace qvid::app {

LiveViewer::LiveViewer(boost::asio::io_context& io, paceline::Session& session, Feed& feed,
                       int window, Tell tell, std::function<void(Feed*)> release)
    : session_(session),
      feed_(&feed),
      window_(window),
      tell_(std::move(tell)),
      release_(std::move(release)),
      timeline_(feed.options().source_options.rate, window),
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

bool LiveViewer::on_request(const ClientMessage&) { return false; }

void LiveViewer::on_resumed() {
  if (feed_ != nullptr) feed_->request_sync_point();
}

void LiveViewer::on_status(const media::SourceStatus& status) {
  tell_(Status{.ok = status.ok, .text = status.text});
}

ViewerStats LiveViewer::stats() const {
  ViewerStats stats = stats_;
  stats.late_outputs = timeline_.late_outputs();
  return stats;
}

void LiveViewer::on_feed_ended(const std::string& reason) {
  feed_ = nullptr;
  tell_(Ended{reason});
}

void LiveViewer::on_frame(const std::shared_ptr<const media::WireFrame>& wire) {
  const media::CodedFrame& frame = wire->frame;
  if (!first_) {
    const bool sync = std::all_of(frame.units.begin(), frame.units.end(),
                                  [](const auto& unit) { return unit.is_sync_point(); });
    if (!sync) return;
    first_ = frame.number;
  }
  timeline_.on_frame(wire);
  poll();
}

void LiveViewer::poll() {
  const Timestamp now = steady_now();
  const auto decisions = timeline_.poll(now);
  for (const auto& output : decisions.outputs) send(output);
  for (const auto& expire : decisions.expired) {
    const auto it = pending_.find({expire.number, expire.layer});
    if (it != pending_.end()) session_.cancel(it->second);
  }
  const Timestamp next = timeline_.next_event();
  if (next >= armed_) return;
  armed_ = next;
  timer_.expires_at(next);
  // A wait that is already on the queue can no longer be cancelled, and may outlive us.
  timer_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || alive.expired()) return;
    armed_ = kNever;
    poll();
  });
}

void LiveViewer::send(const media::LiveTimeline::Output& output) {
  const media::CodedFrame& frame = output.frame->frame;
  const FrameNumber number(frame.number.value() - first_->value());
  ++stats_.frames;
  if (!send_message(media::kHeaderImportance, media::header_position(number), output.header_expiry,
                    output.frame->header, std::nullopt)) {
    stats_.units_cancelled += static_cast<std::int64_t>(frame.units.size());
    return;  // without its header nothing of the frame is of use
  }
  for (std::size_t i = 0; i < frame.units.size(); ++i) {
    const media::CodedUnit& unit = frame.units[i];
    if (!send_message(media::unit_importance(unit.layer, unit.needed_for),
                      media::unit_position(number, unit.layer), output.unit_expiry[i],
                      output.frame->units[i], std::pair(frame.number, unit.layer))) {
      ++stats_.units_cancelled;
    }
  }
}

bool LiveViewer::send_message(std::uint8_t importance, std::uint64_t position, Timestamp deadline,
                              Payload payload,
                              std::optional<std::pair<FrameNumber, std::uint8_t>> unit) {
  const auto id = session_.send(stream_, {.importance = paceline::Importance(importance),
                                          .position = paceline::Position(position),
                                          .deadline = deadline,
                                          .payload = std::move(payload)});
  if (!id) return false;
  if (unit) {
    pending_[*unit] = *id;
    unit_of_[*id] = *unit;
  }
  return true;
}

void LiveViewer::on_message_ended(const paceline::MessageEnded& ended) {
  const auto it = unit_of_.find(ended.message);
  if (it == unit_of_.end()) return;
  ++(ended.outcome == paceline::Outcome::kDelivered ? stats_.units_sent : stats_.units_cancelled);
  pending_.erase(it->second);
  unit_of_.erase(it);
}

}  // namespace qvid::app
