#include "ui/start/start_window.h"

#include <SDL.h>

#include <algorithm>
#include <utility>

#include "ui/start/start_view.h"
#include "ui/text/translated.h"
#include "ui/window/video_texture.h"
#include "ui/window/window_shell.h"

namespace qvid::ui {
namespace {

constexpr int kTurnsAfterInput = 3;  // ImGui: the press, what it opens, how that is laid out
constexpr Duration kShortTurn = 16ms;

std::string window_title(const StartModel& model) {
  switch (model.page) {
    case StartPage::kFront: break;
    case StartPage::kJoin: return model.title + " - Qvid";
    case StartPage::kSettings: return std::string(tr("Settings")) + " - Qvid";
  }
  return "Qvid";
}

Rectangle scaled(const Rectangle& units, float by) {
  const auto pixels = [by](int value) { return static_cast<int>(static_cast<float>(value) * by); };
  return {pixels(units.x), pixels(units.y), pixels(units.width), pixels(units.height)};
}

}  // namespace

class StartWindow::Impl {
 public:
  explicit Impl(std::unique_ptr<WindowShell> shell)
      : shell_(std::move(shell)), texture_(shell_->renderer()) {}

  void wait(Duration at_most) {
    if (turns_ > 0) at_most = std::min(at_most, kShortTurn);
    shell_->wait(at_most, [this](const SDL_Event& event) { return handle(event); });
  }

  std::optional<StartAction> draw(const StartModel& model, StartEntries& entries) {
    if (is_news(model, entries)) {
      if (fresh_) upload();
      shell_->gui().frame([&] {
        drawn_ = draw_start(model, entries, picture_.has_value());
        if (drawn_.action) pressed_ = drawn_.action;
      });
      ++drawings_;
      entries_ = entries;
      shell_->present([this](media::PictureSize output) { draw_picture(output); });
      // Last: who is told of another page finds the keyboard where it belongs there.
      const std::string title = window_title(model);
      if (turns_ == 0 && title != std::exchange(title_, title)) shell_->set_title(title);
    }
    return std::exchange(pressed_, std::nullopt);
  }

  void show_picture(const media::VideoFrame& picture) {
    picture_ = picture;
    fresh_ = true;
  }
  void drop_picture() {
    fresh_ = fresh_ || picture_;
    picture_.reset();
    texture_.forget_frame();
  }
  int drawings() const { return drawings_; }
  WindowShell& shell() { return *shell_; }
  Result<std::string> screenshot(const std::string& path) {
    return shell_->screenshot(path, [this](media::PictureSize output) { draw_picture(output); });
  }

 private:
  bool handle(const SDL_Event& event) {
    const bool closes = event.type == SDL_QUIT || (event.type == SDL_WINDOWEVENT &&
                                                   event.window.event == SDL_WINDOWEVENT_CLOSE);
    if (closes) pressed_ = StartAction{StartAct::kQuit};
    // A list that is open, or a field that is being typed in, is left by it first.
    const bool key = event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE;
    if (key && model_.page != StartPage::kFront && !shell_->gui().is_editing()) {
      pressed_ = StartAction{StartAct::kBack};
    }
    if (event.type == SDL_RENDER_TARGETS_RESET || event.type == SDL_RENDER_DEVICE_RESET) {
      texture_.reset();
      fresh_ = true;
    }
    turns_ = kTurnsAfterInput;
    return true;
  }

  bool is_news(const StartModel& model, const StartEntries& entries) {
    const bool changed = model != model_ || entries != entries_;
    if (changed) {
      model_ = model;
      turns_ = kTurnsAfterInput;
    }
    const bool due = turns_ > 0 || fresh_ || shell_->settling();
    turns_ = std::max(0, turns_ - 1);
    const media::PictureSize output = shell_->output_size();
    return due && output.width > 0 && output.height > 0;
  }

  void upload() {
    fresh_ = false;
    if (picture_ && !texture_.upload(*picture_)) picture_.reset();
  }

  void draw_picture(media::PictureSize output) {
    const media::PictureSize units = shell_->size();
    if (!picture_ || drawn_.picture.empty() || units.width <= 0) return;
    const Rectangle& place = drawn_.picture;
    Rectangle at = fit(picture_->size, {place.width, place.height});
    at.x += place.x;
    at.y += place.y;
    texture_.draw(scaled(at, static_cast<float>(output.width) / static_cast<float>(units.width)),
                  true);
  }

  std::unique_ptr<WindowShell> shell_;
  VideoTexture texture_;
  std::optional<media::VideoFrame> picture_;
  bool fresh_ = false;  // picture_ is not in the texture yet, or has gone
  std::string title_;   // of the window; as it was opened until the first drawing
  StartModel model_;    // as it was drawn last, with the entries
  StartEntries entries_;
  StartDrawn drawn_;
  std::optional<StartAction> pressed_;
  int turns_ = kTurnsAfterInput;  // drawings that are due, whatever changes
  int drawings_ = 0;
};

Result<std::unique_ptr<StartWindow>> StartWindow::open(const WindowOptions& options) {
  auto shell = WindowShell::open(options);
  if (!shell) return shell.error();
  return std::unique_ptr<StartWindow>(new StartWindow(std::make_unique<Impl>(*std::move(shell))));
}

StartWindow::StartWindow(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StartWindow::~StartWindow() = default;

void StartWindow::wait(Duration at_most) { impl_->wait(at_most); }
void StartWindow::wake() { impl_->shell().wake(); }
void StartWindow::show_picture(const media::VideoFrame& picture) { impl_->show_picture(picture); }
void StartWindow::drop_picture() { impl_->drop_picture(); }
std::optional<StartAction> StartWindow::draw(const StartModel& model, StartEntries& entries) {
  return impl_->draw(model, entries);
}
int StartWindow::drawings() const { return impl_->drawings(); }
void StartWindow::copy(const std::string& text) { SDL_SetClipboardText(text.c_str()); }
Result<std::string> StartWindow::screenshot(const std::string& path) {
  return impl_->screenshot(path);
}

}  // namespace qvid::ui
