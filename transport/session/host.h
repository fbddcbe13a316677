// A server's side: listens, secures and greets sockets, and joins each to the session it belongs
// to.
//
// Behind a proxy (HostOptions::proxies) the peer is who the proxy says. Strangers: sockets that have
// not greeted are as many as HostOptions::greeting says; beyond, one that is there already is closed
// for the newcomer (greeting_places.h). Each has greeting_timeout to secure itself and greet.
// Who speaks something else is told so and closed. Who asks for a page by HTTP/1, a GET or HEAD, gets
// one: over TLS where ALPN says http/1.1, without TLS by its first bytes (http_visit.h). Who asks for
// a WebSocket greets over that, as any other (web_socket_upgrade.h).
// A bind joins a session only with proof of its
// secret (bind_proof.h). A session beyond max_sessions takes the place of one that has no socket,
// or is refused by a close that says so.
//
// Sockets are secured on one more thread (tls/handshake_thread.h), with TLS, and else on this one.
//
// Where sessions live: with HostOptions::place, each on an io_context of its own thread, so that
// they share the machine's cores. Sockets are accepted and greeted here, and then move there:
//
//   host's thread                          session's thread
//   hello  --- move_to, post --->          Session::accept, on_session, handler
//   bind   --- move_to, post --->          Session::bind; refused: back, and told so from here
//   table  <--- post ---                   interrupted, resumed, closed
//
// Ownership: the host keeps no session alive. Thread: that of the io_context only, but for
// `on_session` and the handlers that it gives: these are called on the thread of their session's
// io_context, those of several at once, and perhaps when the host is gone already. Each io_context
// is run by one thread; the host's is there while another is run, and they while the host is.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "transport/datagram/datagram_seal.h"
#include "transport/session/greeting_places.h"
#include "transport/session/session.h"
#include "transport/socket/datagram_socket.h"
#include "transport/socket/http_visit.h"
#include "transport/socket/listener.h"
#include "transport/socket/network.h"
#include "transport/socket/proxy_header_reader.h"
#include "transport/tls/handshake_thread.h"
#include "transport/tls/tls.h"

namespace paceline {

struct HostOptions {
  Address listen;                      // port 0: any free one
  std::shared_ptr<Identity> identity;  // empty: no TLS
  SessionConfig session;               // of each; its greeting_timeout is for strangers too
  std::size_t max_sessions = 1024;
  GreetingPlaces::Limits greeting = {};
  // Whose connections begin by saying from whom they come (PROXY protocol, versions 1 and 2): that
  // address is the peer's then, for every limit. Nothing is believed of others.
  std::vector<Network> proxies = {};
  // What a visitor by HTTP sees under a path ("/health"). Empty: HttpPage() everywhere.
  std::function<HttpPage(std::string_view path, const Address& from)> page = {};
  // Where the next session lives. Empty: on the host's own io_context, as all the rest.
  std::function<boost::asio::io_context&()> place = {};
};

// Why a socket did not become one of a session.
enum class TurnedAway : std::uint8_t {
  kPlace,         // there was none to greet in, or a newcomer took it
  kIntroduction,  // its proxy did not say for whom it comes
  kHandshake,     // of TLS failed, or took too long
  kSilent,        // no greeting in time
  kGreeting,      // what came is none
  kSession,       // that it asks for is not there, or not its own
  kFull,          // as many sessions as there may be
  kEnded,         // by the client, or with the host
  kVisit,         // by HTTP, and answered
};
inline constexpr std::array<const char*, 9> kTurnedAway{"place",  "introduction", "handshake",
                                                        "silent", "greeting",     "session",
                                                        "full",   "ended",        "visit"};

struct HostStats {
  std::uint64_t sockets = 0;                                        // accepted
  std::uint64_t sessions = 0;                                       // begun
  std::array<std::uint64_t, kTurnedAway.size()> turned_away_for{};  // by TurnedAway
  std::size_t greeting = 0;                                         // now, of greeting_places
  std::size_t greeting_places = 0;
  std::uint64_t turned_away() const {
    return std::accumulate(turned_away_for.begin(), turned_away_for.end(), std::uint64_t{0});
  }
  std::uint64_t turned_away(TurnedAway why) const {
    return turned_away_for[static_cast<std::size_t>(why)];
  }
};

class Host {
 public:
  // A new session; the handler for its events. The session is established: events come from the
  // next turn of the loop on. Thread: the session's.
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
  // For the sockets that come from now on; sessions that are there stay. Both with TLS, or neither.
  void set_identity(std::shared_ptr<Identity> identity) { options_.identity = std::move(identity); }
  HostStats stats() const;
  // Those that may be resumed count too.
  std::size_t sessions() const { return sessions_.size(); }

