#include "app/serve/live_viewer.h"

#include <utility>

namespace qvid::app {

LiveViewer::LiveViewer(boost::asio::io_context& io, paceline::Session& session, Feed& feed,
                       std::shared_ptr<SoundFeed> sound, const PlayRequest& request, Tell tell,
                       std::function<void(Feed*)> release)
    : FeedSender(io, feed, request.window, request.prefer, std::move(release)),
      session_(session),
      window_(request.window),
      decodes_(request.decodes),
      tell_(std::move(tell)),
      stream_(session.open_stream()),
      sound_(std::move(sound)) {
  if (sound_) sound_stream_ = session.open_stream();
  set_layers(request.layers);
}

LiveViewer::~LiveViewer() {
  if (sound_) sound_->remove(this);
}

void LiveViewer::start() {
  // It may become another wherever it can be decoded: frames say what they are of.
  const std::string codec = feed()->codec();
  tell_(Playing{.codec = decodes(codec) ? codec : std::string(media::kPlainCodec),
                .rate = feed()->options().source_options.rate,
                .window = window_,
                .stream = stream_.value(),
                .sound = sound_ ? std::optional(sound_stream_.value()) : std::nullopt,
                .stored = {},
                .layers = true});
  join();
  if (sound_) sound_->add(this);
}

bool LiveViewer::on_request(const ClientMessage& request) {
  if (const auto* window = std::get_if<SetWindow>(&request)) {
    set_window(window->window);
    return true;
  }
  if (const auto* layers = std::get_if<LayersWanted>(&request)) {
    set_layers(layers->most);
    return true;
  }
  if (const auto* sound = std::get_if<SoundWanted>(&request)) {
    sound_wanted_ = *sound;
    return sound_ != nullptr;
  }
  const bool on = std::holds_alternative<Pause>(request);
  if (!on && !std::holds_alternative<Resume>(request)) return false;
  pause(on);
  return true;
}

ViewerStats LiveViewer::stats() const {
  ViewerStats stats = stats_;
  stats.frames = frames();
  stats.units_not_sent = units_not_sent();
  stats.late_outputs = late_outputs();
  return stats;
}

void LiveViewer::on_status(const media::SourceStatus& status) {
  tell_(Status{.ok = status.ok, .text = status.text});
}

void LiveViewer::on_limited(const std::string& reason) { tell_(Limited{reason}); }

void LiveViewer::on_feed_ended(const std::string& reason) {
  FeedSender::on_feed_ended(reason);
  tell_(Ended{reason});
}

void LiveViewer::measure(Timestamp now, std::vector<DataRate>& rates) {
  const std::size_t before = rates.size();
  FeedSender::measure(now, rates);
  if (!sound_ || rates.size() == before) return;
  // A path that takes all of the picture has room for any sound.
  const bool all = path_rate() >= feed()->options().bitrate;
  sound_->on_path(this, all ? media::kAnySound : path_rate(), now);
}

void LiveViewer::on_sound(const media::SoundPacket& packet, const Payload& wire) {
  if (paused() || !sound_wanted_.on) return;
  const auto sent = session_.send(
      sound_stream_, {.importance = paceline::Importance(media::kSoundImportance),
                      .position = paceline::Position(next_packet_),
                      .deadline = packet.captured + packet.duration + sound_wanted_.window,
                      .payload = wire});
  if (sent) {
    ++next_packet_;
  } else {
    ++stats_.sound_late;
  }
}

std::optional<std::uint64_t> LiveViewer::put(const media::LiveSender::Send& send) {
  const auto id = session_.send(stream_, {.importance = paceline::Importance(send.importance),
                                          .position = paceline::Position(send.position),
                                          .deadline = send.deadline,
                                          .payload = send.payload,
                                          .in_any_order = true});  // FrameAssembler sorts
  if (id) return id->value();
  if (send.unit) ++stats_.units_cancelled;
  return std::nullopt;
}

void LiveViewer::on_message_ended(const paceline::MessageEnded& ended) {
  if (sound_ && ended.stream == sound_stream_) {
    const bool heard = ended.outcome == paceline::Outcome::kDelivered;
    ++(heard ? stats_.sound_sent : stats_.sound_late);
    return;
  }
  const bool delivered = ended.outcome == paceline::Outcome::kDelivered;
  if (FeedSender::on_message_ended(ended.message.value(), ended.sent, delivered)) {
    ++(delivered ? stats_.units_sent : stats_.units_cancelled);
  }
}

}  // namespace qvid::app
