// Any bytes from a proxy, whole and in pieces: the same end, bounded, and no password in what is
// told. Any text as a proxy's URL and as exceptions.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/require.h"
#include "transport/proxy/proxy_talk.h"

namespace {

using qvid::fuzz::require;

using namespace paceline;

constexpr std::string_view kSecret = "Sesame7";

struct ProxyEnd {
  ProxyTalk::State state;
  std::size_t used;
  std::string sent, message;
  bool operator==(const ProxyEnd&) const = default;
};

ProxyEnd talk(ProxyServer::Kind kind, std::string_view bytes, std::size_t piece) {
  Proxy proxy{.server = {.kind = kind,
                         .address = {.host = "proxy", .port = 1},
                         .user = "ann",
                         .password = std::string(kSecret)},
              .login = {},
              .has_tickets = true};
  ProxyEnd end{};
  for (int talks = 0; talks < ProxyTalk::kMostTalks; ++talks) {
    const auto t = start_talk(proxy, {.host = "a.example", .port = 443}, talks, "c0ffee");
    end.sent += t->take_output();
    if (t->state() == ProxyTalk::State::ticket) t->ticket(std::string("dGlja2V0"));
    while (!bytes.empty() && t->state() == ProxyTalk::State::talking) {
      // A block of its own, so that reading past its end is seen.
      const std::string block(bytes.substr(0, piece));
      const std::size_t used = t->receive(block);
      require(used <= block.size());
      require(used == block.size() || t->state() != ProxyTalk::State::talking);
      bytes.remove_prefix(used);
      end.used += used;
      end.sent += t->take_output();
    }
    if (t->state() == ProxyTalk::State::talking) t->end();
    end.state = t->state();
    end.message = t->failure().message;
    if (end.state != ProxyTalk::State::again) break;
  }
  require(end.state != ProxyTalk::State::talking && end.state != ProxyTalk::State::again);
  if (end.state != ProxyTalk::State::open) end.used = 0;  // then nothing comes behind it
  require(end.message.size() < 1500 && end.message.find(kSecret) == std::string::npos);
  return end;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto kind = data[0] % 2 == 0 ? ProxyServer::Kind::http : ProxyServer::Kind::socks5;
  require(talk(kind, bytes, 1U + data[0] / 2U) == talk(kind, bytes, bytes.size()));
  const auto proxy = parse_proxy(bytes);
  if (proxy) {
    require(!proxy->address.host.empty());
    require(static_cast<bool>(parse_proxy(proxy->text())));
    (void)is_exempt(bytes, proxy->address);
  } else {
    require(!proxy.error().message.empty() && proxy.error().message.size() < 500);
  }
  return 0;
}
