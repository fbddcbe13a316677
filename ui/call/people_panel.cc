#include "ui/call/people_panel.h"

#include <imgui.h>

#include <algorithm>

#include "ui/text/fonts.h"
#include "ui/text/translated.h"
#include "ui/window/paint.h"
#include "ui/window/tile_model.h"

namespace qvid::ui {
namespace {

constexpr float kPersonHeight = 30;
constexpr float kDisc = 11;  // radius

// What is to be known of somebody, in words.
std::string state_of(const Person& person) {
  std::string state;
  const auto add = [&](const std::string& words) { state += (state.empty() ? "" : ", ") + words; };
  if (person.records) add(tr("records"));
  if (person.hand > 0) add(filled(tr("hand {}"), person.hand));
  if (person.held) {
    add(tr("muted by the room"));
  } else if (person.muted) {
    add(tr("muted"));
  }
  if (person.silenced) {
    add(tr("not heard"));
  } else if (const std::string volume = volume_text(person.volume); !volume.empty()) {
    add(volume);
  }
  if (person.pinned) add(tr("pinned"));
  return state;
}

// Side by side as long as there is room; true: it was pressed.
bool button(const char* words) {
  const float width = ImGui::CalcTextSize(words).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  return ImGui::Button(words);
}

}  // namespace

void PeoplePanel::draw_room(const PeopleModel& model, PersonInput& input) {
  if (model.hands) {
    if (ImGui::Button(model.own_hand ? tr("Lower your hand (r)") : tr("Raise your hand (r)"))) {
      input = {.action = PersonAction::kHand};
    }
  }
  if (model.moderates) {
    if (ImGui::Button(model.locked ? tr("Open the room") : tr("Lock the room"))) {
      input = {.action = PersonAction::kLock};
    }
  }
  if (model.locked) {
    ImGui::TextWrapped("%s", tr("The room is locked: nobody else can join."));
  }
  ImGui::Separator();
}

void PeoplePanel::draw_actions(const Person& person, const PeopleModel& model, PersonInput& input) {
  const auto does = [&](PersonAction action) { input = {.action = action, .name = person.name}; };
  if (person.audible) {
    float percent = 100 * person.volume;
    ImGui::SetNextItemWidth(-1);
    const std::string shown = filled(tr("volume {:.0f} %"), percent) + '%';  // a format of ImGui's
    if (ImGui::SliderFloat("##volume", &percent, 0, 100 * model.most_volume, shown.c_str(),
                           ImGuiSliderFlags_AlwaysClamp)) {
      does(PersonAction::kVolume);
      input.volume = percent / 100;
    }
  }
  ImGui::Dummy({0, 0});
  if (person.tile && button(person.pinned ? tr("Let go") : tr("Pin"))) does(PersonAction::kPin);
  if (person.audible && button(person.silenced ? tr("Hear") : tr("Do not hear"))) {
    does(PersonAction::kSilence);
  }
  if (model.chat && button(tr("Write"))) does(PersonAction::kWrite);
  if (!model.moderates) return;
  if (button(person.held ? tr("Let speak") : tr("Mute for all"))) does(PersonAction::kHold);
  if (removing_ != person.name) {
    if (button(tr("Remove..."))) removing_ = person.name;
    return;
  }
  ImGui::PushStyleColor(ImGuiCol_Button, kRedGround);
  if (button(tr("Remove from the room"))) {
    does(PersonAction::kRemove);
    removing_.clear();
  }
  ImGui::PopStyleColor();
}

void PeoplePanel::draw_person(const Person& person, const PeopleModel& model, PersonInput& input) {
  ImGui::PushID(person.name.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool opened = opened_ == person.name;
  if (ImGui::Selectable("##person", opened, 0, {0, kPersonHeight}) && !person.own) {
    opened_ = opened ? std::string() : person.name;
    removing_.clear();
  }
  const bool lit = opened || ImGui::IsItemHovered() || ImGui::IsItemFocused();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = at.y + kPersonHeight / 2;
  const std::string letters = drawn_text(initials(person.name));
  const ImVec2 extent = ImGui::CalcTextSize(letters.c_str());
  const float share = std::min(1.0f, 1.6f * kDisc / std::max(extent.x, 1.0f));
  const float size = ImGui::GetFontSize() * share;
  const ImVec2 disc{at.x + kDisc + 2, middle};
  list.AddCircleFilled(disc, kDisc, disc_color(person.name));
  list.AddText(ImGui::GetFont(), size,
               {disc.x - extent.x * share / 2, disc.y - extent.y * share / 2}, kBright,
               letters.c_str());
  const float left = disc.x + kDisc + kSpace;
  const std::string state = shortened(state_of(person), width * 0.55f);
  const float end = at.x + width - (state.empty() ? 0.0f : width_of(state) + kSpace);
  const std::string name = shortened(person.own ? filled(tr("{} (you)"), person.name) : person.name,
                                     end - left - kSpace);
  const float top = middle - line_height() / 2;
  list.AddText({left, top}, kBright, drawn_text(name).c_str());
  const ImU32 color = person.hand > 0 ? kAmber : lit ? kBright : kFaint;
  list.AddText({at.x + width - width_of(state), top}, color, drawn_text(state).c_str());
  if (opened && !person.own) draw_actions(person, model, input);
  ImGui::PopID();
}

PersonInput PeoplePanel::draw(const PeopleModel& model) {
  PersonInput input;
  draw_room(model, input);
  if (ImGui::BeginChild("people", {0, 0}, false, ImGuiWindowFlags_NavFlattened)) {
    for (const Person& person : model.people) draw_person(person, model, input);
  }
  ImGui::EndChild();
  return input;
}

}  // namespace qvid::ui
