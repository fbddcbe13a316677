// What the keys, buttons and clicks of a PartyRun's window do.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <utility>

#include "app/command/open_link.h"
#include "app/command/party_run.h"
#include "app/command/share_choices.h"
#include "app/log/log.h"
#include "app/options/output_file.h"
#include "app/options/screenshot.h"
#include "media/source/wayland_session.h"
#include "ui/text/translated.h"

namespace qvid::app {

void PartyRun::act(ui::CallCommand command) {
  using enum ui::CallCommand;
  switch (command) {
    case kQuit: return boost::asio::post(io_, [this] { party_.stop(); });
    case kCamera: return use_device(chosen_.turn_camera(!chosen_.camera_on()));
    case kShare: return share();
    case kShareThis:
      share_sound_ = window_->share_with_sound().value_or(share_sound_);
      stills_.take({});
      return begin_share(share_source(window_->share(), arguments_));
    case kFreeze: return freeze();
    case kPin:
      if (const ui::TileModel* tile = tile_of(window_->pin_target()); tile != nullptr && !tile->own)
        pin({.name = tile->name, .share = tile->share});
      return;
    case kMute: return talk([](TalkKeys& keys) { keys.toggle_mute(); });
    case kTalk: return hold(TalkKey::kWindow, true);
    case kTalkEnd: return hold(TalkKey::kWindow, false);
    case kLouder: return change_volume(name_of(window_->target()), kVolumeStep);
    case kSofter: return change_volume(name_of(window_->target()), 1 / kVolumeStep);
    case kSilence: {
      const std::string name = name_of(window_->target());
      if (seats_.sound() != nullptr && !name.empty()) seats_.sound()->toggle_silence(name);
      return;
    }
    case kSay: return boost::asio::post(io_, [this, line = window_->said()] { say(line); });
    case kDevice: return take_step(chosen_.choose(window_->device()), window_->device().kind);
    case kHand: return raise_hand();
    case kRecord: return record();
    case kPerson: return act_on(window_->person());
    case kOpen:
      if (const auto error = open_link(window_->link(), openers_)) show_notice(error->message);
      return;
    case kScreenshot: return save_screenshot(*window_, name_of_now(".png"));
    case kLayout:
    case kSelect: break;
  }
}

void PartyRun::pin(const Pinned& one) { pinned_ = pinned_ == one ? Pinned() : one; }

// Null: there is none.
const ui::TileModel* PartyRun::tile_of(const std::string& key) const {
  const auto found = std::ranges::find(tiles_, key, &ui::TileModel::key);
  return found == tiles_.end() ? nullptr : &*found;
}

// Whom a tile shows; empty: nobody, or oneself.
std::string PartyRun::name_of(const std::string& key) const {
  const ui::TileModel* const tile = tile_of(key);
  return tile == nullptr || tile->own ? std::string() : tile->name;
}

// Any thread. The sound takes what the keys are by then, so two changes cannot pass each other.
template <class Change>
void PartyRun::talk(Change change) {
  {
    const std::lock_guard lock(mutex_);
    change(keys_);
  }
  if (!sound_) return;
  boost::asio::post(io_, [this] {
    const bool muted = !talk_keys().heard();
    if (sound_->muted() != muted && sound_->set_muted(muted)) wake();
  });
}

void PartyRun::hold(TalkKey key, bool held) {
  talk([key, held](TalkKeys& keys) { keys.set_held(key, held); });
}

void PartyRun::listen_for_shortcut() {
  shortcut_.emplace(
      ui::ShortcutWish{.id = "talk",
                       .description = ui::tr("Talk in a call of Qvid, while it is held"),
                       .trigger = "CTRL+ALT+space"},
      ui::ShortcutCallbacks{.bound = [this](const std::string& trigger) { on_trigger(trigger); },
                            .held = [this](bool held) { hold(TalkKey::kDesktop, held); },
                            .ended =
                                [this](const std::string& why) {
                                  {
                                    const std::lock_guard lock(mutex_);
                                    talk_trigger_.clear();
                                  }
                                  if (window_ == nullptr)
                                    return log_warning("the microphone stays muted: {}", why);
                                  on_notice(ui::filled(ui::tr("only space talks: {}"), why));
                                }});
}

void PartyRun::on_trigger(const std::string& trigger) {
  {
    const std::lock_guard lock(mutex_);
    if (!trigger.empty() && talk_trigger_ == trigger) return;
    talk_trigger_ = trigger;
  }
  on_notice(trigger.empty()
                ? std::string(ui::tr("choose a key for talking in the desktop's settings"))
                : ui::filled(ui::tr("hold {} to talk, whatever window is in front"), trigger));
}

// Of all where no name is meant.
void PartyRun::change_volume(const std::string& name, float by) {
  HeardSeats* const sound = seats_.sound();
  if (sound == nullptr) return;
  if (name.empty()) {
    sound->change_volume_of_all(by);
  } else {
    sound->change_volume(name, by);
  }
}

// Beside the camera, or no longer; where nothing was said of what, it is asked.
void PartyRun::share() {
  if (model_.sharing) return boost::asio::post(io_, [this] { party_.set_share({}); });
  if (options_.share) return begin_share(*options_.share);
  const bool with_sound = party_.can_share_sound();
  const std::optional<bool> sound = with_sound ? std::optional(share_sound_) : std::nullopt;
  if (media::in_wayland_session()) {
    // There the desktop asks: where there is nothing else to be said, at once.
    if (!with_sound) return begin_share(share_source("screen", arguments_));
    return window_->offer_shares(wayland_choices(), sound);
  }
  auto choices = share_choices(media::list_screen(), ui::CallWindow::screens());
  stills_.take(share_stills(choices));
  window_->offer_shares(std::move(choices), sound);
}

void PartyRun::begin_share(const Result<media::LiveInOptions>& source) {
  if (!source) return show_notice(source.error().message);
  boost::asio::post(
      io_, [this, share = *source, sound = share_sound_] { party_.set_share(share, sound); });
}

void PartyRun::freeze() {
  boost::asio::post(io_, [this] { party_.freeze_share(!party_.share_frozen()); });
}

void PartyRun::raise_hand() {
  boost::asio::post(io_, [this, up = report_.order.own_hand == 0] { party_.raise_hand(up); });
}

// To files where the program was started, as a screenshot; or no longer.
void PartyRun::record() {
  if (recorder_) return recorder_->stop();
  const auto to = hosted_ != nullptr ? hosted_->own(arguments_.transport, arguments_.client)
                                     : room_of(arguments_);
  if (!to) return show_notice(to.error().message);
  auto options = party_options(arguments_, {.publishes = false, .watches = true}, *to);
  if (!options) return show_notice(options.error().message);
  options->name = options_.name;
  const std::filesystem::path output = name_of_now(".mkv");
  if (const auto error = unwritable(output)) return show_notice(error->message);
  show_notice(ui::filled(ui::tr("recording to {}"), std::filesystem::absolute(output).string()));
  recorder_.emplace(*std::move(options), output,
                    [this](const std::string& text) { on_notice(text); });
}

void PartyRun::act_on(const ui::PersonInput& person) {
  const auto administer = [&](qps::AdminAction action, bool on) {
    qps::Admin admin{.action = action,
                     .token = {},
                     .room = {},
                     .name = person.name,
                     .reason = {},
                     .after = {},
                     .track = action == qps::AdminAction::kHold ? kSoundTrack : "",
                     .on = on};
    boost::asio::post(io_, [this, admin = std::move(admin)] { party_.administer(admin); });
  };
  const auto known = std::ranges::find(model_.people.people, person.name, &ui::Person::name);
  if (known == model_.people.people.end() && person.action != ui::PersonAction::kLock) return;
  switch (person.action) {
    case ui::PersonAction::kPin: return pin({.name = person.name});
    case ui::PersonAction::kSilence:
      if (seats_.sound() != nullptr) seats_.sound()->toggle_silence(person.name);
      return;
    case ui::PersonAction::kVolume:
      return change_volume(person.name, person.volume / std::max(known->volume, Volume::kLeast));
    case ui::PersonAction::kHold: return administer(qps::AdminAction::kHold, !known->held);
    case ui::PersonAction::kRemove: return administer(qps::AdminAction::kKick, false);
    case ui::PersonAction::kLock: return administer(qps::AdminAction::kLock, !report_.order.locked);
    case ui::PersonAction::kNone:
    case ui::PersonAction::kWrite:
    case ui::PersonAction::kHand: return;
  }
}

}  // namespace qvid::app
