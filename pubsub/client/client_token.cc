#include "pubsub/client/client_token.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "pubsub/wire/control.h"
#include "transport/tls/tls_files.h"

namespace qps {
namespace {

// Every JWT begins with the `{"` of its header.
constexpr std::string_view kJwtBegins = "eyJ";

bool is_token_itself(const std::string& text) {
  return text.starts_with(kJwtBegins) && std::ranges::count(text, '.') == 2 &&
         text.find('/') == std::string::npos;
}

std::string without_space(std::string text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

}  // namespace

qvid::Result<std::string> read_token(const std::string& token) {
  if (token.empty() || is_token_itself(token)) return token;
  auto text = paceline::read_file(token);
  if (!text) return text.error();
  if (!*text) {
    return qvid::Error{"--token: " + qvid::in_quotes(token) + " is neither a token nor a file"};
  }
  std::string read = without_space(**std::move(text));
  if (read.empty() || read.size() > kMaxToken) {
    return qvid::Error{"--token: the file " + token + " holds no token"};
  }
  return read;
}

}  // namespace qps
