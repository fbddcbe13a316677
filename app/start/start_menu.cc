#include "app/start/start_menu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/options/sound_options.h"
#include "app/options/url.h"
#include "app/options/values.h"
#include "base/ascii.h"
#include "base/text.h"
#include "pubsub/wire/control_values.h"
#include "transport/proxy/proxy_server.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

constexpr std::array kScales{0.0f, 0.75f, 1.0f, 1.25f, 1.5f, 2.0f, 3.0f, 4.0f};
struct Language {
  const char* code;  // as Settings::language
  const char* name;  // in itself
};
constexpr std::array kLanguages{Language{"", ui::marked("As the system")},
                                Language{"de", "Deutsch"}, Language{"en", "English"},
                                Language{"es", "Español"}};

Result<Url> room_link(const std::string& text) {
  const std::string link = trimmed(text);
  if (link.empty()) return Error{ui::tr("Enter the link of a room: qvid://host/room")};
  auto url = parse_url(link, "");
  if (!url) {
    return Error{ui::filled(
        ui::tr("{} is no link of a room: write qvid://host[:port]/room, or paste what you "
               "were given"),
        in_quotes(link))};
  }
  if (!url->name.empty() && !qps::is_name(url->name)) {
    return Error{ui::tr("The room's name is too long: at most 64 bytes")};
  }
  return url;
}

std::string name_trouble(const std::string& name) {
  return qps::is_name(trimmed(name)) ? ""
                                     : ui::tr("Enter a name of 1 to 64 bytes: the others see it");
}
std::string limit_trouble(const std::string& text) {
  if (trimmed(text).empty()) return {};
  const auto rate = parse_bitrate(trimmed(text));
  return rate ? "" : rate.error().message;
}
void keep_limit(const std::string& entered, std::string& kept) {
  if (limit_trouble(entered).empty()) kept = trimmed(entered);
}
std::string proxy_trouble(const std::string& text) {
  const std::string proxy = trimmed(text);
  if (proxy.empty() || proxy == "direct") return {};
  const auto parsed = paceline::parse_proxy(proxy);
  return parsed ? "" : parsed.error().message;
}

// As an option has it: the system's where it is not there.
std::string option_of(const std::string& device, const std::vector<std::string>& names) {
  const bool there = device == kNoDevice || std::ranges::find(names, device) != names.end();
  return there ? device : "default";
}

std::size_t layout_entry(const Settings& settings) { return settings.layout == kSpeaker ? 1 : 0; }

std::size_t language_entry(const Settings& settings) {
  const auto at = std::ranges::find(kLanguages, settings.language, &Language::code);
  return static_cast<std::size_t>(at - kLanguages.begin());
}

std::string scale_name(float scale) {
  return scale == 0 ? ui::tr("As the display")
                    : fmt::format("{:.0f} %", static_cast<double>(scale) * 100);
}

}  // namespace

StartMenu::StartMenu(const Settings& settings, std::string own_name, std::string file)
    : settings_(settings), own_name_(std::move(own_name)) {
  model_.file = std::move(file);
  const auto at = std::ranges::find(kScales, settings.scale) - kScales.begin();
  entries_ = {.name = settings.name.empty() ? own_name_ : settings.name,
              .join_muted = settings.join_muted,
              .join_without_camera = settings.join_without_camera,
              .scale = static_cast<std::size_t>(at),
              .layout = layout_entry(settings),
              .language = language_entry(settings),
              .limit_up = settings.limit_up,
              .limit_down = settings.limit_down,
              .proxy = settings.proxy};
  translate();
  show_front();
}

void StartMenu::translate() {
  model_.layouts = {ui::tr("All equal"), ui::tr("One large")};
  model_.scales.clear();
  for (const float scale : kScales) model_.scales.push_back(scale_name(scale));
  if (std::ranges::find(kScales, settings_.scale) == kScales.end()) {
    model_.scales.push_back(scale_name(settings_.scale));  // written by hand
  }
  model_.languages.clear();
  for (const Language& language : kLanguages) model_.languages.emplace_back(ui::tr(language.name));
  if (language_entry(settings_) == kLanguages.size()) {
    model_.languages.push_back(settings_.language);  // written by hand
  }
  fill_devices();
  check_link();
  check_values();
}

