// Where two browsers meet: a page for each, and a place where each leaves what the other needs to
// know (offer and answer of WebRTC), as HTTP.
//
//   GET /call        the page (lab/glass/call_page.h)
//   PUT /kept/NAME   keeps the body under that name
//   GET /kept/NAME   200 and what was kept last, or 204: nothing yet
//
// Pure: requests go in, answers come out; each connection has one request. Bounds: kMostHead,
// kMostBody, kMostKept names. Thread: one.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace qvid::lab {

struct HttpHead {
  std::string method;
  std::string target;    // without what follows '?'
  std::size_t body = 0;  // bytes that follow the head
};
// `text`: from the request's begin to the empty line. Error: it is none, or its body is too long.
Result<HttpHead> parse_http_head(std::string_view text);

class MeetingPoint {
 public:
  static constexpr std::size_t kMostHead = 16 << 10;  // bytes
  static constexpr std::size_t kMostBody = 256 << 10;
  static constexpr std::size_t kMostKept = 32;

  // The whole answer, after which the connection is closed.
  std::string answer(const HttpHead& head, std::string body);
  static std::string refusal();

  // What was kept under that name; empty: nothing.
  std::string kept(const std::string& name) const;

 private:
  std::map<std::string, std::string, std::less<>> kept_;
};

}  // namespace qvid::lab
