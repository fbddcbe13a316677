#include "ui/text/links.h"

#include <algorithm>
#include <array>

namespace qvid::ui {
namespace {

constexpr std::array<std::string_view, 2> kSchemes{"https://", "http://"};
constexpr std::string_view kOfTheSentence = ".,;:!?'\"*";

std::size_t scheme_of(std::string_view word) {
  for (const std::string_view scheme : kSchemes) {
    if (word.starts_with(scheme)) return scheme.size();
  }
  return 0;
}

// Without what ends the sentence, or closes a bracket that was opened before the link.
std::string_view without_end(std::string_view word) {
  const auto closes = [&](char open, char close) {
    return word.back() == close && std::ranges::count(word, close) > std::ranges::count(word, open);
  };
  while (!word.empty() && (kOfTheSentence.find(word.back()) != std::string_view::npos ||
                           closes('(', ')') || closes('[', ']') || closes('<', '>'))) {
    word.remove_suffix(1);
  }
  return word;
}

// How long a link is that begins here; 0: none does.
std::size_t link_at(std::string_view text) {
  const std::size_t scheme = scheme_of(text);
  if (scheme == 0) return 0;
  const std::string_view word = text.substr(0, text.find(' '));
  const bool plain = std::ranges::all_of(word, [](char c) { return c > 0x20 && c < 0x7f; });
  const std::string_view link = without_end(word);
  const bool has_host = link.size() > scheme && link[scheme] != '/' && link[scheme] != '?';
  return plain && has_host ? link.size() : 0;
}

}  // namespace

std::vector<TextPart> split_links(std::string_view text) {
  constexpr std::string_view kBefore = " ([<\"'";
  std::vector<TextPart> parts;
  std::size_t plain = 0;  // where text without links begins
  for (std::size_t at = text.find("http"); at != std::string_view::npos;
       at = text.find("http", at)) {
    const bool begins = at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos;
    const std::size_t size = begins ? link_at(text.substr(at)) : 0;
    if (size == 0) {
      ++at;
      continue;
    }
    if (plain < at) parts.push_back({plain, at, false});
    parts.push_back({at, at + size, true});
    plain = at += size;
  }
  if (plain < text.size()) parts.push_back({plain, text.size(), false});
  return parts;
}

bool is_link(std::string_view text) { return !text.empty() && link_at(text) == text.size(); }

}  // namespace qvid::ui
