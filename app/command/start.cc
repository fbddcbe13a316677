// `qvid start`, and `qvid` alone: the window before a call. The call itself is another command line
// (app/start/joining.h), run by this process when the window is closed; then it opens again.

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>

#include "app/command/commands.h"
#include "app/command/hosted_call.h"
#include "app/command/network_check.h"
#include "app/command/party_arguments.h"
#include "app/command/program_run.h"
#include "app/log/log.h"
#include "app/log/logged_errors.h"
#include "app/options/scale_option.h"
#include "app/settings/language.h"
#include "app/settings/settings_file.h"
#include "app/start/device_check.h"
#include "app/start/start_menu.h"
#include "ui/start/start_window.h"
#include "ui/text/translated.h"
#include "ui/window/sdl_video.h"

namespace qvid::app {
namespace {

constexpr Duration kLongestTurn = std::chrono::seconds(1);
constexpr media::PictureSize kSize{880, 520};

// The texts of what is made of them are in that language.
ReadSettings spoken(ReadSettings read) {
  speak_language(read.settings.language);
  return read;
}

struct StartArguments {
  std::string link;
  float scale = 0;
};

class StartRun {
 public:
  StartRun(const StartArguments& arguments, const CommonOptions& common, RunWords run)
      : scale_(arguments.scale),
        common_(common),
        run_(std::move(run)),
        file_(settings_file()),
        read_(spoken(load_settings(file_))),
        menu_(read_.settings, default_name(), file_.string()) {
    for (const std::string& trouble : read_.troubles) {
      log_warning("{}", trouble);
      menu_.set_notice(trouble);
    }
    if (!arguments.link.empty()) menu_.open_link(arguments.link);
  }

  ExitCode run() {
    for (;;) {
      if (const auto over = choose()) return *over;
      LoggedErrors errors;
      const int code = run_(command_line(menu_.joining()));
      if (ProgramRun::interrupted()) return static_cast<ExitCode>(code);
      menu_.on_returned(load_settings(file_).settings, code == kExitOk ? "" : errors.last());
    }
  }

 private:
  // In a window of its own. Empty: a call is to begin; else it is over.
  std::optional<ExitCode> choose();
  StartStep turn();
  void follow_devices();
  void follow_network();
  void invite();
  void remember();
  std::vector<std::string> command_line(const Joining& joining) const;

  const float scale_;  // of the command line; 0: none
  const CommonOptions& common_;
  const RunWords run_;
  const std::filesystem::path file_;
  const ReadSettings read_;
  StartMenu menu_;
  const ui::SdlVideo video_;  // what was copied can be pasted as long as this lives
  std::unique_ptr<ui::StartWindow> window_;
  std::unique_ptr<DeviceCheck> check_;     // ends before its window
  std::string tried_;                      // the link whose way network_ looks at
  std::unique_ptr<NetworkCheck> network_;  // the same
};

std::optional<ExitCode> StartRun::choose() {
  const float scale = scale_ > 0 ? scale_ : menu_.scale();
  auto opened = ui::StartWindow::open({.title = "Qvid", .size = kSize, .scale = scale});
  if (!opened) {
    log_error("{}; `qvid --help` tells what can be done without one", opened.error().message);
    return kExitFailure;
  }
  window_ = *std::move(opened);
  StartStep step = StartStep::kStay;
  while (step != StartStep::kQuit && step != StartStep::kGo && step != StartStep::kRescale) {
    step = turn();
  }
  remember();
  check_.reset();
  network_.reset();
  tried_.clear();
  window_.reset();
  if (step == StartStep::kRescale) {
    speak_language(menu_.language());
    menu_.translate();
    return choose();
  }
  return step == StartStep::kQuit ? std::optional(kExitOk) : std::nullopt;
}

StartStep StartRun::turn() {
  window_->wait(kLongestTurn);
  follow_devices();
  follow_network();
  const auto action = window_->draw(menu_.model(), menu_.entries());
  menu_.on_entries();
  if (!action) return StartStep::kStay;
  const StartStep step = menu_.on_action(*action);
  if (action->act == ui::StartAct::kBack) remember();
  if (step == StartStep::kHost) invite();
  if (step == StartStep::kCopy) window_->copy(menu_.copied());
  if (step == StartStep::kTestTone && check_) check_->play_tone();
  return step;
}

void StartRun::follow_devices() {
  if (!menu_.wants_devices()) {
    check_.reset();
    window_->drop_picture();
    return;
  }
  if (!check_) {
    menu_.set_devices({.cameras = plugged_cameras()});
    check_ = std::make_unique<DeviceCheck>(menu_.wish(), [this] { window_->wake(); });
  }
  menu_.set_devices(check_->view());
  check_->set_wish(menu_.wish());
  if (const auto picture = check_->take_picture()) window_->show_picture(*picture);
  if (!menu_.wish().camera) window_->drop_picture();
}

void StartRun::follow_network() {
  if (const std::string link = menu_.destination(); link != tried_) {
    tried_ = link;
    network_.reset();
    Settings settings;
    menu_.keep(settings);
    if (!link.empty()) {
      network_ = std::make_unique<NetworkCheck>(link, settings.proxy, [this] { window_->wake(); });
    }
  }
  if (!network_) return;
  const NetworkView view = network_->view();
  menu_.set_network(view.text, view.trouble);
}

// It listens for the moment: so what is said to the others is what will be.
void StartRun::invite() {
  boost::asio::io_context io(1);
  const auto options = hosted_call_options({.max_parties = kHostedParties}, {}, {}, {});
  if (!options) return menu_.set_notice(options.error().message);
  const auto hosted = HostedCall::open(io, *options);
  if (!hosted) return menu_.set_notice(hosted.error().message);
  menu_.open_host((*hosted)->url().text(), options->passphrase);
}

void StartRun::remember() {
  const auto error = change_settings(file_, [this](Settings& settings) { menu_.keep(settings); });
  if (!error) return;
  log_warning("not remembered: {}", error->message);
  menu_.set_notice(ui::filled(ui::tr("Not remembered: {}"), error->message));
}

std::vector<std::string> StartRun::command_line(const Joining& joining) const {
  std::vector<std::string> words = words_of(joining);
  if (scale_ > 0) words.push_back("--scale=" + std::to_string(scale_));
  if (common_.json) words.emplace_back("--json");
  if (common_.verbose) words.emplace_back("--verbose");
  if (common_.quiet) words.emplace_back("--quiet");
  return words;
}

}  // namespace

Run add_start(CLI::App& qvid, const CommonOptions& common, RunWords run) {
  auto a = std::make_shared<StartArguments>();
  CLI::App* c = qvid.add_subcommand(
      "start", "Open the window to join and start calls from; so does `qvid` alone");
  c->add_option("link", a->link, "Of a room, to join after a look at oneself: qvid://host/room");
  add_scale_option(*c, a->scale);
  return [a, &common, run = std::move(run)] { return StartRun(*a, common, run).run(); };
}

}  // namespace qvid::app
