#include "app/feed/feed_sender.h"

#include <utility>

#include "base/clock.h"

namespace qvid::app {
namespace {

// Frames that an encoder which knows of the loss may take until what it makes can be decoded again.
constexpr int kInformedPatience = 8;
// Frames after which a synchronisation point that did not come is asked for again.
constexpr int kAskAgain = 30;
// While the encoder is held back: until it is looked again whether the path takes something.
constexpr Duration kLookAgain = std::chrono::milliseconds(5);

}  // namespace

FeedSender::FeedSender(boost::asio::io_context& io, Feed& feed, int window,
                       media::Preference prefer, std::function<void(Feed*)> release)
    : feed_(&feed),
      release_(std::move(release)),
      sender_(feed.options().source_options.rate, window, media::AdaptationPolicy(prefer)),
      rate_(feed.options().bitrate),
      timer_(io),
      held_timer_(io) {}

FeedSender::~FeedSender() {
  if (feed_ == nullptr) return;
  feed_->remove(this);
  release_(feed_);
}

void FeedSender::pause(bool on) {
  if (std::exchange(paused_, on) == on) return;
  if (on) restart();
  frames_broken_ = 0;
  if (feed_ != nullptr) feed_->on_pause_changed();
}

void FeedSender::restart() {
  cancel(sender_.restart());
  meter_.clear();
}

void FeedSender::on_feed_ended(const std::string&) { feed_ = nullptr; }

void FeedSender::set_encoder_informed(bool informed) {
  informed_ = informed;
  gave_up_ = false;  // the feed has let go, too
  sender_.set_encoder_informed(informed);
}

void FeedSender::measure(Timestamp now, std::vector<DataRate>& rates) {
  rate_.on_measured(meter_, signals().empty_rtt(), now);
  // Half of what the weakest takes is the base's: so it stays as large as it is for the others.
  constexpr double kOfRate = 2 * media::EncoderRate::kBaseShare;
  rates.push_back(base_alone_ ? path_rate() * kOfRate : path_rate());
}

void FeedSender::set_layers(int most) {
  sender_.set_layers(most);
  base_alone_ = most == 1;  // the feed hears of it at its next `measure`
}

void FeedSender::on_path_rate(const paceline::PathRate& path) {
  if (paused_ || feed_ == nullptr) return;
  rate_.on_told(path, steady_now());
  if (path.reason == paceline::PathRate::Reason::kRestored) meter_.clear();
  feed_->on_rates_changed();
}

void FeedSender::on_frame(const std::shared_ptr<const media::WireFrame>& wire) {
  if (paused_) return;
  sender_.on_frame(wire);
  poll();
  ask_for_sync_point();
}

// The feed asks for the first one itself, when a viewer joins or goes on.
void FeedSender::ask_for_sync_point() {
  frames_broken_ = sender_.wants_sync_point() ? frames_broken_ + 1 : 0;
  const int patience = informed_ ? kInformedPatience : 0;
  if (feed_ == nullptr || frames_broken_ == 0) return;
  if (frames_broken_ == patience + 1 && sender_.begun()) {
    feed_->request_sync_point(0);
  } else if (frames_broken_ % kAskAgain == 0) {
    feed_->request_sync_point();
  }
}

void FeedSender::poll() {
  auto decisions = sender_.poll(steady_now());
  for (const auto& one : decisions.sends) send(one);
  cancel(decisions.cancels);  // and what was sent just now, if it needs one of them
  tell_encoder();
  arm();
}

// Until one can be sent again.
void FeedSender::hold_back() {
  if (!informed_ || feed_ == nullptr) return;
  const paceline::SessionSignals now = signals();
  const bool before = std::exchange(gave_up_, now.silent || now.allowance <= ByteCount());
  if (gave_up_ != before) feed_->hold_back(gave_up_);
  if (gave_up_) held_timer_.after(kLookAgain, [this] { hold_back(); });
}

void FeedSender::arm() {
  const Timestamp next = sender_.next_event();
  if (next >= armed_) return;
  armed_ = next;
  timer_.at(next, [this] {
    armed_ = kNever;
    poll();
  });
}

void FeedSender::send(const media::LiveSender::Send& send) {
  const auto message = put(send);
  if (!send.unit) {
    if (message) return sender_.on_header_taken(send.number, *message);
    cancel(sender_.on_lost(send.number, std::nullopt));
  } else if (message) {
    const auto ticket = meter_.on_sent(send.payload.byte_count(), steady_now());
    sender_.on_taken(*send.unit, *message, ticket);
  } else {
    cancel(sender_.on_ended(*send.unit, false));
  }
}

void FeedSender::cancel(const std::vector<media::UnitKey>& units) {
  for (const media::UnitKey& unit : units) {
    const auto message = sender_.message_of(unit);
    if (!message || !drop(*message)) continue;
    cancel(sender_.on_ended(unit, false));
    if (unit.layer == 0 && !gave_up_) hold_back();
  }
}

// Where this is its only receiver, the encoder refers to nothing that was lost here.
void FeedSender::tell_encoder() {
  const auto lost = sender_.take_lost();
  if (!informed_ || feed_ == nullptr) return;
  for (const media::UnitKey& unit : lost) feed_->on_lost(unit);
}

void FeedSender::on_lost_behind(FrameNumber number, std::optional<std::uint8_t> layer) {
  cancel(sender_.on_lost(number, layer));
  tell_encoder();
}

bool FeedSender::on_message_ended(std::uint64_t message, ByteCount sent, bool delivered) {
  const auto ended = sender_.take(message);
  if (!ended) {
    cancel(sender_.on_header_ended(message, delivered));
    tell_encoder();
    return false;
  }
  meter_.on_ended(ended->ticket, sent, delivered, steady_now());
  cancel(sender_.on_ended(ended->unit, delivered));
  if (!delivered && ended->unit.layer == 0 && !gave_up_) hold_back();
  tell_encoder();
  return true;
}

}  // namespace qvid::app
