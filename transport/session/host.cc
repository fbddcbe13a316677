#include "transport/session/host.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/clock.h"
#include "transport/session/host_guest.h"
#include "transport/socket/address_group.h"
#include "transport/tls/tls_connection.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

Close no_such_session() {
  return {CloseReason::kUnknownSession, "there is no such session (any more)"};
}

// On the session's thread. Empty: it has taken the socket; else what its client is told.
std::optional<Close> join(const std::weak_ptr<Session>& weak, const Bind& bind,
                          Session::Greeted& socket) {
  const auto session = weak.lock();
  if (!session) return no_such_session();
  const auto bound = session->bind(bind, socket);
  if (bound) return std::nullopt;
  return Close{CloseReason::kRefused, bound.error().message};
}

}  // namespace

Host::Host(asio::io_context& io, HostOptions options, OnSession on_session)
    : io_(io),
      options_(std::move(options)),
      on_session_(std::make_shared<const OnSession>(std::move(on_session))),
      places_(options_.greeting) {
  if (options_.identity) secures_.emplace(io_);
}

Host::~Host() {
  if (datagrams_) datagrams_->stop_reading();  // sessions may have it still
}

qvid::Result<std::unique_ptr<Host>> Host::open(asio::io_context& io, HostOptions options,
                                               OnSession on_session, OnTrouble on_trouble) {
  std::unique_ptr<Host> host(new Host(io, std::move(options), std::move(on_session)));
  const OnTrouble tell = on_trouble;
  auto listener = Listener::open(
      io, host->options_.listen,
      [raw = host.get()](TcpSocket socket) { raw->on_socket(std::move(socket)); },
      std::move(on_trouble));
  if (!listener) return listener.error();
  host->listener_ = std::move(*listener);
  host->open_datagrams(tell);
  return host;
}

void Host::close() {
  listener_->close();
  if (datagrams_) datagrams_->stop_reading();
  introductions_.clear();
  while (!guests_.empty()) turn_away(guests_.begin(), TurnedAway::kEnded);
}

HostStats Host::stats() const {
  HostStats stats = stats_;
  stats.greeting = places_.size();
  stats.greeting_places = options_.greeting.all;
  return stats;
}

void Host::on_socket(TcpSocket socket) {
  ++stats_.sockets;
  error_code error;
  const auto end = socket.remote_endpoint(error);
  if (error) return;
  const Address from{.host = end.address().to_string(), .port = end.port()};
  const bool by_proxy = std::ranges::any_of(
      options_.proxies, [&](const Network& network) { return network.has(end.address()); });
  if (by_proxy) return ask_for_client(std::move(socket), from);
  welcome(std::move(socket), from);
}

void Host::ask_for_client(TcpSocket socket, const Address& proxy) {
  if (introductions_.size() >= options_.greeting.all) {
    return count(TurnedAway::kPlace);  // the socket closes itself
  }
  introductions_.emplace_back(std::move(socket), options_.session.greeting_timeout);
  const auto one = std::prev(introductions_.end());
  one->start([this, one, proxy](std::optional<TcpSocket> introduced,
                                const std::optional<Address>& client) {
    // Destroyed in a turn of its own: it is calling us.
    std::list<ProxyHeaderReader> done;
    done.splice(done.end(), introductions_, one);
    asio::post(io_, [done = std::move(done)] {});
    if (introduced) return welcome(std::move(*introduced), client.value_or(proxy));
    count(TurnedAway::kIntroduction);
  });
}

void Host::welcome(TcpSocket socket, const Address& from) {
  const std::string group = address_group(from.host);
  const bool known = sessions_of_.contains(group);
  const qvid::Timestamp now = qvid::steady_now();
  const auto room = places_.make_room(group, known, now);
  if (room.leaves) {
    turn_away(std::ranges::find(guests_, *room.leaves, &Guest::place), TurnedAway::kPlace);
  }
  if (!room.is_there) return count(TurnedAway::kPlace);  // the socket closes itself
  guests_.emplace_back(io_, from, group, places_.add(group, known, now));
  const auto guest = std::prev(guests_.end());
  const Duration timeout = options_.session.greeting_timeout;
  guest->timer.expires_after(timeout);
  guest->timer.async_wait([this, guest, alive = std::weak_ptr(alive_)](const error_code& aborted) {
    // An abort may come when `guest` is no more.
    if (aborted || alive.expired() || guest->gone || guest->elsewhere) return;
    if (!guest->connection) return turn_away(guest, TurnedAway::kHandshake);
    if (guest->refused || guest->visit) return turn_away(guest, TurnedAway::kSilent);
    refuse(guest, TurnedAway::kSilent, {CloseReason::kTimeout, "no greeting in time"});
  });
  if (!options_.identity)
    return on_secured(guest, make_plain_connection(std::move(socket), from.text()));
  guest->handshake = secures_->server(
      std::move(socket), options_.identity, timeout,
      [this, guest](std::variant<std::unique_ptr<Connection>, ConnectError> result) {
        if (auto* connection = std::get_if<std::unique_ptr<Connection>>(&result)) {
          return on_secured(guest, std::move(*connection));
        }
        turn_away(guest, TurnedAway::kHandshake);
      },
      from.text());
}

