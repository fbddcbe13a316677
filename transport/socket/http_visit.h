// A visitor by HTTP/1 on the port of a server: somebody's browser, or what asks for its health. Only
// the head of the one request is read, and of it the first line and the headers that matter here.
//
//   GET /health?x HTTP/1.1 CRLF (header CRLF)* CRLF      at most kMost bytes
//
// Pure. Thread: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace paceline {

class HttpVisit {
 public:
  static constexpr std::size_t kMost = 8 * 1024;
  enum class State { reading, asked, failed };
  enum class Header : std::uint8_t {
    host,
    origin,
    web_socket_key,
    web_socket_version,
    // Lists: several lines are one.
    connection,
    upgrade,
    web_socket_protocol,
    if_none_match,
  };
  static constexpr std::size_t kHeaders = 8;

  // Whether the first bytes of a peer may be those of a GET or HEAD.
  static bool begins_with(std::span<const std::byte> first);

  // What comes behind the head is left.
  State receive(std::span<const std::byte> bytes);
  State state() const { return state_; }
  // Of one that has asked: the path, without what follows a '?'.
  const std::string& path() const { return path_; }
  bool head_only() const { return head_only_; }
  bool is_1_0() const { return is_1_0_; }
  // As it was sent, without space around; empty where it was not.
  std::string_view header(Header which) const { return headers_[static_cast<std::size_t>(which)]; }
  // Whether a list names that, in any case of its letters.
  bool lists(Header which, std::string_view token) const;
  // Bytes came along that are not of the head.
  bool has_more() const { return has_more_; }

 private:
  void read_head(std::string_view head);
  bool read_line(std::string_view line);
  bool read_header(std::string_view line);

  State state_ = State::reading;
  std::string head_;
  std::string path_;
  std::array<std::string, kHeaders> headers_;
  bool head_only_ = false;
  bool is_1_0_ = false;
  bool has_more_ = false;
};

// What a visitor gets. The views are of what outlives every connection.
struct HttpPage {
  unsigned status = 404;
  std::string text =
      "This is a Qvid server, which is for calls and videos: qvid play, qvid call.\n";
  std::string_view type = "text/plain; charset=utf-8";
  std::string_view cache = "no-store";
  std::string_view headers = {};          // more of them, each "Name: value\r\n"
  std::string_view tag = {};              // the asset's ETag, with its quotes
  std::span<const std::byte> asset = {};  // the body in place of the text, where there is one
};

// The whole answer, after which the connection ends: `text`, then `asset`.
struct HttpAnswer {
  std::string text;
  std::span<const std::byte> asset = {};
};
// `known`: the tags of what the visitor has already (If-None-Match).
HttpAnswer http_answer(const HttpPage& page, bool head_only, std::string_view known = {});

// Letters of ASCII.
bool equal_in_any_case(std::string_view a, std::string_view b);

}  // namespace paceline
