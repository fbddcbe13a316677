#include "app/command/play_run.h"

#include <algorithm>

#include "app/command/report.h"
#include "app/options/screenshot.h"
#include "base/clock.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

constexpr std::size_t kPlottedDelays = 120;
constexpr Duration kPlayTurn = std::chrono::milliseconds(250);
// What is not the picture is looked at so often: reading it holds the decode thread up.
constexpr Duration kDescribeTurn = std::chrono::milliseconds(100);

std::optional<ui::ProgressModel> progress_of(const PlayerReport& report) {
  if (!report.stored) return std::nullopt;
  const media::StoredPlaybackStats& now = report.stored->now;
  return ui::ProgressModel{
      .place = now.place, .duration = report.stored->duration, .buffered = now.buffered};
}

}  // namespace

PlayRun::PlayRun(PlayerOptions options, std::unique_ptr<media::SoundOutput> speaker,
                 std::shared_ptr<OutputLog> output_log, ui::PlayerWindow* window)
    : url_(options.url),
      output_log_(std::move(output_log)),
      window_(window),
      run_(
          io_, output_log_, [this] { player_.stop(); },
          [window] {
            if (window != nullptr) window->wake();
          }),
      preview_decoder_(options.decoders,
                       [this](Duration place, media::VideoFrame picture) {
                         preview_.put({place, std::move(picture)});
                         run_.wake();
                       }),
      player_(io_, std::move(options), std::move(speaker),
              {.picture = [this](media::ShownPicture p) { on_picture(std::move(p)); },
               .changed = [this] { run_.wake(); },
               .ended = [this](ExitCode code, const std::string& why) { run_.ended(code, why); },
               .preview = [this](PreviewFrame f) { preview_decoder_.decode(std::move(f)); }}) {}

void PlayRun::seek(const Timed& seek) { seeks_.push_back(seek); }

void PlayRun::pause(const Timed& pause) { pauses_.push_back(pause); }

void PlayRun::on_first_picture() {
  for (const Timed& seek : seeks_) {
    run_.later(seek.at, [this, to = seek.what] { player_.seek(to); });
  }
  for (const Timed& pause : pauses_) {
    run_.later(pause.at, [this] { player_.toggle_pause(); });
    run_.later(pause.at + pause.what, [this] { player_.toggle_pause(); });
  }
}

ExitCode PlayRun::run(const PlayLimits& limits) {
  run_.stop_after(limits.seconds);
  limit_ = limits.pictures;
  player_.start();
  return window_ != nullptr ? run_.in_window([this] { turn(); }) : run_.headless();
}

void PlayRun::turn() {
  for (const ui::KeyCommand command : window_->wait(kPlayTurn)) act(command);
  const auto picture = latest_.take();
  if (picture) {
    window_->show(picture->decoded.picture, picture->decoded.nominal);
    auto& delays = model_.delay_ms;
    if (delays.size() >= kPlottedDelays) delays.erase(delays.begin());
    if (!stored_) delays.push_back(static_cast<float>(to_ms(picture->delay)));
    last_ = picture->decoded;
  }
  const Timestamp now = steady_now();
  if (!picture || now >= described_ + kDescribeTurn) describe(now);
  show_preview(now);
  const auto presented = window_->draw(model_);
  if (picture && presented && output_log_) {
    output_log_->picture(*presented, url_.name, picture->decoded.picture);
  }
}

// Of what the mouse points at on the bar.
void PlayRun::show_preview(Timestamp now) {
  if (auto came = preview_.take()) {
    previews_.on_picture(came->first, std::move(came->second));
  }
  previews_.set_duration(model_.progress ? model_.progress->duration : Duration::zero());
  const auto pointed = window_->pointed();
  if (const auto place = previews_.ask(pointed, now)) {
    on_network([this, place = *place] { player_.ask_preview(place); });
  }
  const media::VideoFrame* const preview = pointed ? previews_.at(*pointed) : nullptr;
  window_->show_preview(preview != nullptr ? std::optional(*preview) : std::nullopt);
}