void Host::on_secured(Guests::iterator guest, std::unique_ptr<Connection> connection) {
  if (guest->gone) return;
  guest->connection = std::move(connection);
  if (is_https(*guest->connection)) guest->visit.emplace();
  read(guest);
}

void Host::read(Guests::iterator guest) {
  guest->reading = true;
  guest->connection->read_some(
      guest->input,
      [this, guest](const error_code& error, std::size_t bytes) { on_read(guest, error, bytes); });
}

void Host::on_read(Guests::iterator guest, const error_code& error, std::size_t bytes) {
  if (guest->gone) return;
  guest->reading = false;
  if (error) {
    // Of a WebSocket: a close frame says so.
    const bool wrong = !guest->refused && error == boost::system::errc::protocol_error;
    if (!wrong) return turn_away(guest, TurnedAway::kEnded);
    return let_read(guest, TurnedAway::kGreeting);
  }
  if (guest->refused) return read(guest);  // until it closes: it then has read why
  const auto input = std::span<const std::byte>(guest->input).first(bytes);
  const bool plain = !secures_;
  const bool first = !std::exchange(guest->heard, true);
  if (plain && first && HttpVisit::begins_with(input)) guest->visit.emplace();
  if (guest->visit) return on_visit(guest, input);
  const auto greeting = guest->greeter.feed(input);
  if (!greeting) return read(guest);
  if (const auto* hello = std::get_if<Hello>(&*greeting)) return on_hello(guest, *hello);
  if (const auto* bind = std::get_if<Bind>(&*greeting)) return on_bind(guest, *bind);
  const auto& failure = std::get<RecordParser::Failure>(*greeting);
  refuse(guest, TurnedAway::kGreeting, {failure.reason, failure.detail});
}

void Host::on_hello(Guests::iterator guest, const Hello& hello) {
  if (sessions_.size() >= options_.max_sessions && !make_room()) {
    return refuse(guest, TurnedAway::kFull,
                  {CloseReason::kRefused, "the server has as many sessions as it takes"});
  }
  ++stats_.sessions;
  asio::io_context& io = options_.place ? options_.place() : io_;
  const SessionCredentials credentials = make_credentials();
  const auto tenant = std::make_shared<Tenant>(Tenant{.io = io, .session = {}});
  sessions_[credentials.session] = {
      .secret = credentials.secret, .tenant = tenant, .group = guest->group};
  ++sessions_of_[guest->group];
  if (datagrams_ && hello.features.datagrams) {
    by_tag_[datagram_tag(credentials.secret, DatagramDirection::kToServer)] = tenant;
  }
  Session::Greeted first{std::move(guest->connection), guest->greeter.take_rest()};
  leave(guest);
  Session::Handler note = note_of(credentials.session, io);
  if (&io == &io_) {
    return begin(*tenant, datagrams_, options_.session, credentials, hello, std::move(first),
                 *on_session_, std::move(note));
  }
  asio::post(io_, [this, alive = std::weak_ptr(alive_), tenant, credentials, hello,
                   first = std::move(first), note = std::move(note)]() mutable {
    if (alive.expired()) return;
    if (!first.connection->move_to(tenant->io)) {
      count(TurnedAway::kEnded);
      return forget(credentials.session);
    }
    asio::post(tenant->io, [tenant, datagrams = datagrams_, config = options_.session, credentials,
                            hello, first = std::move(first), on_session = on_session_,
                            note = std::move(note)]() mutable {
      begin(*tenant, datagrams, config, credentials, hello, std::move(first), *on_session,
            std::move(note));
    });
  });
}

void Host::begin(Tenant& tenant, const std::shared_ptr<DatagramSocket>& datagrams,
                 const SessionConfig& config, const SessionCredentials& credentials,
                 const Hello& hello, Session::Greeted first, const OnSession& on_session,
                 Session::Handler note) {
  const auto session = Session::accept(tenant.io, config, credentials, hello, std::move(first));
  tenant.session = session;
  session->use_datagrams(datagrams);
  Session::Handler handler = on_session(session);
  session->set_handler(
      [note = std::move(note), handler = std::move(handler)](SessionEvent&& event) {
        if (std::holds_alternative<SessionInterrupted>(event) ||
            std::holds_alternative<SessionResumed>(event) ||
            std::holds_alternative<SessionClosed>(event)) {
          note(SessionEvent(event));
        }
        handler(std::move(event));
      });
}

