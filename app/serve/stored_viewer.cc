#include "app/serve/stored_viewer.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "app/log/log.h"
#include "base/clock.h"
#include "media/stored/layered_file_source.h"
#include "media/stored/stored_playout.h"

namespace qvid::app {

StoredViewer::StoredViewer(boost::asio::io_context& io, paceline::Session& session,
                           std::filesystem::path file, media::StoredOptions options,
                           const PlayRequest& request, Tell tell)
    : io_(io),
      session_(session),
      path_(std::move(file)),
      options_(std::move(options)),
      tell_(std::move(tell)),
      timer_(io),
      layers_(request.layers),
      wanted_(request.start) {}

StoredViewer::~StoredViewer() = default;

void StoredViewer::start() {
  // From the reader's thread to this one, where the viewer may be gone by then.
  const auto guarded = [this, weak = std::weak_ptr(alive_)](auto f) {
    boost::asio::post(io_, [weak, f = std::move(f)] {
      if (!weak.expired()) f();
    });
  };
  file_ = std::make_unique<media::FileIn>(
      path_, options_,
      media::FileIn::Callbacks{
          .opened =
              [=, this](const media::StoredInfo& info) {
                guarded([this, info] { on_opened(info); });
              },
          .frame =
              [=, this](std::shared_ptr<const media::WireFrame> frame, std::uint64_t generation) {
                guarded(
                    [this, frame = std::move(frame), generation] { on_frame(frame, generation); });
              },
          .ended =
              [=, this](std::uint64_t generation) {
                guarded([this, generation] { on_end(generation); });
              },
          .failed = [=, this](const Error& error) { guarded([this, error] { on_failed(error); }); },
          .sound =
              [=, this](std::vector<media::StoredSoundMessage> messages, std::uint64_t generation) {
                guarded([this, messages = std::move(messages), generation] {
                  on_sound(messages, generation);
                });
              }});
  seek(wanted_);
}

void StoredViewer::on_opened(const media::StoredInfo& info) {
  info_ = info;
  log_info("{}: opened {}: {}x{} at {:.4g} frames/s, {}, {}", session_.peer(),
           path_.filename().string(), info.size.width, info.size.height, info.rate.per_second(),
           info.sound ? "with sound" : "without sound",
           info.prepared ? "prepared" : "encoded while it is played");
  if (!info.note.empty()) log_info("{}", info.note);
}

void StoredViewer::seek(Duration to) {
  wanted_ = to;
  ++generation_;
  if (seek_epoch_) {
    session_.close_stream(seek_epoch_->stream);
    if (seek_epoch_->sound) session_.close_stream(*seek_epoch_->sound);
    stats_.units_cancelled += static_cast<std::int64_t>(parts_.size());
    seek_epoch_.reset();
    parts_.clear();
  }
  file_->seek(to, generation_);
  read_until_ = to + media::PriorityProgress::kFirstWindow;
  file_->read_until(read_until_);
}

// The first frame of a seek epoch is there: now it is known where it begins.
void StoredViewer::begin(Duration at) {
  const Duration to = media::place_to_see(wanted_, at, info_->duration, info_->rate);
  seek_epoch_.emplace(SeekEpoch{.stream = session_.open_stream(),
                                .progress = media::PriorityProgress(info_->rate, to),
                                .pending = {}});
  seek_epoch_->progress.set_layers(layers_);
  std::optional<std::uint32_t> sound;
  if (info_->sound) {
    seek_epoch_->sound = session_.open_stream();
    sound = seek_epoch_->sound->value();
  }
  if (std::exchange(playing_, true)) {
    tell_(Moved{.stream = seek_epoch_->stream.value(), .sound = sound, .at = at, .to = to});
  } else {
    std::optional<std::uint32_t> previews;
    if (info_->duration > Duration::zero() && !media::is_layered_file(path_)) {
      previews_ = std::make_unique<PreviewSender>(io_, session_, path_, info_->size);
      previews = previews_->stream().value();
    }
    tell_(Playing{.codec = info_->codec,
                  .rate = info_->rate,
                  .stream = seek_epoch_->stream.value(),
                  .sound = sound,
                  .previews = previews,
                  .stored = StoredPlace{.duration = info_->duration, .at = at},
                  .layers = true});
  }
  arm_timer();
}

void StoredViewer::on_frame(std::shared_ptr<const media::WireFrame> frame,
                            std::uint64_t generation) {
  if (generation != generation_ || !info_) return;
  last_frame_ = frame->frame.due.time_since_epoch();
  if (!seek_epoch_) begin(last_frame_);
  ++stats_.frames;
  seek_epoch_->progress.on_frame(std::move(frame));
  poll();
}

void StoredViewer::on_sound(const std::vector<media::StoredSoundMessage>& messages,
                            std::uint64_t generation) {
  if (generation != generation_ || !seek_epoch_ || !seek_epoch_->sound) return;
  for (const auto& message : messages) {
    if (seek_epoch_->sound_waits.size() < kMaxSound) {
      seek_epoch_->sound_waits.push_back(message);
    } else {
      ++stats_.sound_late;
    }
  }
  if (!paused_) send_sound();
}

void StoredViewer::send_sound() {
  auto& waits = seek_epoch_->sound_waits;
  const Duration played = seek_epoch_->progress.reported() - media::kSoundBehind;
  while (!waits.empty() && waits.front().place + waits.front().duration < played) {
    if (sound_wanted_) ++stats_.sound_late;
    waits.pop_front();
  }
  const Duration until = seek_epoch_->progress.base_until() + kSoundLead;
  while (sound_wanted_ && !waits.empty() && waits.front().place < until) {
    const auto sent = session_.send(*seek_epoch_->sound,
                                    {.importance = paceline::Importance(media::kSoundImportance),
                                     .position = paceline::Position(seek_epoch_->next_packet),
                                     .payload = waits.front().payload});
    if (!sent) return;  // the session's queue is full; again at the next turn
    ++seek_epoch_->next_packet;
    waits.pop_front();
  }
}

void StoredViewer::on_end(std::uint64_t generation) {
  if (generation != generation_ || !info_) return;
  if (!seek_epoch_) {
    // Nothing from there on: a file whose duration is not what it says.
    if (wanted_ > Duration::zero()) return seek(Duration::zero());
    return on_failed({"there is no picture in it"});
  }
  seek_epoch_->progress.on_end();
  poll();
}

void StoredViewer::on_failed(const Error& error) {
  log_warning("{}: {}: {}", session_.peer(), path_.filename().string(), error.message);
  if (playing_) {
    tell_(Ended{error.message});
  } else {
    tell_(Refused{error.message});
  }
}

bool StoredViewer::on_request(const ClientMessage& request) {
  if (const auto* position = std::get_if<PlayerPosition>(&request)) {
    if (!seek_epoch_) return true;
    seek_epoch_->progress.on_position(position->at, position->running ? position->speed : 0,
                                      session_.signals().rtt, steady_now());
    poll();
  } else if (const auto* to = std::get_if<Seek>(&request)) {
    seek(to->to);
  } else if (const auto* sound = std::get_if<SoundWanted>(&request)) {
    sound_wanted_ = sound->on;
    poll();
  } else if (const auto* layers = std::get_if<LayersWanted>(&request)) {
    layers_ = layers->most;
    if (seek_epoch_) seek_epoch_->progress.set_layers(layers_);
    poll();
  } else if (const auto* preview = std::get_if<PreviewWanted>(&request)) {
    if (previews_ != nullptr) previews_->ask(preview->at);
  } else if (std::holds_alternative<Pause>(request)) {
    paused_ = true;
  } else if (std::holds_alternative<Resume>(request)) {
    paused_ = false;
    poll();
  } else {
    return false;
  }
  return true;
}

void StoredViewer::poll() {
  if (!seek_epoch_ || paused_) return;
  const auto decisions = seek_epoch_->progress.poll(steady_now());
  for (const auto& part : decisions.cancels) {
    const auto it = seek_epoch_->pending.find(part);
    if (it != seek_epoch_->pending.end()) session_.cancel(it->second);
  }
  for (const auto& part : decisions.sends) send(part);
  if (seek_epoch_->sound) send_sound();
  const Duration until = seek_epoch_->progress.read_until();
  if (std::exchange(read_until_, until) != until) file_->read_until(until);
  if (seek_epoch_->progress.complete() && !std::exchange(seek_epoch_->ended, true)) {
    tell_(Ended{"the video is at its end"});
  }
}

void StoredViewer::send(const media::PriorityProgress::Send& send) {
  const auto id =
      session_.send(seek_epoch_->stream, {.importance = paceline::Importance(send.importance),
                                          .position = paceline::Position(send.position),
                                          .payload = send.payload});
  if (!id) {
    if (send.part.unit) ++stats_.units_cancelled;
    return seek_epoch_->progress.on_part_ended(send.part, false);
  }
  seek_epoch_->pending[send.part] = *id;
  parts_[*id] = send.part;
}

void StoredViewer::on_message_ended(const paceline::MessageEnded& ended) {
  const bool delivered = ended.outcome == paceline::Outcome::kDelivered;
  if (seek_epoch_ && seek_epoch_->sound && ended.stream == *seek_epoch_->sound) {
    ++(delivered ? stats_.sound_sent : stats_.sound_late);
    return;
  }
  const auto it = parts_.find(ended.message);
  if (it == parts_.end()) return;
  if (it->second.unit) ++(delivered ? stats_.units_sent : stats_.units_cancelled);
  seek_epoch_->pending.erase(it->second);
  seek_epoch_->progress.on_part_ended(it->second, delivered);
  parts_.erase(it);
}

void StoredViewer::arm_timer() {
  timer_.after(media::PriorityProgress::kTurn, [this] {
    if (!seek_epoch_) return;
    poll();
    arm_timer();
  });
}

}  // namespace qvid::app
