// The words of the windows in a person's language, from the catalogues of ui/po (GNU gettext's).
//
//   tr("Join")                          what the source has in English, as the catalogue has it
//   filled(tr("{} here"), 3)            with what is in braces filled in, as fmt does
//   constexpr marked("Keys")            for the catalogue, where it is not yet to be translated
//
// Without speak() all is English: programs without a window, logs, reports. Texts are UTF-8.
// tests/ui/po_test.sh sees that no text is missing and that braces are the same.
#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <string>

namespace qvid::ui {

// `language`: as "de" or "pt_BR"; empty: by LANGUAGE, LC_ALL, LC_MESSAGES, LANG, the first that says
// one. `catalogues`: the folder that has <language>/LC_MESSAGES/qvid.mo; where it is missing, texts
// are English. Sets LANGUAGE: to be called while no other thread is at work.
void speak(const std::string& language, const std::filesystem::path& catalogues);
// Which one follows from it; empty: English.
std::string chosen_language(const std::string& language);

// As long-lived as the program. Any thread.
const char* tr(const char* text);
constexpr const char* marked(const char* text) { return text; }

// What cannot be filled in (a catalogue may be anybody's) stays as it is.
std::string filled_from(const char* pattern, fmt::format_args values);
template <class... Values>
std::string filled(const char* pattern, const Values&... values) {
  return filled_from(pattern, fmt::make_format_args(values...));
}

}  // namespace qvid::ui
