#include "transport/socket/http_visit.h"

#include <algorithm>

namespace paceline {
namespace {

constexpr std::string_view kGet = "GET ";
constexpr std::string_view kHead = "HEAD ";
constexpr std::string_view kEnd = "\r\n\r\n";

std::string_view reason_of(unsigned status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 503: return "Service Unavailable";
    default: return "Not Found";
  }
}

}  // namespace

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
  head_.append(reinterpret_cast<const char*>(bytes.data()),
               std::min(bytes.size(), kMost - head_.size()));
  if (head_.find(kEnd, from) != std::string::npos) {
    read_line();
  } else if (head_.size() == kMost) {
    state_ = State::failed;
  }
  return state_;
}

void HttpVisit::read_line() {
  state_ = State::failed;
  std::string_view line(head_);
  line = line.substr(0, line.find('\r'));
  head_only_ = line.starts_with(kHead);
  if (!head_only_ && !line.starts_with(kGet)) return;
  line.remove_prefix(head_only_ ? kHead.size() : kGet.size());
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || !line.substr(space + 1).starts_with("HTTP/1.")) return;
  const std::string_view path = line.substr(0, space);
  if (!path.starts_with('/')) return;
  path_ = path.substr(0, path.find('?'));
  state_ = State::asked;
}

std::string http_answer(const HttpPage& page, bool head_only) {
  std::string answer = "HTTP/1.1 " + std::to_string(page.status) + " ";
  answer += reason_of(page.status);
  answer += "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
            std::to_string(page.text.size()) +
            "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
  return head_only ? answer : answer + page.text;
}

}  // namespace paceline