void StartMenu::show_front() {
  model_.page = ui::StartPage::kFront;
  model_.recent = settings_.recent;
  entries_.passphrase.clear();
  check_link();
}

void StartMenu::show_join(const std::string& title, const std::string& go) {
  model_.page = ui::StartPage::kJoin;
  model_.title = title;
  model_.go = go;
  model_.notice.clear();
  set_network({}, false);
  model_.publishes = kind_ != Joining::Kind::kWatch;
  model_.asks_passphrase = kind_ != Joining::Kind::kHost;
  model_.invitation.clear();
  model_.invitation_passphrase.clear();
  model_.qr = {};
  set_devices({});  // until they are looked at
}

void StartMenu::open_link(const std::string& link, bool watches) {
  entries_.link = link;
  const auto url = room_link(link);
  if (!url) {
    show_front();
    model_.link_trouble = url.error().message;
    return;
  }
  link_ = trimmed(link);
  kind_ = watches ? Joining::Kind::kWatch : Joining::Kind::kCall;
  const std::string room = url->name.empty() ? ui::tr("the call") : printable(url->name);
  show_join(ui::filled(watches ? ui::tr("Watch {} at {}") : ui::tr("Join {} at {}"), room,
                       url->address.text()),
            watches ? ui::tr("Watch") : ui::tr("Join"));
}

void StartMenu::open_host(const std::string& link, const std::string& passphrase) {
  kind_ = Joining::Kind::kHost;
  link_.clear();
  show_join(ui::tr("A call of your own"), ui::tr("Start the call"));
  entries_.passphrase = passphrase;
  model_.invitation = link;
  model_.invitation_passphrase = passphrase;
  model_.qr = ui::qr_code(link);
}

void StartMenu::on_returned(const Settings& settings, const std::string& what) {
  settings_.recent = settings.recent;
  entries_.layout = layout_entry(settings);  // the call's, as it was left
  entries_.link.clear();
  show_front();
  model_.notice = what;
}

void StartMenu::set_devices(const DeviceView& devices) {
  take_choices();
  devices_ = devices;
  model_.camera_trouble = devices.camera_trouble;
  model_.microphone_trouble = devices.microphone_trouble;
  model_.loudspeaker_trouble = devices.loudspeaker_trouble;
  model_.level = devices.level;
  model_.testing = devices.testing;
  fill_devices();
}

void StartMenu::set_network(const std::string& text, bool trouble) {
  model_.network = text;
  model_.network_trouble = trouble;
}

void StartMenu::fill_devices() {
  entries_.microphone =
      list_devices(model_.microphones, devices_.microphones, settings_.microphone);
  entries_.loudspeaker =
      list_devices(model_.loudspeakers, devices_.loudspeakers, settings_.loudspeaker);
  model_.cameras.clear();
  entries_.camera = 0;
  for (const NamedCamera& camera : devices_.cameras) {
    if (camera.name == settings_.camera) entries_.camera = model_.cameras.size();
    model_.cameras.push_back(camera.name);
  }
  listed_camera_ = entries_.camera;
  const bool other = !model_.cameras.empty() && !settings_.camera.empty() &&
                     model_.cameras[entries_.camera] != settings_.camera;
  if (other && model_.camera_trouble.empty()) {
    model_.camera_trouble =
        ui::filled(ui::tr("{} is not plugged in: the first is used"), in_quotes(settings_.camera));
  }
  if (model_.cameras.empty()) model_.cameras.push_back(no_camera_here());
}

// Out of the entries, before the lists change under them.
void StartMenu::take_choices() {
  settings_.microphone = device_of(entries_.microphone, devices_.microphones, settings_.microphone);
  settings_.loudspeaker =
      device_of(entries_.loudspeaker, devices_.loudspeakers, settings_.loudspeaker);
  const bool chosen = entries_.camera != listed_camera_;  // else it may stand for one not there
  if (chosen && entries_.camera < devices_.cameras.size()) {
    settings_.camera = devices_.cameras[entries_.camera].name;
  }
}

