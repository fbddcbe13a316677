#include "transport/proxy/http_connect.h"

#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"

namespace paceline {
namespace {

constexpr std::string_view kBegin = "HTTP/1.";
constexpr std::size_t kMostSaid = 120;  // bytes of what the proxy says that are shown

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

HttpConnect::HttpConnect(Proxy& proxy, const Address& to, int earlier, std::string_view cnonce)
    : ProxyTalk(proxy.server, to), proxy_(proxy), target_(to.text()), earlier_(earlier) {
  if (!proxy.login.knows()) {
    request({});
  } else if (proxy.login.wants_ticket()) {
    await_ticket();
  } else if (const auto answer = proxy.login.answer(proxy.server, target_, cnonce)) {
    request(*answer);
  } else {
    fail(who() + ": " + answer.error().message, true);
  }
}

void HttpConnect::on_ticket(const std::string& ticket) { request("Negotiate " + ticket); }

// Without a proof where `authorization` is empty.
void HttpConnect::request(const std::string& authorization) {
  std::string text = "CONNECT " + target_ + " HTTP/1.1\r\nHost: " + target_ + "\r\n";
  proved_ = !authorization.empty();
  if (proved_) text += "Proxy-Authorization: " + authorization + "\r\n";
  send(text + "\r\n");
}

void HttpConnect::read(std::string_view& bytes) {
  // Byte by byte: what is behind the head is not ours.
  while (!bytes.empty() && state() == State::talking) {
    head_.push_back(bytes.front());
    bytes.remove_prefix(1);
    if (head_.size() <= kBegin.size() && head_.back() != kBegin[head_.size() - 1]) {
      return fail_no_http();
    }
    if (head_.ends_with("\r\n\r\n") || head_.ends_with("\n\n")) return on_head();
    if (head_.size() == kMostHead) {
      return fail(who() + " answers with a head of more than 16 KiB", false);
    }
  }
}

void HttpConnect::fail_no_http() {
  const char first = head_.front();
  std::string hint = "is it an HTTP proxy, and the right port?";
  if (first == 0x05) hint = "it speaks SOCKS: write socks5://";
  if (first == 0x15 || first == 0x16) hint = "it speaks TLS, which is not supported to a proxy";
  fail(who() + " answers something that is no HTTP; " + hint, true);
}

std::optional<HttpConnect::Answer> HttpConnect::parse(std::string_view head) {
  Answer answer;
  auto end = head.find('\n');
  const std::string_view line = trimmed(head.substr(0, end));
  const auto space = line.find(' ');
  if (space == std::string_view::npos || line.size() < space + 4) return {};
  const std::string_view digits = line.substr(space + 1, 3);
  const auto [last, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), answer.status);
  if (error != std::errc{} || last != digits.data() + 3 || answer.status < 100) return {};
  answer.said = qvid::printable(line.substr(space + 1, kMostSaid));
  while (end != std::string_view::npos) {
    head.remove_prefix(end + 1);
    end = head.find('\n');
    const std::string_view field = head.substr(0, end);
    const auto colon = field.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = trimmed(field.substr(0, colon));
    const std::string_view value = trimmed(field.substr(colon + 1));
    if (qvid::is_same_word(name, "proxy-authenticate")) {
      answer.authenticate.push_back(qvid::printable(value));
    } else if (qvid::is_same_word(name, "x-squid-error")) {
      answer.name_unknown |= value.starts_with("ERR_DNS_FAIL");
    } else if (qvid::is_same_word(name, "proxy-status")) {
      answer.name_unknown |= value.find("error=dns_error") != std::string_view::npos;
    }
  }
  return answer;
}

void HttpConnect::on_head() {
  const auto answer = parse(head_);
  if (!answer) {
    return fail(who() + " answers something that is no HTTP: its status line cannot be read", true);
  }
  head_.clear();
  on_answer(*answer);
}

void HttpConnect::on_answer(const Answer& answer) {
  if (answer.status < 200) return;  // more follows
  if (answer.status < 300) return set_open();
  switch (answer.status) {
    case 407: return on_login_wanted(answer);
    case 403:
    case 405: return fail_target_refused(answer.said);
    case 502:
    case 503:
    case 504:
      return answer.name_unknown ? fail_name_unknown(answer.said) : fail_out_of_reach(answer.said);
    default: fail(who() + " does not connect to " + to() + ": " + answer.said, false);
  }
}

void HttpConnect::on_login_wanted(const Answer& answer) {
  HttpOffers offers = parse_challenges(answer.authenticate);
  // Who names a user means that one.
  if (offers.negotiate && proxy_.has_tickets && !(offers.best && proxy_.server.has_login())) {
    if (proved_ || earlier_ + 1 >= kMostTalks) return fail_ticket_refused();
    HttpChallenge negotiate;
    negotiate.scheme = HttpChallenge::Scheme::negotiate;
    proxy_.login.learn(std::move(negotiate));
    return set_again();
  }
  if (!offers.best) {
    return fail(who() + " wants a login of a kind that is not supported" +
                    (offers.schemes.empty() ? "" : " (" + offers.schemes + ")") +
                    ": ask who runs it for Basic or Digest, or run a helper such as cntlm or px "
                    "here and name that as the proxy",
                true);
  }
  if (!proxy_.server.has_login()) return fail_wants_login("by " + offers.schemes);
  // A nonce of an earlier connection may be too old, even where that is not said.
  const bool old = offers.best->stale || (proxy_.login.is_digest() && earlier_ == 0);
  if ((proved_ && !old) || earlier_ + 1 >= kMostTalks) return fail_login_refused();
  proxy_.login.learn(*std::move(offers.best));
  set_again();
}

}  // namespace paceline
