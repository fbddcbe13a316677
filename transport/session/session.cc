#include "transport/session/session.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/clock.h"
#include "transport/control/hystart_switch.h"
#include "transport/socket/socket_info.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// A socket that brings much gets a larger buffer, step by step; a standby keeps the first.
constexpr std::size_t kFirstReadSize = 4 * 1024;
constexpr std::size_t kLargestReadSize = 256 * 1024;
constexpr std::size_t kWriteSize = 256 * 1024;
// While only the kernel's view of the socket can open the gate: acknowledgements open it too, this
// is the safety net.
constexpr Duration kGatePoll = std::chrono::milliseconds(5);
// How long a closing session may take to tell the peer why.
constexpr Duration kLinger = std::chrono::seconds(1);
// For further sockets of a session: short, since the next attempt may go another way.
constexpr Duration kRedialTimeout = std::chrono::seconds(3);

std::atomic<int> sessions_alive = 0;

SessionConfig on_this_host(SessionConfig config) {
  config.controller.wall_clock += qvid::wall_clock_ahead();
  config.datagram_key = make_credentials().session;  // as random as that
  return config;
}

}  // namespace

struct Session::Link {
  ChannelId channel;
  std::unique_ptr<Connection> connection;
  std::vector<std::byte> input;
  WriteBatch batch;
  std::vector<asio::const_buffer> buffers;
  bool writing = false;
  bool held = false;  // it is to be read again
  HyStartSwitch hystart = {};
  bool shut_down = false;
};

struct Session::Dialing {
  std::uint32_t segment = 0;
  std::unique_ptr<Dial> dial;
};

int Session::alive() { return sessions_alive; }

std::shared_ptr<Session> Session::connect(asio::io_context& io, Remote remote,
                                          const SessionConfig& config, Handler handler) {
  const Duration timeout = remote.connect_timeout;
  SessionConfig own = on_this_host(config);
  if (own.dial_seed == 0) own.dial_seed = qvid::Jitter::random_seed();
  // A proxy takes TCP only.
  if (remote.proxy && own.datagrams == Datagrams::kAuto) own.datagrams = Datagrams::kNever;
  auto session = std::make_shared<Session>(
      Private{}, io, std::move(remote), std::make_unique<SessionEngine>(own, qvid::steady_now()));
  session->handler_ = std::move(handler);
  session->peer_ = session->remote_.address.text();
  session->start_dial(0, timeout);
  session->schedule_turn();
  return session;
}

std::shared_ptr<Session> Session::accept(asio::io_context& io, const SessionConfig& config,
                                         const SessionCredentials& credentials, const Hello& hello,
                                         Greeted first) {
  const Timestamp now = qvid::steady_now();
  auto session = std::make_shared<Session>(
      Private{}, io, Remote{},
      std::make_unique<SessionEngine>(on_this_host(config), credentials, hello, now));
  Link& link = session->add_link(kFirstChannel, std::move(first.connection));
  session->engine_->receive(link.channel, first.rest, now);
  session->schedule_turn();
  return session;
}

qvid::Result<ChannelId> Session::bind(const Bind& bind, Greeted& socket) {
  const Timestamp now = qvid::steady_now();
  auto channel = engine_->accept_bind(bind, now);
  if (!channel) return channel;
  add_link(*channel, std::move(socket.connection));
  engine_->receive(*channel, socket.rest, now);
  schedule_turn();
  return channel;
}

Session::Session(Private, asio::io_context& io, Remote remote,
                 std::unique_ptr<SessionEngine> engine)
    : io_(io), remote_(std::move(remote)), timer_(io), hold_timer_(io), engine_(std::move(engine)) {
  ++sessions_alive;
}

Session::~Session() { --sessions_alive; }

StreamId Session::open_stream(double weight) { return engine_->open_stream(weight); }

void Session::close_stream(StreamId stream) {
  engine_->close_stream(stream);
  schedule_turn();
}

qvid::Result<MessageId> Session::send(StreamId stream, Message message) {
  auto result = engine_->send(stream, std::move(message), qvid::steady_now());
  schedule_turn();
  return result;
}

bool Session::cancel(MessageId message) {
  const bool cancelled = engine_->cancel(message);
  if (cancelled) schedule_turn();
  return cancelled;
}

void Session::close(std::string detail) {
  engine_->close(std::move(detail));
  schedule_turn();
}

