// A broker of a test, without TLS; and what a party logs in no particular order.
#pragma once

#include <string>
#include <vector>

#include "tests/e2e/process.h"
#include "transport/socket/address.h"

namespace e2e {

// A broker on a port of the loopback.
class BrokerProcess {
 public:
  explicit BrokerProcess(const std::string& listen = "127.0.0.1:0",
                         const std::vector<std::string>& more = {})
      : process_(command(listen, more)) {
    const auto line = process_.wait_for_log("join with: qvid call qvid://");
    if (!line) return;
    const std::size_t from = line->find("qvid://") + 7;
    address_ = line->substr(from, line->find('/', from) - from);
  }
  Process& process() { return process_; }
  const std::string& address() const { return address_; }
  paceline::Address at() const { return *paceline::parse_address(address_, 0); }
  std::string url() const { return "qvid://" + address_ + "/den"; }

 private:
  static std::vector<std::string> command(const std::string& listen,
                                          const std::vector<std::string>& more) {
    std::vector<std::string> words{program(), "--json", "broker", "--listen", listen, "--insecure"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  Process process_;
  std::string address_;
};

// The command of a member of its room who only watches, without a window.
inline std::vector<std::string> watch(const std::string& url, const std::string& name,
                                      const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{program(), "watch", url,         "--insecure",
                                 "--name",  name,    "--headless"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// It has logged that already, or does.
inline bool logs(Process& process, const std::string& text) {
  return process.log().find(text) != std::string::npos || process.wait_for_log(text).has_value();
}

}  // namespace e2e
