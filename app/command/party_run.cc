#include "app/command/party_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/command/party_chat.h"
#include "app/command/party_people.h"
#include "app/command/party_tiles.h"
#include "app/command/sound_report.h"
#include "app/log/log.h"
#include "app/room/chat_input.h"
#include "base/clock.h"
#include "base/text.h"
#include "pubsub/wire/json_fields.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

constexpr Duration kIdleTurn = std::chrono::milliseconds(250);
// How large tiles are is looked at so often, and told to everybody.
constexpr Duration kTellHeights = std::chrono::milliseconds(250);

// The newest.
void add_bounded(std::vector<std::string>& texts, std::string text) {
  texts.push_back(std::move(text));
  if (texts.size() > PartyRun::kMostNotices) texts.erase(texts.begin());
}

// Before `sound` is given away.
CallDevices::Start devices_used(bool publishes, const PartyArguments& a,
                                const PartyOptions& options,
                                const std::optional<RoomSoundOptions>& sound) {
  CallDevices::Start start{.publishes = publishes, .camera_on = options.source.has_value()};
  if (options.source) {
    start.camera = options.source->source.text();
  } else {
    start.camera = a.source.empty() ? media::default_source().text() : a.source;
  }
  const auto name_of = [](const std::string& description) {
    return description.starts_with(ui::kSystemsDefault) ? std::string() : description;
  };
  start.microphone = start.loudspeaker = kNoDevice;
  if (sound && sound->engine.input) {
    start.microphone = name_of(sound->engine.input->description());
    start.microphone_given = !sound->engine.input->is_microphone();
  }
  if (sound && sound->engine.output) {
    start.loudspeaker = name_of(sound->engine.output->description());
    start.loudspeaker_given = is_wav(start.loudspeaker);
  }
  return start;
}

}  // namespace

PartyRun::PartyRun(boost::asio::io_context& io, const PartyArguments& arguments,
                   PartyOptions options, std::optional<RoomSoundOptions> sound,
                   std::shared_ptr<OutputLog> output_log, Devices devices, ui::CallWindow* window,
                   HostedCall* hosted, bool json)
    : arguments_(arguments),
      options_(std::move(options)),
      io_(io),
      window_(window),
      hosted_(hosted),
      output_log_(std::move(output_log)),
      shows_everybody_(arguments.names.empty() && arguments.best.empty()),
      by_shortcut_(arguments.push_to_talk && devices.publishes &&
                   (window != nullptr || (sound && sound->engine.input))),
      share_sound_(arguments.share_sound),
      devices_(std::move(devices)),
      chosen_(devices_used(devices_.publishes, arguments, options_, sound)),
      json_(json),
      keys_(sound && sound->muted),
      run_(
          io, output_log_, [this] { party_.stop(); },
          [window] {
            if (window != nullptr) window->wake();
          }),
      sound_(sound ? std::make_optional<RoomSound>(io, *std::move(sound)) : std::nullopt),
      seats_(options_.window, options_.playout, options_.decoders,
             sound_ && options_.watches ? &sound_->engine() : nullptr,
             [this](std::uint32_t viewer, int seat, const std::string& name,
                    media::ShownPicture picture) {
               on_picture(viewer, seat, name, std::move(picture));
             }),
      chat_(options_.name, {.message = [this](const ChatMessage& message,
                                              bool news) { on_message(message, news); },
                            .changed = [this] { wake(); }}),
      party_(io, options_, seats_, sound_ ? &*sound_ : nullptr, &chat_,
             {.own_picture = [this](const media::VideoFrame& p) { on_own_picture(own_face_, p); },
              .own_share = [this](const media::VideoFrame& p) { on_own_picture(own_share_, p); },
              .source_status =
                  [this](const media::SourceSpec& source, const media::SourceStatus& status) {
                    on_device_status({.of = {ui::DeviceKind::kCamera, source.text()},
                                      .ok = status.ok,
                                      .text = status.text,
                                      .why = status.why});
                  },
              .changed = [this] { wake(); },
              .notice = [this](const std::string& text) { on_notice(text); },
              .attention = [this](const std::string& text) { on_attention(text); },
              .ended = [this](ExitCode code, const std::string& why) { on_ended(code, why); }}) {
  if (arguments.best == kFromInput) {
    lines_.emplace(io_, [this](std::string line) { party_.set_best(std::move(line)); });
  } else if (arguments.chat) {
    lines_.emplace(io_, [this](const std::string& line) { say(line); });
  }
  run_.stop_after(arguments.duration);
}