 private:
  struct Guest;  // a socket that has not greeted
  using Guests = std::list<Guest>;
  // A session, for its own thread; empty before it has begun.
  struct Tenant {
    boost::asio::io_context& io;
    std::weak_ptr<Session> session;
  };
  // What is known of it here.
  struct Entry {
    SessionSecret secret{};
    std::shared_ptr<Tenant> tenant;
    std::string group;  // of the address that it came from
    bool interrupted = false;
  };

  Host(boost::asio::io_context& io, HostOptions options, OnSession on_session);
  void on_socket(TcpSocket socket);
  void ask_for_client(TcpSocket socket, const Address& proxy);
  void welcome(TcpSocket socket, const Address& from);
  void on_secured(Guests::iterator guest, std::unique_ptr<Connection> connection);
  void read(Guests::iterator guest);
  void on_read(Guests::iterator guest, const boost::system::error_code& error, std::size_t bytes);
  void on_hello(Guests::iterator guest, const Hello& hello);
  bool make_room();
  void on_bind(Guests::iterator guest, const Bind& bind);
  void on_bound(Guests::iterator guest, std::unique_ptr<Connection> back,
                const std::optional<Close>& refused);
  void on_event(const SessionId& id, const SessionEvent& event);
  // Begins the session on its thread, where this is called.
  static void begin(Tenant& tenant, const std::shared_ptr<DatagramSocket>& datagrams,
                    const SessionConfig& config, const SessionCredentials& credentials,
                    const Hello& hello, Session::Greeted first, const OnSession& on_session,
                    Session::Handler note);
  // What a session's handler calls before the owner's: tells this host, here.
  Session::Handler note_of(const SessionId& id, boost::asio::io_context& io);
  void refuse(Guests::iterator guest, TurnedAway why, const Close& close);
  void on_visit(Guests::iterator guest, std::span<const std::byte> bytes);
  void upgrade(Guests::iterator guest, std::string_view head);
  void write_last(Guests::iterator guest, TurnedAway why);
  void let_read(Guests::iterator guest, TurnedAway why);
  bool begin_reading(Guests::iterator guest);
  void end_reading(Guests::iterator guest);
  void linger(Guests::iterator guest, Duration time);
  void turn_away(Guests::iterator guest, TurnedAway why);
  void count(TurnedAway why) { ++stats_.turned_away_for[static_cast<std::size_t>(why)]; }
  void forget(const SessionId& id);
  void leave(Guests::iterator guest);
  void open_datagrams(const OnTrouble& on_trouble);
  void on_datagram(const PathAddress& from, std::span<const std::byte> datagram);

  boost::asio::io_context& io_;
  HostOptions options_;
  std::shared_ptr<const OnSession> on_session_;  // other threads use it
  std::unique_ptr<Listener> listener_;
  std::optional<HandshakeThread> secures_;  // with TLS
  Guests guests_;
  std::list<ProxyHeaderReader> introductions_;     // at most greeting.all
  GreetingPlaces places_;                          // theirs
  std::map<std::string, std::size_t> readers_of_;  // of larger pages, by the group of their address
  std::size_t readers_ = 0;
  std::map<SessionId, Entry> sessions_;
  // What comes by UDP, at the port of TCP; empty: no session wants that. Whom a datagram is for, by
  // its tag; for other threads at most kMostMoved are under way, what is more is dropped.
  std::shared_ptr<DatagramSocket> datagrams_;
  std::map<DatagramTag, std::shared_ptr<Tenant>> by_tag_;
  std::shared_ptr<std::atomic<int>> moved_ = std::make_shared<std::atomic<int>>(0);
  std::map<std::string, std::size_t> sessions_of_;  // by the group of their address
  HostStats stats_;                                 // without those of now
  // A completion on the queue outlives us. Looked at on the host's thread only.
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace paceline
