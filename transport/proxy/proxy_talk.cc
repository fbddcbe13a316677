#include "transport/proxy/proxy_talk.h"

#include "transport/proxy/http_connect.h"
#include "transport/proxy/socks5_connect.h"

namespace paceline {

std::size_t ProxyTalk::receive(std::string_view bytes) {
  std::string_view rest = bytes;
  heard_ |= !bytes.empty();
  while (state_ == State::talking && !rest.empty()) read(rest);
  return bytes.size() - rest.size();
}

void ProxyTalk::end() {
  if (state_ == State::talking) {
    fail(who() + " closed the connection before it had connected to " + to_, false);
  }
}

void ProxyTalk::ticket(const qvid::Result<std::string>& made) {
  if (state_ != State::ticket) return;
  state_ = State::talking;
  if (made) return on_ticket(*made);
  fail(who() + " wants a ticket of Kerberos (Negotiate): " + made.error().message +
           ". Log in with kinit, or write user and password as http://user:password@host:port",
       false);
}

void ProxyTalk::time_out() {
  if (state_ == State::ticket) {
    return fail(who() +
                    " wants a ticket of Kerberos (Negotiate), and none was made in time: is the "
                    "realm's key server within reach?",
                false);
  }
  if (state_ != State::talking) return;
  fail(who() + (heard_ ? " has not connected to " + to_ + " in time"
                       : " has said nothing in time: it cannot reach " + to_ +
                             ", or it is another kind of proxy than its URL says"),
       false);
}

void ProxyTalk::fail(std::string message, bool permanent) {
  state_ = State::failed;
  failure_ = {.message = std::move(message), .permanent = permanent};
}

void ProxyTalk::fail_wants_login(const std::string& offers) {
  fail(who() + " wants a user and a password" + (offers.empty() ? "" : " (" + offers + ")") +
           ": write them as scheme://user:password@host:port",
       true);
}

void ProxyTalk::fail_login_refused() {
  fail(who() + " refuses the user or the password that it was given", true);
}

void ProxyTalk::fail_ticket_refused() {
  fail(who() +
           " refuses the ticket of Kerberos that it was given (Negotiate): ask who runs it "
           "whether you may use it, and compare the clocks",
       true);
}

void ProxyTalk::fail_target_refused(const std::string& said) {
  fail(who() + " does not allow connections to " + to_ + " (" + said +
           "): ask who runs it to allow this port, or have the server listen on 443, which most "
           "proxies allow",
       true);
}

void ProxyTalk::fail_name_unknown(const std::string& said) {
  fail(who() + " cannot look up the name in " + to_ + " (" + said +
           "): names are looked up there, not on this machine",
       false);
}

void ProxyTalk::fail_out_of_reach(const std::string& said) {
  fail(who() + " cannot reach " + to_ + ": " + said, false);
}

std::unique_ptr<ProxyTalk> start_talk(Proxy& proxy, const Address& to, int earlier,
                                      std::string_view cnonce) {
  if (proxy.server.kind == ProxyServer::Kind::http) {
    return std::make_unique<HttpConnect>(proxy, to, earlier, cnonce);
  }
  return std::make_unique<Socks5Connect>(proxy.server, to);
}

}  // namespace paceline
