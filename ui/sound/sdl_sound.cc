#include "ui/sound/sdl_sound.h"

#include <SDL.h>

#include "media/sound/ring_input.h"
#include "media/sound/ring_output.h"
#include "ui/sound/sdl_sound_keeper.h"

namespace qvid::ui {
namespace {

// A ring whose device the keeper looks for, for as long as it lives.
template <class Ring>
class KeptDevice : public Ring {
 public:
  template <class Port>
  KeptDevice(std::shared_ptr<SdlSoundKeeper> keeper, std::shared_ptr<SoundWish> wish,
             std::shared_ptr<Port> port)
      : Ring(std::move(port),
             wish->name.empty() ? std::string(kSystemsDefault) + wish->kind() : wish->name),
        keeper_(std::move(keeper)),
        wish_(std::move(wish)) {
    keeper_->add(wish_);
  }
  ~KeptDevice() override { keeper_->forget(*wish_); }

 private:
  std::shared_ptr<SdlSoundKeeper> keeper_;
  std::shared_ptr<SoundWish> wish_;
};

}  // namespace

void name_sound_for_mixers() {
  SDL_SetHint(SDL_HINT_AUDIO_DEVICE_APP_NAME, "Qvid");
  SDL_SetHint(SDL_HINT_AUDIO_DEVICE_STREAM_NAME, "Qvid");
}

SdlSound::SdlSound(media::OnSoundStatus on_status)
    : keeper_(std::make_shared<SdlSoundKeeper>(std::move(on_status))) {}

SdlSound::~SdlSound() = default;

SoundDeviceNames SdlSound::devices() const { return keeper_->devices(); }

std::unique_ptr<media::SoundInput> SdlSound::input(const std::string& name) {
  auto wish = std::make_shared<SoundWish>();
  wish->name = name;
  wish->capture = std::make_shared<media::CapturePort>(1);
  auto port = wish->capture;
  return std::make_unique<KeptDevice<media::RingInput>>(keeper_, std::move(wish), std::move(port));
}

std::unique_ptr<media::SoundOutput> SdlSound::output(const std::string& name) {
  auto wish = std::make_shared<SoundWish>();
  wish->name = name;
  wish->play = std::make_shared<media::PlayPort>(2);
  auto port = wish->play;
  return std::make_unique<KeptDevice<media::RingOutput>>(keeper_, std::move(wish), std::move(port));
}

}  // namespace qvid::ui
