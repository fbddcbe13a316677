#include "ui/call/call_view.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ui/text/translated.h"
#include "ui/window/paint.h"
#include "ui/window/sound_signs.h"

namespace qvid::ui {
namespace {

constexpr auto kBarHeight = static_cast<float>(kCallBarHeight);
constexpr int kMostNoticeLines = 4;
constexpr float kBetween = 18;
constexpr float kBarSign = 16;            // side of a sign of sound
constexpr float kMostOfRecorders = 0.3F;  // of the bar

float text_top() { return (kBarHeight - line_height()) / 2; }

// What stands at the bar's right, each thing to the left of the one before.
class FromTheRight {
 public:
  explicit FromTheRight(float end) : end_(end) {}
  // Where the next one would end.
  float end() const { return end_; }

  void text(const std::string& words, ImU32 color) {
    end_ -= width_of(words);
    write({end_, text_top()}, color, words);
    end_ -= kBetween;
  }
  void with_dot(const std::string& words, ImU32 color) {
    text(words, color);
    end_ += kBetween - 9;
    ground().AddCircleFilled({end_, kBarHeight / 2}, 4, color);
    end_ -= 4 + kBetween;
  }
  void with_sign(SoundSign sign, std::optional<ImU32> struck, ImU32 color,
                 const std::string& words) {
    if (!words.empty()) {
      text(words, color);
      end_ += kBetween - kSpace;
    }
    end_ -= kBarSign;
    draw_sign(sign, {end_, (kBarHeight - kBarSign) / 2}, kBarSign, color, struck);
    end_ -= kBetween;
  }
  void pill(const Pill& shown) {
    end_ -= pill_width(shown);
    draw_pill(shown, {end_, (kBarHeight - kPillHeight) / 2});
    end_ -= kBetween;
  }

 private:
  float end_;
};

void add_microphone(FromTheRight& right, Microphone microphone, bool wide) {
  if (const auto pill = microphone_pill(microphone)) {
    right.pill(*pill);
  } else if (microphone == Microphone::kOn) {
    right.with_sign(SoundSign::kMicrophone, std::nullopt, kGreen, wide ? tr("mic on") : "");
  } else {
    right.with_sign(SoundSign::kMicrophone, kRed, kFaint, wide ? tr("no mic") : "");
  }
}

// At the left, before what gives way to other things; how wide it is, with what is between.
float draw_recorders(const std::string& recorders, float width) {
  if (recorders.empty()) return 0;
  const float most = width * kMostOfRecorders;
  const std::string whole = filled(tr("recorded by {}"), recorders);
  Pill pill{.sign = {}, .ground = kRedGround, .text = shortened(whole, most)};
  if (width_of(tr("recorded by {}")) > most) pill.text = tr("recorded");
  draw_pill(pill, {kSpace, (kBarHeight - kPillHeight) / 2});
  return pill_width(pill) + kSpace;
}

}  // namespace

void draw_call_bar(const CallBar& bar) {
  const float width = ImGui::GetIO().DisplaySize.x;
  ground().AddRectFilled({0, 0}, {width, kBarHeight}, kBarGround);
  FromTheRight right(width - kSpace);
  const bool wide = width >= 480;  // else only what matters, in short
  if (wide) right.text(tr("h: help"), kFaint);
  right.with_dot(bar.camera_fault ? tr("no camera")
                 : bar.camera_on  ? tr("camera on")
                                  : tr("camera off"),
                 bar.camera_fault ? kRed
                 : bar.camera_on  ? kGreen
                                  : kFaint);
  if (bar.sharing) {
    right.with_dot(bar.frozen ? (wide ? tr("sharing, frozen") : tr("frozen")) : tr("sharing"),
                   kAmber);
  }
  add_microphone(right, bar.microphone, wide);
  if (bar.unread > 0) right.with_dot(filled(tr("{} unread"), bar.unread), kAmber);
  if (const std::string volume = volume_text(bar.volume); !volume.empty()) {
    right.with_sign(SoundSign::kLoudspeaker, std::nullopt, kBlue, volume);
  }

  const std::string parties =
      filled(tr("{} here"), bar.parties) +
      (bar.not_shown > 0 ? filled(tr(", {} not shown"), bar.not_shown) : std::string()) +
      (bar.pages > 1 ? filled(tr(", page {} of {}"), bar.page + 1, bar.pages) : std::string());
  const float left = kSpace + 2 + draw_recorders(bar.recorders, width);
  const std::string room = shortened(bar.room, right.end() - left);
  write({left, text_top()}, kBright, room);
  const float after = left + width_of(room) + (room.empty() ? 0 : kBetween);
  if (after + width_of(parties) <= right.end()) write({after, text_top()}, kFaint, parties);
}

void draw_unheard_hint(float width) {
  const std::array<std::string, 3> wordings{tr("You are muted: m to unmute, or hold space to talk"),
                                            tr("You are muted: press m"), tr("muted")};
  Pill pill{.struck = true, .ground = kRedGround};
  for (const std::string& wording : wordings) {
    pill.text = wording;
    if (pill_width(pill) + 2 * kSpace <= width) break;
  }
  draw_pill(pill, {(width - pill_width(pill)) / 2, static_cast<float>(kCallBarHeight) + kSpace});
}

void draw_call_notices(const std::vector<std::string>& texts, float width, float below) {
  const float most = std::min(width * 0.6f, 420.0f);
  ImVec2 corner{width - 2 * kSpace, static_cast<float>(kCallBarHeight) + 2 * kSpace + below};
  for (const std::string& text : texts) {
    const Paragraph lines(text, most, kMostNoticeLines);
    const float height = lines.size().y + 10;
    const ImVec2 min{corner.x - lines.size().x - 2 * kSpace, corner.y};
    fill_rounded({min, {corner.x, corner.y + height}}, kNoticeGround);
    lines.write({min.x + kSpace, corner.y + 5}, kBright);
    corner.y += height + kSpace;
  }
}

}  // namespace qvid::ui
