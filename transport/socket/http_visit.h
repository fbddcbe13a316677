// A visitor by HTTP/1 on the port of a server: somebody's browser, or what asks for its health. Only
// the head of the one request is read, and of it only the first line.
//
//   GET /health?x HTTP/1.1 CRLF (header CRLF)* CRLF      at most kMost bytes
//
// Pure. Thread: one at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace paceline {

class HttpVisit {
 public:
  static constexpr std::size_t kMost = 8 * 1024;
  enum class State { reading, asked, failed };

  // Whether the first bytes of a peer may be those of a GET or HEAD.
  static bool begins_with(std::span<const std::byte> first);

  // What comes behind the head is left.
  State receive(std::span<const std::byte> bytes);
  State state() const { return state_; }
  // Of one that has asked: the path, without what follows a '?'.
  const std::string& path() const { return path_; }
  bool head_only() const { return head_only_; }

 private:
  void read_line();

  State state_ = State::reading;
  std::string head_;
  std::string path_;
  bool head_only_ = false;
};

struct HttpPage {
  unsigned status = 404;
  std::string text =
      "This is a Qvid server, which is for calls and videos: qvid play, qvid call.\n";
};
// The whole answer, after which the connection ends.
std::string http_answer(const HttpPage& page, bool head_only);

}  // namespace paceline
