#include <algorithm>

#include "ui/start/start_view.h"
#include "ui/start/widgets.h"
#include "ui/text/fonts.h"
#include "ui/text/translated.h"
#include "ui/window/focus.h"
#include "ui/window/paint.h"

namespace qvid::ui {
namespace {

constexpr float kTwoColumns = 600;  // units of width from which the picture stands beside the rest
constexpr float kMostPicture = 400;
constexpr float kLeastQr = 124;  // three units a module of a usual link
constexpr float kMostQr = 300;
constexpr float kBelowQr = 140;  // link, passphrase, button

// The place of one's own picture; over it why there is none.
Rectangle draw_place(const StartEntries& entries, bool has_picture, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = width * 9 / 16;
  ImGui::Dummy({width, height});
  const bool without = entries.join_without_camera;
  if (!has_picture || without) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, {at.x + width, at.y + height}, kTileGround, kRounded);
    const std::string why = shortened(
        without ? tr("The others see your initials") : tr("No picture yet"), width - 2 * kSpace);
    list.AddText({at.x + (width - width_of(why)) / 2, at.y + (height - line_height()) / 2}, kFaint,
                 drawn_text(why).c_str());
  }
  if (without) return {};
  return {static_cast<int>(at.x), static_cast<int>(at.y), static_cast<int>(width),
          static_cast<int>(height)};
}

// What others need to come.
bool draw_invitation(const StartModel& model, float width) {
  draw_faint(tr("Pass this on; they join once you have:"), width);
  const float room = ImGui::GetIO().DisplaySize.y - ImGui::GetCursorPosY() - kBelowQr;
  draw_qr(model.qr, std::clamp(room, kLeastQr, kMostQr));
  draw_faint(model.invitation, width);
  ImGui::TextUnformatted(
      drawn_text(filled(tr("Passphrase: {}"), model.invitation_passphrase)).c_str());
  return draw_button(tr("Copy link and passphrase"));
}

}  // namespace

StartDrawn draw_join_page(const StartModel& model, StartEntries& entries, bool has_picture) {
  StartDrawn drawn;
  const auto when = [&](bool done, StartAct act) {
    if (done) drawn.action = StartAction{act};
  };
  draw_title(model.title);
  if (model.network_trouble) {
    draw_trouble(model.network);
  } else {
    draw_faint(model.network);
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const bool invites = !model.invitation.empty();
  const bool beside = width >= kTwoColumns && (model.publishes || invites);
  const float left = beside ? std::min(kMostPicture, width * 0.42f) : std::min(kMostPicture, width);
  if (beside) ImGui::BeginGroup();
  if (model.publishes && !(invites && !beside)) {
    drawn.picture = draw_place(entries, has_picture, invites ? left * 0.6f : left);
    draw_level(entries.join_muted ? 0 : model.level, invites ? left * 0.6f : left);
  }
  if (beside && invites) when(draw_invitation(model, left), StartAct::kCopyLink);
  if (beside) {
    ImGui::EndGroup();
    ImGui::SameLine(0, 20);
    ImGui::BeginGroup();
  }
  when(draw_field({.label = tr("Your name")}, entries.name), StartAct::kGo);
  draw_trouble(model.name_trouble);
  if (model.publishes) {
    draw_choice({.label = tr("Camera")}, model.cameras, entries.camera);
    draw_trouble(entries.join_without_camera ? "" : model.camera_trouble);
    draw_choice({.label = tr("Microphone")}, model.microphones, entries.microphone);
    draw_trouble(model.microphone_trouble);
  }
  const std::string test = tr("Test");
  const float test_width = button_width(test);
  draw_choice({.label = tr("Speaker"), .spare = test_width + 8}, model.loudspeakers,
              entries.loudspeaker);
  ImGui::SameLine();
  when(draw_button((model.testing ? "..." : test) + "###test", Weight::kPlain, test_width),
       StartAct::kTestTone);
  draw_trouble(model.loudspeaker_trouble);
  if (model.asks_passphrase) {
    when(draw_field(
             {.label = tr("Passphrase"), .hint = tr("where the room has one"), .secret = true},
             entries.passphrase),
         StartAct::kGo);
  }
  if (model.publishes) {
    draw_box(tr("Join muted"), entries.join_muted);
    ImGui::SameLine();
    draw_box(tr("Join without camera"), entries.join_without_camera);
  }
  ImGui::Dummy({0, 4});
  when(draw_button(model.go, Weight::kPrimary, 150), StartAct::kGo);
  ImGui::SetItemDefaultFocus();
  ImGui::SameLine();
  when(draw_button(tr("Back")), StartAct::kBack);
  if (beside) ImGui::EndGroup();
  if (!beside && invites) when(draw_invitation(model, width), StartAct::kCopyLink);
  return drawn;
}

}  // namespace qvid::ui
