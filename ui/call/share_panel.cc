#include "ui/call/share_panel.h"

#include <SDL.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "media/source/video_source.h"
#include "ui/text/fonts.h"
#include "ui/text/translated.h"
#include "ui/window/focus.h"

namespace qvid::ui {
namespace {

// Room for the mark of the focus.
const ImVec2 kBetweenLines{8, 6};
const ImVec2 kAroundLines{3, 3};

void place_in(TilePicture& picture, media::PictureSize nominal, const Box& box) {
  const auto whole = [](float units) { return static_cast<int>(std::floor(units)); };
  picture.where = fit(nominal, {whole(box.width()), whole(box.height())});
  picture.where.x += whole(box.min.x);
  picture.where.y += whole(box.min.y);
}

}  // namespace

void SharePanel::offer(std::vector<ShareChoice> choices, std::optional<bool> with_sound) {
  choices_ = std::move(choices);
  with_sound_ = with_sound;
  part_.reset();
  is_back_ = false;
  std::vector<TileModel> keys;
  for (const ShareChoice& choice : choices_) keys.push_back({.key = choice.source});
  stills_.keep({});
  stills_.keep(keys);
}

void SharePanel::close() {
  part_.reset();
  stills_.keep({});
}

void SharePanel::show_still(const std::string& source, const media::VideoFrame& still) {
  if (stills_.known(source)) stills_.show(source, still, still.size);
}

bool SharePanel::handle_key(const SDL_Keysym& key) {
  if (!part_) return false;
  switch (key.sym) {
    case SDLK_ESCAPE: answer(SharePart::Answer::kBack); return true;
    case SDLK_RETURN:
    case SDLK_KP_ENTER: answer(SharePart::Answer::kShare); return true;
    case SDLK_TAB: return true;  // nothing else is to be seen that it could select
    default: return part_->handle_key(key);
  }
}

std::string SharePanel::take_chosen() { return std::exchange(chosen_, {}); }

void SharePanel::choose(const ShareChoice& choice) {
  if (choice.part_of == media::PictureSize{}) {
    chosen_ = choice.source;
  } else {
    parted_ = static_cast<std::size_t>(&choice - choices_.data());
    part_.emplace(choice.part_of);
  }
}

void SharePanel::answer(SharePart::Answer answer) {
  if (answer == SharePart::Answer::kNone) return;
  if (answer == SharePart::Answer::kShare) {
    const Rectangle& at = part_->area();
    const media::ScreenArea area{.size = {at.width, at.height}, .x = at.x, .y = at.y};
    chosen_ = choices_[parted_].source + "@" + area.text();
  }
  part_.reset();
  is_back_ = true;
}

void SharePanel::draw() {
  pictures_.resize(choices_.size());
  if (part_) return answer(part_->draw(picture_of(parted_)));
  ImGui::TextWrapped(
      "%s", drawn_text(choices_.empty()
                           ? tr("There is no screen and no window here that Qvid could share.")
                           : tr("Everybody in the call sees what you choose."))
                .c_str());
  if (with_sound_ && !choices_.empty()) {
    draw_by_keys([&] { draw_box(tr("With computer sound"), *with_sound_); });
  }
  ImGui::Separator();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, kAroundLines);
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NavFlattened | ImGuiWindowFlags_AlwaysUseWindowPadding;
  const bool seen = ImGui::BeginChild("shares", {0, 0}, false, kFlags);
  ImGui::PopStyleVar();
  if (seen) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, kBetweenLines);
    draw_by_keys([this] { draw_choices(); });
    ImGui::PopStyleVar();
    is_back_ = false;
  }
  ImGui::EndChild();
}

// A choice may be of the same source as another.
void SharePanel::draw_choices() {
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const ShareChoice& choice = choices_[i];
    const auto draw_still = [&](const Box& box) {
      TilePicture& picture = picture_of(i);
      if (!picture.texture) return;
      place_in(picture, stills_.of(choice.source).nominal, box);
      draw_in_list(*ImGui::GetWindowDrawList(), picture);
    };
    if (draw_line(std::to_string(i), choice.title, choice.detail, LineMark::kNone, draw_still))
      choose(choice);
    if (is_back_ && i == parted_) focus_last_item();
    if (i == 0 && ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();
  }
}

TilePicture& SharePanel::picture_of(std::size_t choice) {
  const std::string& source = choices_[choice].source;
  TilePicture& picture = pictures_[choice];
  picture.texture = stills_.known(source) ? stills_.of(source).texture : nullptr;
  return picture;
}

}  // namespace qvid::ui
