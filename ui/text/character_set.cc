#include "ui/text/character_set.h"

namespace qvid::ui {

std::vector<char32_t> CharacterSet::load() {
  loaded_ |= drawn_;
  if (loaded_.count() > kMost) loaded_ = drawn_;
  full_.reset();
  if (loaded_.count() > kMost) full_ = drawn_;
  std::vector<char32_t> codes;
  for (std::size_t code = 0; code < kCodes; ++code) {
    if (!loaded_.test(code)) continue;
    if (codes.size() == kMost) {
      loaded_.reset(code);
    } else {
      codes.push_back(static_cast<char32_t>(code));
    }
  }
  return codes;
}

}  // namespace qvid::ui
