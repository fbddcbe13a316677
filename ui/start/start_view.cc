#include "ui/start/start_view.h"

#include "ui/start/widgets.h"
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
  constexpr float kTwoButtons = 160;
  when(draw_field({.label = "Link",
                   .hint = "qvid://host/room, as you were given it",
                   .focused = true,
                   .spare = kTwoButtons},
                  entries.link),
       StartAct::kJoin);
  ImGui::SameLine();
  when(draw_button("Join...", Weight::kPrimary, 72), StartAct::kJoin);
  ImGui::SameLine();
  when(draw_button("Watch...", Weight::kPlain, 72), StartAct::kWatch);
  if (model.link_trouble.empty()) {
    draw_faint("Join: see and be seen. Watch: see the others, unseen.");
  } else {
    draw_trouble(model.link_trouble);
  }
  ImGui::Dummy({0, 6});
  when(draw_button("Start a call..."), StartAct::kHost);
  ImGui::SameLine();
  when(draw_button("Settings..."), StartAct::kSettings);
  ImGui::Dummy({0, 6});
  if (!model.recent.empty()) draw_faint("Rooms you were in");
  for (std::size_t i = 0; i < model.recent.size(); ++i) {
    const std::string& link = model.recent[i];
    const std::size_t room = link.find('/', sizeof "qvid://" - 1);
    const std::string name =
        room == link.npos ? "call" : link.substr(room + 1, link.find('#') - room - 1);
    when(draw_line(link, name, link), StartAct::kRecent, i);
  }
  return pressed;
}

Pressed draw_settings_page(const StartModel& model, StartEntries& entries) {
  draw_title("Settings");
  draw_field({.label = "Your name", .focused = true}, entries.name);
  draw_trouble(model.name_trouble);
  draw_choice({.label = "Size of text"}, model.scales, entries.scale);
  draw_choice({.label = "Layout"}, model.layouts, entries.layout);
  draw_field({.label = "Limit up", .hint = "bits a second that you send, as 2500k"},
             entries.limit_up);
  draw_trouble(model.limit_trouble);
  draw_field({.label = "Proxy", .hint = "socks5://host:port, http://host:port, or direct"},
             entries.proxy);
  draw_trouble(model.proxy_trouble);
  ImGui::Dummy({0, 6});
  const bool back = draw_button("Back", Weight::kPrimary, 72);
  draw_faint(model.file.empty() ? "Nothing is kept: there is no home folder."
                                : "Kept in " + model.file +
                                      ". Camera, microphone and loudspeaker: "
                                      "before you join.");
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
