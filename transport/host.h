// A server's side: listens, secures and greets sockets, and joins each to the session it belongs
// to.
//
// Strangers: sockets that have not greeted are at most max_greeting, max_greeting_each from one
// address; beyond, they are closed unheard. Each has greeting_timeout to secure itself and greet.
// Who speaks something else is told so and closed. A bind joins a session only with proof of its
// secret (bind_proof.h). A session beyond max_sessions takes the place of one that has no socket,
// or is refused by a close that says so.
//
// Ownership: the host keeps no session alive. Thread: that of the io_context only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "transport/listener.h"
#include "transport/session.h"
#include "transport/tls.h"

namespace paceline {

struct HostOptions {
  Address listen;                      // port 0: any free one
  std::shared_ptr<Identity> identity;  // empty: no TLS
  SessionConfig session;               // of each; its greeting_timeout is for strangers too
  std::size_t max_sessions = 1024;
  std::size_t max_greeting = 256;
  std::size_t max_greeting_each = 64;
};

struct HostStats {
  std::uint64_t sockets = 0;      // accepted
  std::uint64_t turned_away = 0;  // did not secure, greet or prove themselves
  std::uint64_t sessions = 0;     // begun
};

class Host {
 public:
  // A new session; the handler for its events. The session is established: events come from the
  // next turn of the loop on.
  using OnSession = std::function<Session::Handler(const std::shared_ptr<Session>&)>;
  // Something went wrong that is tried again: a sentence for the log.
  using OnTrouble = std::function<void(const std::string&)>;

  // Listens at once. The error says what to do: the port is taken, not allowed, no such address.
  static qvid::Result<std::unique_ptr<Host>> open(boost::asio::io_context& io, HostOptions options,
                                                  OnSession on_session, OnTrouble on_trouble);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  Address address() const { return listener_->address(); }  // with the real port
  // No more sockets, so sessions can no longer be resumed either; those that are go on.
  void close();
  // From now on; sessions that are there stay, beyond it too.
  void set_max_sessions(std::size_t most) { options_.max_sessions = most; }
  const HostStats& stats() const { return stats_; }
  // Those that may be resumed count too.
  std::size_t sessions() const { return sessions_.size(); }

 private:
  struct Guest;  // a socket that has not greeted
  using Guests = std::list<Guest>;

  Host(boost::asio::io_context& io, HostOptions options, OnSession on_session);
  void on_socket(TcpSocket socket);
  void on_secured(Guests::iterator guest, std::unique_ptr<Connection> connection);
  void read(Guests::iterator guest);
  void on_read(Guests::iterator guest, const boost::system::error_code& error, std::size_t bytes);
  void on_hello(Guests::iterator guest, const Hello& hello);
  bool make_room();
  void on_bind(Guests::iterator guest, const Bind& bind);
  void refuse(Guests::iterator guest, CloseReason reason, const std::string& detail);
  void turn_away(Guests::iterator guest);
  void leave(Guests::iterator guest);

  boost::asio::io_context& io_;
  HostOptions options_;
  OnSession on_session_;
  std::unique_ptr<Listener> listener_;
  Guests guests_;
  std::map<std::string, std::size_t> guests_of_;  // by address
  std::map<SessionId, std::weak_ptr<Session>> sessions_;
  HostStats stats_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // a completion on the queue outlives us
};

}  // namespace paceline