void PlayRun::show_notice(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    if (new_notices_.size() == kMostNotices) new_notices_.erase(new_notices_.begin());
    new_notices_.push_back(text);
  }
  run_.wake();
}

void PlayRun::take_notices(Timestamp now) {
  std::vector<std::string> texts;
  {
    const std::lock_guard lock(mutex_);
    texts = std::exchange(new_notices_, {});
  }
  for (std::string& text : texts) {
    const std::vector<std::string> shown = notices_.at(now);
    if (std::ranges::find(shown, text) == shown.end()) notices_.add(std::move(text), now);
  }
}

// What lasts, and behind it what has just happened.
std::string PlayRun::status_text(const std::string& trouble, Timestamp now) const {
  std::string all = trouble;
  for (const std::string& text : notices_.at(now)) all += (all.empty() ? "" : "; ") + text;
  return all;
}

void PlayRun::describe(Timestamp now) {
  described_ = now;
  const PlayerReport report = player_.report();
  stored_ = report.stored.has_value();
  model_.title = url_.text();
  model_.rows = overlay_rows(report);
  take_notices(now);
  model_.status = status_text(report.status, now);
  model_.progress = progress_of(report);
  model_.paused = report.paused;
  model_.volume = report.volume.level;
  model_.silenced = report.volume.silenced;
  model_.speed = report.speed;
  model_.has_layers = report.layers_heard;
  model_.base_alone = report.layers == 1;
}

const std::optional<media::DecodedFrame>& PlayRun::last_picture() {
  if (auto picture = latest_.take()) last_ = picture->decoded;
  return last_;
}

void PlayRun::on_picture(media::ShownPicture picture) {
  if (window_ == nullptr && output_log_) {
    output_log_->picture(steady_now(), url_.name, picture.decoded.picture);
  }
  latest_.put(std::move(picture));
  ++came_;
  if (came_ == 1) on_network([this] { on_first_picture(); });
  if (came_ == limit_) on_network([this] { player_.stop(); });
  run_.wake();
}

template <class F>
void PlayRun::go(F f) {
  if (stored_) return on_network(std::move(f));
  show_notice(
      ui::tr("this is live: it can be paused, but it has no other place and no other speed"));
}

void PlayRun::act(ui::KeyCommand command) {
  using enum ui::KeyCommand;
  switch (command) {
    case kQuit: return on_network([this] { player_.stop(); });
    case kScreenshot: return save_screenshot(*window_, name_of_now(".png"));
    case kPause: return on_network([this] { player_.toggle_pause(); });
    case kSeek: return on_network([this, to = window_->sought()] { player_.seek(to); });
    case kBegin: return go([this] { player_.seek({}); });
    case kBack10: return go([this] { player_.seek_by(-10s); });
    case kForward10: return go([this] { player_.seek_by(10s); });
    case kBack60: return go([this] { player_.seek_by(-60s); });
    case kForward60: return go([this] { player_.seek_by(60s); });
    case kFaster: return go([this] { player_.change_speed(media::faster); });
    case kSlower: return go([this] { player_.change_speed(media::slower); });
    case kNormalSpeed: return go([this] { player_.change_speed([](double) { return 1.0; }); });
    case kNextSpeed: return go([this] { player_.change_speed(media::next_speed); });
    case kLayers:
      if (!model_.has_layers && last_) {
        return show_notice(ui::tr("this server is older than a choice of layers"));
      }
      return on_network([this] { player_.toggle_layers(); });
    case kSilence: return on_network([this] { player_.toggle_silence(); });
    case kLouder: return on_network([this] { player_.change_volume(kVolumeStep); });
    case kSofter: return on_network([this] { player_.change_volume(1 / kVolumeStep); });
  }
}

}  // namespace qvid::app
