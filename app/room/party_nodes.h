// Where a party of a room joins: what its URL says, and, of a cluster of brokers, the other nodes that
// it was told of, one after the other when it has lost the one where it was.
//
// Bounds: as many nodes as a broker tells (qps::kMaxNodesTold). Pure. Thread: one at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/url.h"
#include "transport/socket/address.h"
#include "transport/tls/tls.h"

namespace qvid::app {

class PartyNodes {
 public:
  // `tls`: the URL's broker is spoken to by TLS; then nodes without a key are not believed.
  PartyNodes(Url url, bool tls) : url_(std::move(url)), tls_(tls), at_(url_) {}

  // By the node that it is at: the others, the best first.
  void told(const std::vector<std::string>& nodes) {
    others_.clear();
    for (const std::string& text : nodes) {
      const std::size_t mark = text.find('#');
      auto address = paceline::parse_address(text.substr(0, mark), kDefaultPort);
      const auto key = paceline::parse_fingerprint(
          mark == std::string::npos ? std::string_view() : std::string_view(text).substr(mark + 1));
      if (!address || (tls_ && !key)) continue;
      others_.push_back(
          {.address = *std::move(address), .name = url_.name, .fingerprint = tls_ ? *key : ""});
    }
    tried_ = 0;
  }
  // It could not stay, or not come in, there: the next one, and in the end the URL's again.
  void go_on() {
    const bool at_url = tried_ == others_.size();
    at_ = at_url ? url_ : others_[tried_];
    tried_ = at_url ? 0 : tried_ + 1;
  }
  bool has_others() const { return !others_.empty(); }
  const Url& at() const { return at_; }
  // It is what the user has named: what is trusted there the user has said.
  bool at_url() const { return at_.address.text() == url_.address.text(); }

 private:
  const Url url_;
  const bool tls_;
  Url at_;
  std::vector<Url> others_;
  std::size_t tried_ = 0;
};

}  // namespace qvid::app
