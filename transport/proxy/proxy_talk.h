// A client's talk with a proxy, on a connected socket, until bytes go through to the server.
//
//    ticket                once it is there, goes on talking: ticket()
//      |
//   talking --> open       what comes next is the server's
//          \--> again      once more, on a new socket: the proxy has said what proof it wants
//           \-> failed     failure() says why
//
// Bytes in, bytes out; no socket, no clock: who drives it limits the time. Bounded by kMostHead.
// Thread: one at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "transport/proxy/http_login.h"
#include "transport/proxy/proxy_server.h"
#include "transport/proxy/proxy_ticket.h"
#include "transport/socket/address.h"

namespace paceline {

// As a client's connections share it. Thread: the io_context's.
struct Proxy {
  ProxyServer server;
  HttpLogin login;
  bool has_tickets = can_make_tickets();  // for Negotiate
};

struct ProxyFailure {
  std::string message;     // what, where, what to do
  bool permanent = false;  // trying again will not help
};

class ProxyTalk {
 public:
  enum class State { talking, ticket, open, again, failed };
  static constexpr std::size_t kMostHead = 16 * 1024;  // bytes of one answer
  static constexpr int kMostTalks = 3;                 // for one connection

  virtual ~ProxyTalk() = default;
  ProxyTalk(const ProxyTalk&) = delete;
  ProxyTalk& operator=(const ProxyTalk&) = delete;

  // What is to be sent now.
  std::string take_output() { return std::exchange(output_, {}); }
  // What has come. Gives how many of the bytes are the talk's: all while it is talking, and what is
  // behind the proxy's last word is the server's.
  std::size_t receive(std::string_view bytes);
  // For the proxy's host, as make_ticket gives it; in the state of that name alone.
  void ticket(const qvid::Result<std::string>& made);
  // The proxy has closed the connection.
  void end();
  // The time for it is over.
  void time_out();
  State state() const { return state_; }
  const ProxyFailure& failure() const { return failure_; }

 protected:
  // `to`: the server.
  ProxyTalk(const ProxyServer& proxy, const Address& to) : proxy_(proxy.text()), to_(to.text()) {}

  // What is read is taken off the front of `bytes`.
  virtual void read(std::string_view& bytes) = 0;
  virtual void on_ticket(const std::string&) {}

  void send(std::string_view bytes) { output_ += bytes; }
  void set_open() { state_ = State::open; }
  void set_again() { state_ = State::again; }
  void await_ticket() { state_ = State::ticket; }
  void fail(std::string message, bool permanent);
  // "the proxy http://host:port"
  std::string who() const { return "the proxy " + proxy_; }
  const std::string& to() const { return to_; }
  // The usual failures, in the same words whatever the proxy speaks.
  void fail_wants_login(const std::string& offers);
  void fail_login_refused();
  void fail_ticket_refused();
  void fail_target_refused(const std::string& said);
  void fail_name_unknown(const std::string& said);
  void fail_out_of_reach(const std::string& said);

 private:
  std::string proxy_;
  std::string to_;
  std::string output_;
  bool heard_ = false;
  State state_ = State::talking;
  ProxyFailure failure_;
};

// `earlier`: talks that ended with `again` before this one, for the same connection. `cnonce`: see
// HttpLogin. `proxy` outlives it.
std::unique_ptr<ProxyTalk> start_talk(Proxy& proxy, const Address& to, int earlier,
                                      std::string_view cnonce);

}  // namespace paceline
