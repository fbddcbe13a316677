#include "lab/experiments/outcome_reader.h"

#include <algorithm>

#include "base/text.h"

namespace qvid::lab {
namespace {

const nlohmann::json kAbsent;

}  // namespace

void OutcomeReader::only(std::initializer_list<std::string_view> names) const {
  if (!failure_->empty()) return;
  if (!json_->is_object()) return fail("is no object");
  for (const auto& [key, value] : json_->items()) {
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      return fail("has a field " + in_quotes(key) + ", which is unknown");
    }
  }
}

OutcomeReader OutcomeReader::field(std::string_view name) const {
  OutcomeReader at(kAbsent, path_ + "." + std::string(name), *failure_);
  if (!failure_->empty()) return at;
  const auto found = json_->find(std::string(name));
  if (found == json_->end()) {
    at.fail("is missing");
  } else {
    at.json_ = &*found;
  }
  return at;
}

std::string OutcomeReader::as_text() const {
  if (!failure_->empty()) return {};
  const auto* text = json_->get_ptr<const std::string*>();
  if (text == nullptr) return fail("is no text"), std::string();
  if (text->size() > kMostText) {
    return fail("is longer than " + std::to_string(kMostText) + " bytes"), std::string();
  }
  return *text;
}

double OutcomeReader::as_number() const {
  if (!failure_->empty()) return 0;
  if (!json_->is_number() || !std::isfinite(json_->get<double>())) return fail("is no number"), 0;
  return json_->get<double>();
}

bool OutcomeReader::flag(std::string_view name) const {
  const OutcomeReader at = field(name);
  if (!failure_->empty()) return false;
  if (!at.json_->is_boolean()) return at.fail("is neither true nor false"), false;
  return at.json_->get<bool>();
}

int OutcomeReader::whole(std::string_view name, int most) const {
  const OutcomeReader at = field(name);
  const double value = at.as_number();
  if (value < 0 || value > most || value != std::floor(value)) {
    return at.fail("is no whole number from 0 to " + std::to_string(most)), 0;
  }
  return static_cast<int>(value);
}

std::string OutcomeReader::file_name(std::string_view name) const {
  const OutcomeReader at = field(name);
  std::string text = at.as_text();
  const bool good = !text.empty() && text.size() <= kMostFileName &&
                    std::all_of(text.begin(), text.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
                    });
  if (!good) at.fail("is no name of lower case letters, digits and hyphens");
  return text;
}

bool OutcomeReader::is_list(std::size_t most) const {
  if (!failure_->empty()) return false;
  if (!json_->is_array()) return fail("is no list"), false;
  if (json_->size() > most) {
    return fail("has more than " + std::to_string(most) + " entries"), false;
  }
  return true;
}

}  // namespace qvid::lab
