#include "transport/socket/http_visit.h"

#include <algorithm>

namespace paceline {
namespace {

constexpr std::string_view kGet = "GET ";
constexpr std::string_view kHead = "HEAD ";
constexpr std::string_view kLine = "\r\n";
constexpr std::string_view kEnd = "\r\n\r\n";
constexpr std::string_view kBlank = " \t";

struct NamedHeader {
  std::string_view name;
  bool is_list;
};
// In the order of HttpVisit::Header.
constexpr std::array<NamedHeader, HttpVisit::kHeaders> kNamed{{{"host", false},
                                                               {"origin", false},
                                                               {"sec-websocket-key", false},
                                                               {"sec-websocket-version", false},
                                                               {"connection", true},
                                                               {"upgrade", true},
                                                               {"sec-websocket-protocol", true},
                                                               {"if-none-match", true}}};

std::string_view reason_of(unsigned status) {
  switch (status) {
    case 200: return "OK";
    case 302: return "Found";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 426: return "Upgrade Required";
    case 503: return "Service Unavailable";
    default: return "Not Found";
  }
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view unpadded(std::string_view text) {
  const std::size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) + 1 - from);
}

// RFC 9110, section 5.6.2.
bool is_token_character(char c) {
  const char l = lower(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// No end of a line, no other control character.
bool is_value_character(char c) {
  const auto code = static_cast<unsigned char>(c);
  return c == '\t' || (code >= 0x20 && code != 0x7f);
}

}  // namespace

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool HttpVisit::begins_with(std::span<const std::byte> first) {
  const std::string_view text(reinterpret_cast<const char*>(first.data()), first.size());
  const auto agrees = [text](std::string_view method) {
    const std::size_t both = std::min(text.size(), method.size());
    return text.substr(0, both) == method.substr(0, both);
  };
  return !text.empty() && (agrees(kGet) || agrees(kHead));
}

HttpVisit::State HttpVisit::receive(std::span<const std::byte> bytes) {
  if (state_ != State::reading) return state_;
  const std::size_t from = head_.size() < kEnd.size() ? 0 : head_.size() - kEnd.size();
  const std::size_t before = head_.size();
  head_.append(reinterpret_cast<const char*>(bytes.data()),
               std::min(bytes.size(), kMost - head_.size()));
  if (const std::size_t end = head_.find(kEnd, from); end != std::string::npos) {
    has_more_ = before + bytes.size() > end + kEnd.size();
    read_head(std::string_view(head_).substr(0, end));
  } else if (head_.size() == kMost) {
    state_ = State::failed;
  }
  return state_;
}

void HttpVisit::read_head(std::string_view head) {
  state_ = State::failed;
  for (bool first = true;; first = false) {
    const std::size_t end = head.find(kLine);
    const std::string_view line = head.substr(0, end);
    if (!(first ? read_line(line) : read_header(line))) return;
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + kLine.size());
  }
  state_ = State::asked;
}

bool HttpVisit::read_line(std::string_view line) {
  head_only_ = line.starts_with(kHead);
  if (!head_only_ && !line.starts_with(kGet)) return false;
  line.remove_prefix(head_only_ ? kHead.size() : kGet.size());
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view version = line.substr(space + 1);
  if (!version.starts_with("HTTP/1.")) return false;
  is_1_0_ = version == "HTTP/1.0";
  const std::string_view path = line.substr(0, space);
  if (!path.starts_with('/') || !std::ranges::all_of(path, is_value_character)) return false;
  path_ = path.substr(0, path.find('?'));
  return true;
}

bool HttpVisit::read_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = unpadded(line.substr(colon + 1));
  if (!std::ranges::all_of(name, is_token_character)) return false;
  if (!std::ranges::all_of(value, is_value_character)) return false;
  for (std::size_t i = 0; i < kNamed.size(); ++i) {
    if (!equal_in_any_case(name, kNamed[i].name)) continue;
    if (headers_[i].empty()) {
      headers_[i] = value;
    } else if (kNamed[i].is_list) {
      headers_[i].append(", ").append(value);
    } else {
      return false;  // two that say different things to different readers
    }
  }
  return true;
}

bool HttpVisit::lists(Header which, std::string_view token) const {
  std::string_view rest = header(which);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (equal_in_any_case(unpadded(rest.substr(0, comma)), token)) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

HttpAnswer http_answer(const HttpPage& page, bool head_only, std::string_view known) {
  const bool is_known =
      page.status == 200 && !page.tag.empty() && known.find(page.tag) != std::string_view::npos;
  const unsigned status = is_known ? 304 : page.status;
  HttpAnswer answer;
  std::string& head = answer.text;
  head = "HTTP/1.1 " + std::to_string(status) + " ";
  head += reason_of(status);
  if (!is_known) {
    const std::size_t size = page.asset.empty() ? page.text.size() : page.asset.size();
    head += "\r\nContent-Type: ";
    head += page.type;
    head += "\r\nContent-Length: " + std::to_string(size);
  }
  head += "\r\nCache-Control: ";
  head += page.cache;
  if (!page.tag.empty()) (head += "\r\nETag: ") += page.tag;
  head += "\r\nConnection: close\r\n";
  head += page.headers;
  head += kLine;
  if (head_only || is_known) return answer;
  if (page.asset.empty()) {
    head += page.text;
  } else {
    answer.asset = page.asset;
  }
  return answer;
}

}  // namespace paceline