SessionSignals Session::signals() const {
  SessionSignals signals = engine_->signals(qvid::steady_now());
  signals.held = held_;
  return signals;
}

ByteCount Session::queued() const { return engine_->queued(); }

// Several calls of the application in one turn of the loop make one write.
void Session::schedule_turn() {
  if (turn_scheduled_) return;
  turn_scheduled_ = true;
  asio::post(io_, [self = shared_from_this()] {
    self->turn_scheduled_ = false;
    self->turn();
  });
}

void Session::turn() {
  const Timestamp now = qvid::steady_now();
  close_ended();
  for (Link& link : links_) sample(link, now);
  open_datagrams(now);
  write_datagrams(now);
  // What is written to the active channel may go over others instead.
  for (const bool active : {true, false}) {
    for (Link& link : links_) {
      if (engine_->is_active(link.channel) == active) write(link, now);
    }
  }
  // What waited behind what a socket has taken; and what waits behind that.
  if (write_datagrams(now)) schedule_turn();
  hand_out_events();
  close_ended();
  if (!engine_->closed()) {
    while (const auto segment = engine_->dial(now)) start_dial(*segment, kRedialTimeout);
  } else if (!turn_scheduled_) {
    // A close() by the handler has yet to be written: by the turn that it scheduled.
    finish();
  }
  // Of the time at which it was decided what may be written: what opens since then opens at once.
  arm_timer(now);
}

void Session::start_dial(std::uint32_t segment, Duration timeout) {
  dials_.push_back({.segment = segment, .dial = {}});
  Dialing& dialing = dials_.back();
  dialing.dial = std::make_unique<Dial>(
      io_, remote_.address,
      DialOptions{.timeout = timeout,
                  .trust = remote_.trust,
                  .proxy = remote_.proxy,
                  .first = peer_,  // another address may be another machine
                  .max_segment = static_cast<int>(segment)},
      // The session holds the dial, so the dial must not hold the session: the timer of its
      // greeting or of its resumption does.
      [weak = weak_from_this(), &dialing](auto result) {
        if (const auto self = weak.lock()) self->on_dialed(dialing, std::move(result));
      });
}

void Session::on_dialed(Dialing& dialing,
                        std::variant<std::unique_ptr<Connection>, ConnectError> result) {
  const std::uint32_t segment = dialing.segment;
  const auto it = std::ranges::find_if(dials_, [&](const Dialing& d) { return &d == &dialing; });
  std::list<Dialing> done;  // it is still at work: destroyed in a turn of its own
  done.splice(done.end(), dials_, it);
  asio::post(io_, [done = std::move(done)] {});
  const Timestamp now = qvid::steady_now();
  if (auto* connection = std::get_if<std::unique_ptr<Connection>>(&result)) {
    if (closing_) return;
    add_link(engine_->connected(segment, now), std::move(*connection));
  } else {
    const auto& error = std::get<ConnectError>(result);
    engine_->dial_failed(segment, error.message,
                         engine_->established() ? error.untrusted : error.permanent, now);
  }
  turn();
}

Session::Link& Session::add_link(ChannelId channel, std::unique_ptr<Connection> connection) {
  links_.push_back({.channel = channel,
                    .connection = std::move(connection),
                    .input = std::vector<std::byte>(kFirstReadSize),
                    .batch = {},
                    .buffers = {}});
  Link& link = links_.back();
  peer_ = link.connection->peer();
  security_ = link.connection->security();
  prepare_socket(link.connection->native_handle(), engine_->wants_kernel_pacing());
  read(link);
  return link;
}

void Session::read(Link& link) {
  link.connection->read_some(
      link.input, [self = shared_from_this(), &link](const error_code& error, std::size_t bytes) {
        self->on_read(link, error, bytes);
      });
}

void Session::on_read(Link& link, const error_code& error, std::size_t bytes) {
  if (error) {
    lose(link, error == asio::error::eof ? "the other end closed the connection" : error.message());
    return turn();
  }
  const ChannelId channel = link.channel;
  engine_->receive(channel, std::span(link.input).first(bytes), qvid::steady_now());
  turn();
  // Also when all is over: a socket that is closed with input unread takes the reason back.
  const auto it = std::ranges::find(links_, channel, &Link::channel);
  if (it == links_.end()) return;
  if (bytes == it->input.size() && bytes < kLargestReadSize) it->input.resize(2 * bytes);
  if (engine_->closed() || qvid::steady_now() >= held_until_) return read(*it);
  it->held = true;
  wait_held();
}