void StartMenu::check_link() {
  const auto url = room_link(entries_.link);
  model_.link_trouble = url || trimmed(entries_.link).empty() ? "" : url.error().message;
}

void StartMenu::check_values() {
  model_.name_trouble = name_trouble(entries_.name);
  model_.limit_up_trouble = limit_trouble(entries_.limit_up);
  model_.limit_down_trouble = limit_trouble(entries_.limit_down);
  model_.proxy_trouble = proxy_trouble(entries_.proxy);
}

void StartMenu::on_entries() {
  if (model_.page == ui::StartPage::kFront) check_link();
  check_values();
  take_choices();
}

StartStep StartMenu::on_action(const ui::StartAction& action) {
  using enum ui::StartAct;
  on_entries();
  switch (action.act) {
    case kJoin: open_link(entries_.link); return StartStep::kStay;
    case kWatch: open_link(entries_.link, true); return StartStep::kStay;
    case kHost: return StartStep::kHost;
    case kRecent:
      if (action.index < model_.recent.size()) open_link(model_.recent[action.index]);
      return StartStep::kStay;
    case kSettings:
      model_.page = ui::StartPage::kSettings;
      model_.notice.clear();
      return StartStep::kStay;
    case kBack: {
      const bool rescales = model_.page == ui::StartPage::kSettings &&
                            (scale() != settings_.scale || language() != settings_.language);
      show_front();
      keep(settings_);
      return rescales ? StartStep::kRescale : StartStep::kStay;
    }
    case kGo: return go();
    case kTestTone: return StartStep::kTestTone;
    case kCopyLink: return StartStep::kCopy;
    case kQuit: return StartStep::kQuit;
  }
  return StartStep::kStay;
}

StartStep StartMenu::go() {
  if (!model_.name_trouble.empty()) return StartStep::kStay;  // it is said there
  keep(settings_);
  return StartStep::kGo;
}

DeviceWish StartMenu::wish() const {
  const Joining j = joining();
  DeviceWish wish{.microphone = j.microphone, .loudspeaker = j.loudspeaker};
  if (model_.publishes && !j.without_camera) wish.camera = j.camera;
  if (!model_.publishes) wish.microphone = kNoDevice;
  return wish;
}

Joining StartMenu::joining() const {
  const bool has_camera = entries_.camera < devices_.cameras.size();
  return {.kind = kind_,
          .link = link_,
          .name = trimmed(entries_.name),
          .camera = has_camera ? devices_.cameras[entries_.camera].source : "",
          .microphone = option_of(settings_.microphone, devices_.microphones),
          .loudspeaker = option_of(settings_.loudspeaker, devices_.loudspeakers),
          .passphrase = entries_.passphrase,
          .muted = entries_.join_muted,
          .without_camera = entries_.join_without_camera};
}

void StartMenu::keep(Settings& settings) const {
  const std::string name = trimmed(entries_.name);
  const bool told = name != own_name_ || !settings.name.empty();
  if (told && name_trouble(name).empty()) settings.name = name;
  settings.camera = settings_.camera;
  settings.microphone = settings_.microphone;
  settings.loudspeaker = settings_.loudspeaker;
  settings.join_muted = entries_.join_muted;
  settings.join_without_camera = entries_.join_without_camera;
  settings.scale = scale();
  settings.language = language();
  settings.layout = entries_.layout == 1 ? kSpeaker : kGrid;
  keep_limit(entries_.limit_up, settings.limit_up);
  keep_limit(entries_.limit_down, settings.limit_down);
  if (proxy_trouble(entries_.proxy).empty()) settings.proxy = trimmed(entries_.proxy);
}

float StartMenu::scale() const {
  return entries_.scale < kScales.size() ? kScales[entries_.scale] : settings_.scale;
}

std::string StartMenu::language() const {
  return entries_.language < kLanguages.size() ? kLanguages[entries_.language].code
                                               : settings_.language;
}

std::string StartMenu::copied() const {
  return model_.invitation + '\n' +
         ui::filled(ui::tr("Passphrase: {}"), model_.invitation_passphrase) + '\n';
}

}  // namespace qvid::app
