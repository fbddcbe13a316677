// CONNECT (RFC 9110, section 9.3.6), in HTTP/1.1. A first request goes without a proof; where one
// is asked for and there is one, the next, on a new socket, has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/proxy/proxy_talk.h"

namespace paceline {

class HttpConnect final : public ProxyTalk {
 public:
  // As in start_talk.
  HttpConnect(Proxy& proxy, const Address& to, int earlier, std::string_view cnonce);

 private:
  struct Answer {
    int status = 0;
    std::string said;                       // "403 Forbidden"
    std::vector<std::string> authenticate;  // the values of Proxy-Authenticate
    bool name_unknown = false;              // by what squid says, or RFC 9209
  };
  void read(std::string_view& bytes) override;
  void on_ticket(const std::string& ticket) override;
  void request(const std::string& authorization);
  void on_head();
  void on_answer(const Answer& answer);
  void on_login_wanted(const Answer& answer);
  void fail_no_http();
  static std::optional<Answer> parse(std::string_view head);

  Proxy& proxy_;
  const std::string target_;
  const int earlier_;
  bool proved_ = false;
  std::string head_;
};

}  // namespace paceline