void Session::hold_reading(Duration time) {
  held_until_ = std::max(held_until_, qvid::steady_now() + time);
}

void Session::wait_held() {
  hold_timer_.expires_at(held_until_);  // what waited for it waits no more
  hold_timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (error) return;
    if (qvid::steady_now() < self->held_until_) return self->wait_held();
    self->read_again();
  });
}

void Session::read_again() {
  hold_timer_.cancel();
  for (Link& link : links_) {
    if (std::exchange(link.held, false)) read(link);
  }
}

void Session::sample(Link& link, Timestamp now) {
  if (link.writing || !engine_->needs_socket_sample(link.channel)) return;
  if (const auto sample = sample_socket(link.connection->native_handle())) {
    engine_->on_socket(link.channel, *sample, now);
    if (const auto off = link.hystart.change(*sample, engine_->wants_no_hystart())) {
      choose_congestion_control(link.connection->native_handle(), *off);
    }
  }
}

void Session::write(Link& link, Timestamp now) {
  if (link.writing) return;
  link.batch.clear();
  engine_->produce(link.channel, link.batch, now, kWriteSize);
  if (link.batch.empty()) return;
  link.buffers.clear();
  link.batch.for_each(
      [&](std::span<const std::byte> run) { link.buffers.emplace_back(run.data(), run.size()); });
  link.writing = !link.connection->write_now(
      link.buffers, [self = shared_from_this(), &link](const error_code& e, std::size_t) {
        self->on_written(link, e);
      });
  // There may be more, for which others have to wait no longer than for this.
  if (!link.writing && link.batch.size() >= kWriteSize) schedule_turn();
}

void Session::on_written(Link& link, const error_code& error) {
  link.writing = false;
  if (error) lose(link, error.message());
  turn();
}

void Session::lose(Link& link, const std::string& why) {
  engine_->lost(link.channel, why, qvid::steady_now());
  close_ended();
  // Where the engine did not know it (any more).
  const auto it = std::ranges::find_if(links_, [&](const Link& l) { return &l == &link; });
  if (it != links_.end()) drop(*it, true);
}

// Closes it now and destroys it in a turn of its own: it may be calling us.
void Session::drop(Link& link, bool abort) {
  const auto it = std::ranges::find_if(links_, [&](const Link& l) { return &l == &link; });
  it->connection->close(abort);
  std::list<Link> done;
  done.splice(done.end(), links_, it);
  asio::post(io_, [done = std::move(done)] {});
}

void Session::close_ended() {
  engine_->take_ended(ended_);
  for (const SessionEngine::Ended& e : ended_) {
    const auto it = std::ranges::find(links_, e.channel, &Link::channel);
    if (it != links_.end()) drop(*it, e.abort);
  }
}

void Session::hand_out_events() {
  // The handler may cause more events; they come in the next turn.
  engine_->take_events(events_);
  for (SessionEvent& event : events_) {
    if (!handler_) break;
    if (std::holds_alternative<SessionClosed>(event)) {
      // Released before it is called: what it owns may own this session.
      std::exchange(handler_, nullptr)(std::move(event));
    } else {
      handler_(std::move(event));
    }
  }
  events_.clear();
}

// All is written: the other end closes too when it has read it.
void Session::finish() {
  datagrams_.reset();
  dials_.clear();
  read_again();
  for (Link& link : links_) {
    if (!link.writing && !std::exchange(link.shut_down, true)) link.connection->shut_down();
  }
}

void Session::arm_timer(Timestamp now) {
  Timestamp next = engine_->next_timer(now);
  if (engine_->closed()) {
    if (links_.empty()) {
      timer_.cancel();
      return;
    }
    if (closing_) return;
    closing_ = true;
    armed_ = qvid::kNever;
    next = now + kLinger;
  } else if (engine_->gated_by_socket(now)) {
    next = std::min(next, now + kGatePoll);
  }
  if (next >= armed_) return;
  armed_ = next;
  timer_.expires_at(next);
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (error || qvid::steady_now() < self->armed_) return;  // put off while it was on the queue
    self->armed_ = qvid::kNever;
    if (self->closing_) {
      while (!self->links_.empty()) self->drop(self->links_.front(), false);
      return;
    }
    self->engine_->on_timer(qvid::steady_now());
    self->turn();
  });
}

}  // namespace paceline