Session::Handler Host::note_of(const SessionId& id, asio::io_context& io) {
  auto note = [this, alive = std::weak_ptr(alive_), id](const SessionEvent& event) {
    if (!alive.expired()) on_event(id, event);
  };
  if (&io == &io_) return note;
  return [&home = io_, note = std::move(note)](SessionEvent&& event) {
    asio::post(home, [note, event = std::move(event)] { note(event); });
  };
}

void Host::on_event(const SessionId& id, const SessionEvent& event) {
  if (std::holds_alternative<SessionClosed>(event)) {
    forget(id);
  } else if (const auto it = sessions_.find(id); it != sessions_.end()) {
    it->second.interrupted = std::holds_alternative<SessionInterrupted>(event);
  }
}

void Host::forget(const SessionId& id) {
  const auto it = sessions_.find(id);
  if (it == sessions_.end()) return;
  const auto count = sessions_of_.find(it->second.group);
  if (--count->second == 0) sessions_of_.erase(count);
  by_tag_.erase(datagram_tag(it->second.secret, DatagramDirection::kToServer));
  sessions_.erase(it);
}

// One that waits to be resumed holds its place only until somebody needs it.
bool Host::make_room() {
  const auto it =
      std::ranges::find_if(sessions_, [](const auto& entry) { return entry.second.interrupted; });
  if (it == sessions_.end()) return false;
  const auto tenant = std::move(it->second.tenant);
  forget(SessionId(it->first));
  const auto close = [tenant] {
    const auto session = tenant->session.lock();
    if (session) session->close("its place was needed by another session");
  };
  if (&tenant->io == &io_) {
    close();
  } else {
    asio::post(tenant->io, close);
  }
  return true;
}

void Host::on_bind(Guests::iterator guest, const Bind& bind) {
  const auto it = sessions_.find(bind.session);
  if (it == sessions_.end() || !proves(bind, it->second.secret)) {
    // The same to both: a stranger learns nothing of which sessions there are.
    return refuse(guest, TurnedAway::kSession, no_such_session());
  }
  const auto tenant = it->second.tenant;
  Session::Greeted socket{std::move(guest->connection), guest->greeter.take_rest()};
  if (&tenant->io == &io_) {
    const auto refused = join(tenant->session, bind, socket);
    return on_bound(guest, std::move(socket.connection), refused);
  }
  guest->elsewhere = true;
  places_.keep(guest->place);
  guest->timer.cancel();
  asio::post(io_, [this, guest, life = std::weak_ptr(guest->life), alive = std::weak_ptr(alive_),
                   tenant, bind, socket = std::move(socket)]() mutable {
    if (alive.expired() || life.expired() || guest->gone) return;
    if (!socket.connection->move_to(tenant->io)) return turn_away(guest, TurnedAway::kEnded);
    asio::post(tenant->io,
               [this, &home = io_, guest, life = std::move(life), alive = std::move(alive), tenant,
                bind, socket = std::move(socket)]() mutable {
                 const auto refused = join(tenant->session, bind, socket);
                 std::unique_ptr<Connection> back = std::move(socket.connection);
                 if (back && !back->move_to(home)) back.reset();
                 asio::post(home, [this, guest, life = std::move(life), alive = std::move(alive),
                                   back = std::move(back), refused]() mutable {
                   if (alive.expired() || life.expired() || guest->gone) return;
                   on_bound(guest, std::move(back), refused);
                 });
               });
  });
}

// `back`: the socket, of one that was refused.
void Host::on_bound(Guests::iterator guest, std::unique_ptr<Connection> back,
                    const std::optional<Close>& refused) {
  guest->elsewhere = false;
  if (!refused) return leave(guest);
  if (!back) return turn_away(guest, TurnedAway::kSession);
  guest->connection = std::move(back);
  refuse(guest, TurnedAway::kSession, *refused);
}

void Host::refuse(Guests::iterator guest, TurnedAway why, const Close& close) {
  write_preamble(guest->output);
  write_record(close, guest->output);
  write_last(guest, why);
}

// Where it was refused before, that is why.
void Host::turn_away(Guests::iterator guest, TurnedAway why) {
  if (guest->gone) return;
  count(guest->refused.value_or(why));
  if (guest->connection) guest->connection->close(false);
  leave(guest);
}

// Destroyed in a turn of its own: something of it may be calling us.
void Host::leave(Guests::iterator guest) {
  guest->gone = true;
  if (guest->reads_page) {
    end_reading(guest);
  } else {
    places_.remove(guest->place);
  }
  guest->timer.cancel();
  guest->handshake.reset();  // not later, when this may be gone
  Guests done;
  done.splice(done.end(), guests_, guest);
  asio::post(io_, [done = std::move(done)] {});
}

}  // namespace paceline
