#include "ui/text/stand_ins.h"

#include <algorithm>

#include "base/text.h"
#include "ui/text/shown_text.h"

namespace qvid::ui {
namespace {

bool needs_stand_in(char32_t c) {
  constexpr char32_t kLastOfFirstPlane = 0xffff;
  return c > kLastOfFirstPlane || StandIns::is_typed(c);
}

char32_t code_of(std::size_t place) { return StandIns::kFirstShown + static_cast<char32_t>(place); }

}  // namespace

template <class Replace>
std::string StandIns::replaced(std::string_view text, const Replace& replace) {
  std::string all;
  all.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = take_character(text);
    const char32_t other = c == kNoCharacter ? c : replace(c);
    if (other == c) {
      all += before.substr(0, before.size() - text.size());
    } else {
      append_character(all, other);
    }
  }
  return all;
}

std::string StandIns::shown(std::string_view text) {
  return replaced(text, [this](char32_t c) { return needs_stand_in(c) ? shown(c) : c; });
}

std::string StandIns::measured(std::string_view text) const {
  constexpr std::string_view kAsWide = "W.";  // as an emoji, about
  constexpr std::string_view kNone = "\uFFFD";
  std::string all;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t c = take_character(rest);
    const auto known = needs_stand_in(c) ? places_.find(c) : places_.end();
    if (known != places_.end()) {
      append_character(all, code_of(known->second));
    } else if (c != kNoCharacter && needs_stand_in(c)) {
      all += is_drawable_(c) ? kAsWide : kNone;
    } else {
      all += before.substr(0, before.size() - rest.size());
    }
  }
  return all;
}

std::string StandIns::typed(std::string_view text) {
  return replaced(text,
                  [this](char32_t c) { return is_private(c) || needs_stand_in(c) ? typed(c) : c; });
}

std::string StandIns::text_of(std::string_view typed) const {
  return replaced(typed, [this](char32_t c) {
    return c >= kFirstTyped && c < kFirstTyped + typed_.size() ? typed_[c - kFirstTyped] : c;
  });
}

char32_t StandIns::shown(char32_t c) {
  const auto known = places_.find(c);
  std::size_t place = 0;
  if (known != places_.end()) {
    place = known->second;
  } else {
    if (full_ == drawing_ || !is_drawable_(c)) return kNoGlyph;
    const auto oldest = std::ranges::min_element(shown_, {}, &Shown::drawing);
    if (oldest->drawing == drawing_) {
      full_ = drawing_;
      return kNoGlyph;
    }
    place = static_cast<std::size_t>(oldest - shown_.begin());
    places_.erase(oldest->character);
    places_.emplace(c, place);
    oldest->character = c;
    changed_ = true;
  }
  shown_[place].drawing = drawing_;
  return code_of(place);
}

char32_t StandIns::typed(char32_t c) {
  auto known = std::ranges::find(typed_, c);
  if (known == typed_.end()) {
    if (typed_.size() == kMostTyped) return kNoGlyph;
    known = typed_.insert(typed_.end(), c);
    changed_ = true;
  }
  return kFirstTyped + static_cast<char32_t>(known - typed_.begin());
}

std::vector<StandIns::StandIn> StandIns::load() {
  changed_ = false;
  std::vector<StandIn> all;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    if (shown_[i].character == 0) continue;
    all.push_back({code_of(i), shown_[i].character});
  }
  for (std::size_t i = 0; i < typed_.size(); ++i) {
    if (is_private(typed_[i])) continue;
    all.push_back({kFirstTyped + static_cast<char32_t>(i), typed_[i]});
  }
  return all;
}

}  // namespace qvid::ui