ExitCode PartyRun::run() {
  if (window_ != nullptr) party_.show_heights(told_heights_);  // of nobody, to begin with
  party_.start();
  if (by_shortcut_) listen_for_shortcut();
  return window_ != nullptr ? run_.in_window([this] { turn(); }) : run_.headless();
}

void PartyRun::wake() {
  telling_.on_news();
  run_.wake();
}

void PartyRun::turn() {
  for (const ui::CallCommand command : window_->wait(longest_wait())) {
    telling_.on_news();
    act(command);
  }
  follow_devices();
  std::map<std::string, Picture> pictures;
  std::map<std::string, media::VideoFrame> own;
  std::vector<std::string> calls;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& text : std::exchange(notices_, {})) {
      model_.notices.add(text, steady_now());
    }
    calls = std::exchange(calls_, {});
    model_.talk_trigger = talk_trigger_;
    for (const std::string& text : std::exchange(messages_, {})) {
      if (!window_->shows_chat()) model_.notices.add(text, steady_now());
    }
    pictures = std::exchange(pictures_, {});
    const auto take = [&](OwnPicture& from, const char* tile) {
      if (from.turn.on_turn(!pictures.empty(), steady_now()) && from.picture)
        own.emplace(tile, *std::exchange(from.picture, {}));
    };
    take(own_face_, kOwnTile);
    take(own_share_, kOwnShareTile);
  }
  const auto unknown = [this](const auto& picture) { return !is_told(picture.first); };
  const bool shows_unknown =
      std::ranges::any_of(pictures, unknown) || std::ranges::any_of(own, unknown);
  if (telling_.on_turn(shows_unknown, steady_now())) tell(party_.report());
  for (const auto& [tile, picture] : pictures) {
    window_->show_tile(tile, picture.decoded.picture, picture.decoded.nominal);
  }
  for (const auto& [source, still] : stills_.fetch()) window_->show_still(source, still);
  for (const auto& [tile, picture] : own) window_->show_tile(tile, picture, picture.size);
  show_chat();
  if (arguments_.notifications && !window_->attended()) {
    for (const std::string& text : calls) away_.tell(options_.url.name, text, steady_now());
  }
  openers_.reap();
  away_.reap();
  const auto presented = window_->draw(model_);
  ask_for_pictures();
  tell_heights(steady_now());
  if (!presented || !output_log_) return;
  for (const auto& [tile, picture] : pictures) {
    output_log_->picture(*presented, picture.name, picture.decoded.picture);
  }
}

bool PartyRun::is_told(const std::string& key) const {
  const ui::TileModel* const tile = tile_of(key);
  return tile != nullptr && tile->video && tile->status.empty();  // "waiting for the first picture"
}

void PartyRun::tell(PartyReport report) {
  links_.note(report, steady_now());
  tiles_ = party_tiles(report, {.everybody = shows_everybody_,
                                .pinned = pinned_,
                                .own_name = options_.name,
                                .own_picture = chosen_.camera_on(),
                                .own_muted = !talk_keys().heard() || report.order.held,
                                .own_share = report.shares,
                                .links = &links_});
  if (shows_everybody_) tile_order_.arrange(tiles_);
  window_->set_tiles(tiles_);
  update(report);
  report_ = std::move(report);
}

// Of those who are seen now, where there are not seats for all.
void PartyRun::ask_for_pictures() {
  if (!shows_everybody_ || !report_.joined) return;
  auto names =
      wanted_pictures(report_, tiles_, window_->shown(), static_cast<std::size_t>(options_.seats));
  std::ranges::sort(names);  // the same people are the same criterion
  if (names == asked_for_) return;
  asked_for_ = names;
  boost::asio::post(io_, [this, names = std::move(names)] { party_.prefer(names); });
}

// Nobody need send more than is shown.
void PartyRun::tell_heights(Timestamp now) {
  if (now < heights_seen_at_ + kTellHeights) return;
  heights_seen_at_ = now;
  std::map<std::string, int> lines;
  for (const std::string& key : window_->shown()) {
    const ui::TileModel* const tile = tile_of(key);
    if (tile == nullptr || tile->own || tile->share || !tile->video) continue;
    const int height = window_->pixels_of(key).height;
    if (height > 0) lines[tile->name] = std::max(lines[tile->name], height);
  }
  const ShownHeights heights(lines);
  if (std::exchange(told_heights_, heights) == heights) return;
  boost::asio::post(io_, [this, heights] { party_.show_heights(heights); });
}

Duration PartyRun::longest_wait() {
  const std::lock_guard lock(mutex_);
  return own_share_.turn.wait(own_face_.turn.wait(kIdleTurn, steady_now()), steady_now());
}

