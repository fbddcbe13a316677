#include "ui/start/start_view.h"

#include "ui/start/widgets.h"
#include "ui/text/translated.h"
#include "ui/window/focus.h"
#include "ui/window/notices.h"

namespace qvid::ui {
namespace {

using Pressed = std::optional<StartAction>;

Pressed draw_front_page(const StartModel& model, StartEntries& entries) {
  Pressed pressed;
  const auto when = [&](bool done, StartAct act, std::size_t index = 0) {
    if (done) pressed = StartAction{act, index};
  };
  draw_title("Qvid");
  const float both = button_width(tr("Join...")) + button_width(tr("Watch...")) + 16;
  when(draw_field({.label = tr("Link"),
                   .hint = tr("qvid://host/room, as you were given it"),
                   .focused = true,
                   .spare = both},
                  entries.link),
       StartAct::kJoin);
  ImGui::SameLine();
  when(draw_button(tr("Join..."), Weight::kPrimary), StartAct::kJoin);
  ImGui::SameLine();
  when(draw_button(tr("Watch...")), StartAct::kWatch);
  if (model.link_trouble.empty()) {
    draw_faint(tr("Join: see and be seen. Watch: see the others, unseen."));
  } else {
    draw_trouble(model.link_trouble);
  }
  ImGui::Dummy({0, 6});
  when(draw_button(tr("Start a call...")), StartAct::kHost);
  ImGui::SameLine();
  when(draw_button(tr("Settings...")), StartAct::kSettings);
  ImGui::Dummy({0, 6});
  if (!model.recent.empty()) draw_faint(tr("Rooms you were in"));
  for (std::size_t i = 0; i < model.recent.size(); ++i) {
    const std::string& link = model.recent[i];
    const std::size_t room = link.find('/', sizeof "qvid://" - 1);
    const std::string name =
        room == link.npos ? tr("call") : link.substr(room + 1, link.find('#') - room - 1);
    when(draw_line(link, name, link), StartAct::kRecent, i);
  }
  return pressed;
}

Pressed draw_settings_page(const StartModel& model, StartEntries& entries) {
  draw_title(tr("Settings"));
  draw_field({.label = tr("Your name"), .focused = true}, entries.name);
  draw_trouble(model.name_trouble);
  draw_choice({.label = tr("Size of text")}, model.scales, entries.scale);
  draw_choice({.label = tr("Layout")}, model.layouts, entries.layout);
  draw_choice({.label = tr("Language")}, model.languages, entries.language);
  draw_field({.label = tr("Limit up"), .hint = tr("bits a second that you send, as 2500k")},
             entries.limit_up);
  draw_trouble(model.limit_up_trouble);
  draw_field({.label = tr("Limit down"), .hint = tr("bits a second that you are sent, as 1500k")},
             entries.limit_down);
  draw_trouble(model.limit_down_trouble);
  draw_field({.label = tr("Proxy"), .hint = tr("socks5://host:port, http://host:port, or direct")},
             entries.proxy);
  draw_trouble(model.proxy_trouble);
  ImGui::Dummy({0, 6});
  const bool back = draw_button(tr("Back"), Weight::kPrimary);
  draw_faint(model.file.empty()
                 ? tr("Nothing is kept: there is no home folder.")
                 : filled(tr("Kept in {}. Camera, microphone and loudspeaker: before "
                             "you join."),
                          model.file));
  return back ? Pressed(StartAction{StartAct::kBack}) : std::nullopt;
}

}  // namespace

StartDrawn draw_start(const StartModel& model, StartEntries& entries, bool has_picture) {
  const PageStyle style;
  const float below = banner_height(model.notice);
  StartDrawn drawn;
  switch (model.page) {
    case StartPage::kFront:
      draw_page("front", below, [&] { drawn.action = draw_front_page(model, entries); });
      break;
    case StartPage::kJoin:
      draw_page("join", below, [&] { drawn = draw_join_page(model, entries, has_picture); });
      break;
    case StartPage::kSettings:
      draw_page("settings", below, [&] { drawn.action = draw_settings_page(model, entries); });
      break;
  }
  if (below > 0) draw_banner(model.notice);
  return drawn;
}

}  // namespace qvid::ui
