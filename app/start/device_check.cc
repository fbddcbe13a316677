#include "app/start/device_check.h"

#include <utility>

#include "app/options/sound_options.h"
#include "app/start/test_tone.h"
#include "ui/window/tile_model.h"

namespace qvid::app {
namespace {

constexpr media::PictureSize kSeen{640, 360};
constexpr FrameRate kSeenRate{15, 1};  // enough to comb one's hair by

std::string device_name(const std::string& option) {
  return option == kDefaultDevice ? "" : option;
}

}  // namespace

DeviceCheck::DeviceCheck(DeviceWish wish, std::function<void()> wake)
    : wake_(std::move(wake)), wish_(std::move(wish)) {
  start_camera();
  sound_ = std::jthread([this](const std::stop_token& stop) { listen(stop); });
}

DeviceCheck::~DeviceCheck() {
  sound_ = {};
  for (const auto& camera : cameras_) camera->source->request_stop();
}

void DeviceCheck::set_wish(const DeviceWish& wish) {
  bool other_camera = false;
  {
    const std::lock_guard lock(mutex_);
    other_camera = wish.camera != wish_.camera;
    const bool other_sound =
        wish.microphone != wish_.microphone || wish.loudspeaker != wish_.loudspeaker;
    sound_changed_ = sound_changed_ || other_sound;
    wish_ = wish;
    if (other_camera) view_.camera_trouble.clear();
    changed_.notify_all();
  }
  if (other_camera) start_camera();
}

void DeviceCheck::start_camera() {
  std::erase_if(cameras_, [](const auto& camera) { return camera->ended.load(); });
  for (const auto& camera : cameras_) camera->source->request_stop();
  auto next = std::make_unique<Camera>();
  const Camera* const self = next.get();
  {
    const std::lock_guard lock(mutex_);
    camera_ = wish_.camera ? self : nullptr;
    if (!wish_.camera) return;
  }
  media::LiveInOptions options;
  options.source = media::default_source();
  if (!wish_.camera->empty()) {
    if (auto spec = media::parse_source_spec(*wish_.camera)) options.source = *std::move(spec);
  }
  options.source_options = {.size = kSeen, .rate = kSeenRate};
  options.adapt_to_load = false;
  next->source = std::make_unique<media::LiveIn>(
      std::move(options),
      media::LiveIn::Callbacks{
          .frame = [](const auto&) {},
          .status = [this, self](const media::SourceStatus& s) { on_camera_status(self, s); },
          .ended = [ended = &next->ended](const std::string&) { *ended = true; },
          .picture =
              [this, self](const media::VideoFrame& picture) {
                {
                  const std::lock_guard lock(mutex_);
                  if (camera_ != self) return;
                }
                pictures_.put(picture);
                wake_();
              }});
  next->source->set_encoding(false);
  cameras_.push_back(std::move(next));
}

void DeviceCheck::on_camera_status(const Camera* camera, const media::SourceStatus& status) {
  {
    const std::lock_guard lock(mutex_);
    if (camera_ != camera) return;
    view_.camera_trouble = status.ok ? "" : status.text;
  }
  wake_();
}

void DeviceCheck::play_tone() {
  const std::lock_guard lock(mutex_);
  tone_wished_ = true;
  changed_.notify_all();
}

DeviceView DeviceCheck::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

void DeviceCheck::on_sound_status(const media::SoundStatus& status) {
  {
    const std::lock_guard lock(mutex_);
    std::string& trouble = status.of == media::SoundStatus::Of::kMicrophone
                               ? view_.microphone_trouble
                               : view_.loudspeaker_trouble;
    trouble = status.ok ? "" : status.text;
  }
  wake_();
}

DeviceCheck::Task DeviceCheck::look(const ui::SoundDeviceNames& names) {
  std::vector<NamedCamera> plugged = plugged_cameras();
  const std::lock_guard lock(mutex_);
  note_plugged(view_, std::move(plugged), names);
  Task task{.wish = {}, .tone = std::exchange(tone_wished_, false)};
  if (std::exchange(sound_changed_, false)) {
    task.wish = wish_;
    view_.microphone_trouble.clear();
    view_.loudspeaker_trouble.clear();
    view_.level = 0;
  }
  return task;
}

std::unique_ptr<media::SoundEngine> DeviceCheck::engine_of(const DeviceWish& wish,
                                                           ui::SdlSound& sound) {
  media::SoundEngineOptions options;
  options.voice_processing = false;
  if (wish.microphone != kNoDevice) options.input = sound.input(device_name(wish.microphone));
  if (wish.loudspeaker != kNoDevice) options.output = sound.output(device_name(wish.loudspeaker));
  auto engine = std::make_unique<media::SoundEngine>(
      std::move(options), media::SoundEngine::Callbacks{.packet = [](media::SoundPacket&&) {},
                                                        .voice =
                                                            [this](const media::VoiceState& voice) {
                                                              {
                                                                const std::lock_guard lock(mutex_);
                                                                view_.level =
                                                                    ui::meter_level(voice.loudness);
                                                              }
                                                              wake_();
                                                            }});
  engine->set_sending(false);
  return engine;
}

void DeviceCheck::listen(const std::stop_token& stop) {
  ui::SdlSound sound([this](const media::SoundStatus& status) { on_sound_status(status); });
  std::unique_ptr<media::SoundEngine> engine;
  std::shared_ptr<TestTone> tone;
  while (!stop.stop_requested()) {
    const Task task = look(sound.devices());
    if (task.wish) {
      tone.reset();
      engine.reset();  // before the next: a device may be had once
      engine = engine_of(*task.wish, sound);
    }
    if (tone && tone->is_over()) {
      engine->remove(tone.get());
      tone.reset();
    }
    if (task.tone && !tone) {
      tone = std::make_shared<TestTone>();
      engine->add(tone);
    }
    {
      const std::lock_guard lock(mutex_);
      view_.testing = tone != nullptr;
    }
    wake_();  // what is plugged in may have changed: the window draws it if so
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kLookEvery, [this] { return sound_changed_ || tone_wished_; });
  }
}

}  // namespace qvid::app
