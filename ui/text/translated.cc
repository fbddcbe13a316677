#include "ui/text/translated.h"

#include <fmt/format.h>
#include <libintl.h>

#include <clocale>
#include <cstdlib>

// gettext's: what it has looked up counts no longer. Its manual's word for a language that changes in
// a running program ("Being a `gettext` grok").
extern "C" int _nl_msg_cat_cntr;  // NOLINT(bugprone-reserved-identifier)

namespace qvid::ui {
namespace {

constexpr const char* kDomain = "qvid";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_c(const std::string& locale) {
  return locale == "C" || locale == "POSIX" || locale.starts_with("C.");
}

}  // namespace

std::string chosen_language(const std::string& language) {
  if (!language.empty()) return language;
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (locale = variable(name); !locale.empty()) break;
  }
  const bool plain = locale == "C" || locale == "POSIX";
  if (const std::string list = variable("LANGUAGE"); !list.empty() && !plain) return list;
  return is_c(locale) ? "" : locale.substr(0, locale.find('.'));
}

void speak(const std::string& language, const std::filesystem::path& catalogues) {
  const std::string chosen = chosen_language(language);
  // The language alone: its locale need not be installed, but gettext translates nothing in "C".
  std::setlocale(LC_MESSAGES, chosen.empty() ? "C" : "C.UTF-8");
  ::setenv("LANGUAGE", chosen.c_str(), 1);
  ::bindtextdomain(kDomain, catalogues.c_str());
  ++_nl_msg_cat_cntr;
  ::bind_textdomain_codeset(kDomain, "UTF-8");
  ::bind_textdomain_codeset("libc", "UTF-8");  // reasons of the system are shown, too
}

const char* tr(const char* text) { return ::dgettext(kDomain, text); }

std::string filled_from(const char* pattern, fmt::format_args values) {
  try {
    return fmt::vformat(pattern, values);
  } catch (const fmt::format_error&) {
    return pattern;
  }
}

}  // namespace qvid::ui
