#include "lab/glass/meeting_point.h"

#include <cctype>
#include <charconv>
#include <utility>

#include "lab/glass/call_page.h"

namespace qvid::lab {
namespace {

constexpr std::string_view kPage = "/call";
constexpr std::string_view kKept = "/kept/";
constexpr std::string_view kLength = "content-length:";

std::string answer_of(std::string_view status, std::string_view type, std::string_view body) {
  std::string text = "HTTP/1.1 " + std::string(status) + "\r\nConnection: close\r\n";
  if (!type.empty()) text += "Content-Type: " + std::string(type) + "\r\n";
  text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  return text.append(body);
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool begins_with(std::string_view line, std::string_view name) {  // in any case
  if (line.size() < name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(line[i])) != name[i]) return false;
  }
  return true;
}

// Takes the first line off `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find("\r\n");
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 2);
  return line;
}

}  // namespace

Result<HttpHead> parse_http_head(std::string_view text) {
  const std::string_view request = take_line(text);
  const std::size_t first = request.find(' ');
  const std::size_t second = request.find(' ', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos ||
      !request.substr(second + 1).starts_with("HTTP/1.")) {
    return Error{"it is no request of HTTP"};
  }
  const std::string_view target = request.substr(first + 1, second - first - 1);
  HttpHead head{.method = std::string(request.substr(0, first)),
                .target = std::string(target.substr(0, target.find('?'))),
                .body = 0};
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!begins_with(line, kLength)) continue;
    const std::string_view value = without_spaces(line.substr(kLength.size()));
    const char* end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, head.body);
    if (parsed.ec != std::errc{} || parsed.ptr != end || head.body > MeetingPoint::kMostBody) {
      return Error{"its body is too long"};
    }
  }
  return head;
}

std::string MeetingPoint::refusal() { return answer_of("400 Bad Request", "", ""); }

std::string MeetingPoint::answer(const HttpHead& head, std::string body) {
  const std::string_view target = head.target;
  if (head.method == "GET" && target == kPage) return answer_of("200 OK", "text/html", call_page());
  if (!target.starts_with(kKept)) return answer_of("404 Not Found", "", "");
  const std::string_view name = target.substr(kKept.size());
  const auto found = kept_.find(name);
  if (head.method == "PUT") {
    if (found == kept_.end() && kept_.size() >= kMostKept) {
      return answer_of("507 Insufficient Storage", "", "");
    }
    kept_.insert_or_assign(std::string(name), std::move(body));
    return answer_of("204 No Content", "", "");
  }
  if (head.method != "GET") return answer_of("405 Method Not Allowed", "", "");
  if (found == kept_.end()) return answer_of("204 No Content", "", "");
  return answer_of("200 OK", "application/json", found->second);
}

std::string MeetingPoint::kept(const std::string& name) const {
  const auto found = kept_.find(name);
  return found == kept_.end() ? std::string() : found->second;
}

}  // namespace qvid::lab