void PartyRun::update(const PartyReport& report) {
  model_.room = options_.url.name;
  model_.recorders = recorders_of(report);
  if (recorder_ && recorder_->over()) recorder_.reset();
  model_.recording = recorder_.has_value();
  model_.members = report.members.size() + 1;  // oneself too
  model_.status = status_of(report);
  model_.camera_on = chosen_.camera_on();
  model_.camera_fault = model_.camera_on && !report.camera_fault.empty();
  model_.sharing = report.shares;
  model_.frozen = report.share_frozen;
  model_.microphone = microphone(report);
  model_.volume = report.volume_of_all.level;
  model_.people = party_people(report, {.own_name = options_.name,
                                        .pinned = pinned_.share ? std::string() : pinned_.name,
                                        .own_muted = !ui::is_heard(model_.microphone),
                                        .hears = seats_.sound() != nullptr,
                                        .chat = model_.chat.available});
  if (report.sound) model_.overlay.rows = sound_rows(*report.sound);
}

std::string PartyRun::status_of(const PartyReport& report) const {
  const bool alone = std::ranges::all_of(report.members, [this](const auto& member) {
    return member.first == options_.name || member.second.records;
  });
  if (hosted_ == nullptr || !report.status.empty() || !alone) return report.status;
  const std::string& secret = hosted_->passphrase();
  return secret.empty()
             ? ui::filled(ui::tr("waiting at {}"), hosted_->url().text())
             : ui::filled(ui::tr("waiting at {}, passphrase {}"), hosted_->url().text(), secret);
}

ui::Microphone PartyRun::microphone(const PartyReport& report) const {
  using enum ui::Microphone;
  if (!report.sound || !report.sound->microphone) return kNone;
  if (report.order.held) return kHeld;
  const TalkKeys keys = talk_keys();
  if (!keys.muted()) return kOn;
  if (keys.talking()) return kTalking;
  return report.sound->engine.unheard ? kUnheard : kMuted;
}

void PartyRun::on_picture(std::uint32_t viewer, int seat, const std::string& name,
                          media::ShownPicture picture) {
  const bool share = viewer == kShareViewer;
  const std::string whose = track_text(name, share);
  if (window_ == nullptr) {
    if (output_log_) output_log_->picture(steady_now(), whose, picture.decoded.picture);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    pictures_.insert_or_assign(share              ? share_tile(seat)
                               : shows_everybody_ ? member_tile(name)
                                                  : seat_tile(seat),
                               Picture{whose, std::move(picture.decoded)});
  }
  run_.wake();
}

void PartyRun::on_own_picture(OwnPicture& own, const media::VideoFrame& picture) {
  if (window_ == nullptr) return;
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    own.picture = picture;
    wakes = own.turn.on_own(steady_now());
  }
  if (wakes) run_.wake();
}

void PartyRun::set_volumes(const std::map<std::string, float>& volumes) {
  if (seats_.sound() == nullptr) return;
  for (const auto& [name, level] : volumes) seats_.sound()->set_volume(name, level);
}

void PartyRun::show_notice(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    add_bounded(notices_, text);
  }
  wake();
}

void PartyRun::on_notice(const std::string& text) {
  log_info("{}", text);
  show_notice(text);
}

// Told in the window, too.
void PartyRun::on_attention(const std::string& text) {
  const std::lock_guard lock(mutex_);
  add_bounded(calls_, text);
}

void PartyRun::on_message(const ChatMessage& message, bool news) {
  if (!message.from.empty() && json_) {
    fmt::print("{}\n", qps::dump(event_of(message)));
    std::fflush(stdout);
  } else {
    log_info("chat: {}", text_of(message));
  }
  if (!news || message.own) return;
  if (!message.from.empty()) {
    on_attention(ui::filled(ui::tr("message from {}"), printable(message.from)));
  }
  const std::lock_guard lock(mutex_);
  add_bounded(messages_, text_of(message));
}

void PartyRun::say(const std::string& line) {
  std::vector<std::string> names;
  for (const auto& [name, member] : party_.report().members) names.push_back(name);
  const ChatInput input = parse_chat_input(line, names);
  chat_.say(input.text, input.to);
}

void PartyRun::show_chat() {
  auto view = chat_.view();
  if (view == chat_view_) return;
  chat_view_ = std::move(view);
  model_.chat = chat_model(*chat_view_);
}

void PartyRun::on_ended(ExitCode code, const std::string& why) {
  if (lines_) lines_->stop();
  if (hosted_ != nullptr) hosted_->close(options_.name + " has ended the call");
  run_.ended(code, why);
}

}  // namespace qvid::app
