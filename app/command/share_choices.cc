#include "app/command/share_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/text.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

// One that no source can be (left of the first one, or empty) is left out.
void add_screens(std::vector<ui::ShareChoice>& choices, const std::string& desktop,
                 const std::vector<ui::Rectangle>& screens) {
  for (std::size_t i = 0; i < screens.size(); ++i) {
    const auto& at = screens[i];
    const media::ScreenArea area{.size = {at.width, at.height}, .x = at.x, .y = at.y};
    const std::string source = desktop + "@" + area.text();
    if (!media::parse_source_spec(source)) continue;
    choices.push_back({.source = source,
                       .title = ui::filled(ui::tr("Screen {}"), i + 1),
                       .detail = fmt::format("{}x{}", at.width, at.height)});
  }
}

}  // namespace

std::vector<ui::ShareChoice> share_choices(const std::vector<media::AvailableSource>& found,
                                           const std::vector<ui::Rectangle>& screens) {
  std::vector<ui::ShareChoice> choices;
  for (const media::AvailableSource& source : found) {
    if (source.window.empty()) {
      choices.push_back({.source = source.type_this,
                         .title = ui::tr("The whole desktop"),
                         .detail = source.description});
      if (screens.size() > 1) add_screens(choices, source.type_this, screens);
      if (source.size == media::PictureSize{}) continue;
      choices.push_back({.source = source.type_this,
                         .title = ui::tr("A part of the screen..."),
                         .part_of = source.size});
    } else if (std::string title = clean_line(source.window); !title.empty()) {
      choices.push_back({.source = source.type_this, .title = std::move(title)});
    }
  }
  return choices;
}

std::vector<ui::ShareChoice> wayland_choices() {
  return {{.source = "screen",
           .title = ui::tr("A screen or a window..."),
           .detail = ui::tr("the desktop asks which")}};
}

std::vector<StillWish> share_stills(const std::vector<ui::ShareChoice>& choices) {
  constexpr media::PictureSize kOfLine{192, 120};    // at 3 pixels a unit
  constexpr media::PictureSize kOfPart{1920, 1200};  // of the window: a part is drawn in it
  std::vector<StillWish> wishes;
  for (const ui::ShareChoice& choice : choices) {
    const media::PictureSize most = choice.part_of == media::PictureSize{} ? kOfLine : kOfPart;
    const auto same = std::ranges::find(wishes, choice.source, &StillWish::source);
    if (same == wishes.end()) {
      wishes.push_back({choice.source, most});
    } else if (most.width > same->most.width) {
      same->most = most;
    }
  }
  return wishes;
}

}  // namespace qvid::app
