#include "ui/text/translated.h"

#include <fmt/format.h>
#include <libintl.h>

#include <algorithm>
#include <boost/locale/gnu_gettext.hpp>
#include <boost/locale/message.hpp>
#include <clocale>
#include <cstdlib>
#include <locale>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace qvid::ui {
namespace {

using Catalogue = boost::locale::message_format<char>;

constexpr const char* kDomain = "qvid";

// By Boost.Locale, not by the C library: that one translates nothing where no locale but C.UTF-8 is
// installed (from glibc 2.39 on).
const Catalogue* catalogue_in_use = nullptr;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_c(const std::string& locale) {
  return locale == "C" || locale == "POSIX" || locale.starts_with("C.");
}

// Null where there is none that can be read.
const Catalogue* catalogue_of(const std::string& language,
                              const std::filesystem::path& catalogues) {
  static std::map<std::string, std::locale> read;  // all of them stay: their texts are handed out
  const std::filesystem::path file =
      catalogues / language / "LC_MESSAGES" / (std::string(kDomain) + ".mo");
  if (std::error_code unknown; !std::filesystem::is_regular_file(file, unknown)) return nullptr;
  auto at = read.find(file.string());
  if (at == read.end()) {
    boost::locale::gnu_gettext::messages_info info;
    info.language = language;
    info.encoding = "UTF-8";
    info.domains = {std::string(kDomain)};
    info.paths = {catalogues.string()};
    try {
      Catalogue* made = boost::locale::gnu_gettext::create_messages_facet<char>(info);
      at = read.emplace(file.string(), std::locale(std::locale::classic(), made)).first;
    } catch (const std::runtime_error&) {
      return nullptr;  // no catalogue
    }
  }
  return &std::use_facet<Catalogue>(at->second);
}

// The first of "de_AT:es" that has one; "de" does for "de_AT".
const Catalogue* first_catalogue(std::string_view languages, const std::filesystem::path& folder) {
  while (!languages.empty()) {
    const std::string language(languages.substr(0, languages.find(':')));
    languages.remove_prefix(std::min(languages.size(), language.size() + 1));
    if (language.empty() || language.find('/') != std::string::npos) continue;
    for (const std::size_t end :
         {std::string::npos, language.find_first_of(".@"), language.find('_')}) {
      if (const Catalogue* found = catalogue_of(language.substr(0, end), folder)) return found;
    }
  }
  return nullptr;
}

}  // namespace

std::string chosen_language(const std::string& language) {
  if (!language.empty()) return language;
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (locale = variable(name); !locale.empty()) break;
  }
  const bool plain = locale == "C" || locale == "POSIX";
  if (std::string list = variable("LANGUAGE"); !list.empty() && !plain) return list;
  return is_c(locale) ? "" : locale.substr(0, locale.find('.'));
}

void speak(const std::string& language, const std::filesystem::path& catalogues) {
  const std::string chosen = chosen_language(language);
  catalogue_in_use = first_catalogue(chosen, catalogues);
  // The reasons that the system gives are shown, too: they follow where one of its locales is there.
  ::setenv("LANGUAGE", chosen.c_str(), 1);
  ::bind_textdomain_codeset("libc", "UTF-8");
  if (chosen.empty() || std::setlocale(LC_MESSAGES, "") == nullptr) {
    std::setlocale(LC_MESSAGES, chosen.empty() ? "C" : "C.UTF-8");
  }
}

const char* tr(const char* text) {
  const char* translated =
      catalogue_in_use == nullptr ? nullptr : catalogue_in_use->get(0, nullptr, text);
  return translated == nullptr ? text : translated;
}

std::string filled_from(const char* pattern, fmt::format_args values) {
  try {
    return fmt::vformat(pattern, values);
  } catch (const fmt::format_error&) {
    return pattern;
  }
}

}  // namespace qvid::ui
