#include "transport/session.h"

#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "base/clock.h"
#include "transport/socket_info.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kReadSize = 32 * 1024;
constexpr std::size_t kWriteSize = 64 * 1024;
// While only the gate holds content back: acknowledgements open it, this is the safety net.
constexpr Duration kGatePoll = std::chrono::milliseconds(5);
// How long a closing session may take to tell the peer why.
constexpr Duration kLinger = std::chrono::seconds(1);

std::atomic<int> sessions_alive = 0;

std::string name_of(const Session::Socket& socket) {
  error_code error;
  const auto end = socket.remote_endpoint(error);
  if (error) return "unknown";
  const std::string address = end.address().to_string();
  return (end.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(end.port());
}

}  // namespace

int Session::alive() { return sessions_alive; }

std::shared_ptr<Session> Session::start(Socket socket, Side side, const SessionConfig& config,
                                        Handler handler) {
  auto session =
      std::make_shared<Session>(Private{}, std::move(socket), side, config, std::move(handler));
  session->read();
  session->schedule_turn();
  return session;
}

Session::Session(Private, Socket socket, Side side, const SessionConfig& config, Handler handler)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      engine_(side, config, qvid::steady_now()),
      handler_(std::move(handler)),
      peer_(name_of(socket_)),
      input_(kReadSize) {
  ++sessions_alive;
  prepare_socket(socket_.native_handle());
}

Session::~Session() { --sessions_alive; }

StreamId Session::open_stream(double weight) { return engine_.open_stream(weight); }

void Session::close_stream(StreamId stream) {
  engine_.close_stream(stream);
  schedule_turn();
}

qvid::Result<MessageId> Session::send(StreamId stream, Message message) {
  auto result = engine_.send(stream, std::move(message), qvid::steady_now());
  schedule_turn();
  return result;
}

bool Session::cancel(MessageId message) {
  const bool cancelled = engine_.cancel(message);
  if (cancelled) schedule_turn();
  return cancelled;
}

void Session::close(std::string detail) {
  engine_.close(std::move(detail));
  schedule_turn();
}

SessionSignals Session::signals() const { return engine_.signals(qvid::steady_now()); }

// Several calls of the application in one turn of the loop make one write.
void Session::schedule_turn() {
  if (turn_scheduled_) return;
  turn_scheduled_ = true;
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->turn_scheduled_ = false;
    self->turn();
  });
}

void Session::turn() {
  if (!socket_.is_open()) return hand_out_events();
  write();
  hand_out_events();
  // A close() by the handler has yet to be written: by the turn that it scheduled.
  if (engine_.closed() && !writing_ && !turn_scheduled_) shut_down();
  arm_timer(qvid::steady_now());
}

void Session::read() {
  socket_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                            self->on_read(error, bytes);
                          });
}

void Session::on_read(const error_code& error, std::size_t bytes) {
  if (!socket_.is_open()) return;
  if (error && closing_) return finish();
  if (error) {
    engine_.connection_lost(error == asio::error::eof ? "the other end closed the connection"
                                                      : error.message());
    hand_out_events();
    return finish();
  }
  engine_.receive(std::span(input_).first(bytes), qvid::steady_now());
  turn();
  // Also when all is over: a socket that is closed with input unread takes the reason back.
  if (socket_.is_open()) read();
}

void Session::write() {
  if (writing_) return;
  const Timestamp now = qvid::steady_now();
  if (engine_.needs_socket_samples()) {
    if (const auto sample = sample_socket(socket_.native_handle())) engine_.on_socket(*sample, now);
  }
  batch_.clear();
  engine_.produce(batch_, now, kWriteSize);
  if (batch_.empty()) return;
  buffers_.clear();
  batch_.for_each(
      [this](std::span<const std::byte> run) { buffers_.emplace_back(run.data(), run.size()); });
  writing_ = true;
  asio::async_write(
      socket_, buffers_,
      [self = shared_from_this()](const error_code& e, std::size_t) { self->on_written(e); });
}

void Session::on_written(const error_code& error) {
  writing_ = false;
  if (!socket_.is_open()) return;
  if (error) {
    engine_.connection_lost(error.message());
    hand_out_events();
    return finish();
  }
  turn();
}

void Session::hand_out_events() {
  // The handler may cause more events; they come in the next turn.
  engine_.take_events(events_);
  for (SessionEvent& event : events_) {
    const bool last = std::holds_alternative<SessionClosed>(event);
    if (!handler_) break;
    if (last) {
      // Released before it is called: what it owns may own this session.
      std::exchange(handler_, nullptr)(std::move(event));
    } else {
      handler_(std::move(event));
    }
  }
  events_.clear();
}

void Session::arm_timer(Timestamp now) {
  Timestamp next = engine_.next_timer();
  if (engine_.closed() && !closing_) {
    closing_ = true;
    armed_ = qvid::kNever;
    next = now + kLinger;
  } else if (!writing_ && engine_.gated(now)) {
    next = std::min(next, now + kGatePoll);
  }
  if (next >= armed_) return;
  armed_ = next;
  timer_.expires_at(next);
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (error || !self->socket_.is_open()) return;
    if (qvid::steady_now() < self->armed_) return;  // put off while this was on the queue
    self->armed_ = qvid::kNever;
    if (self->closing_) return self->finish();
    self->engine_.on_timer(qvid::steady_now());
    self->turn();
  });
}

// Everything is written: the other end closes too when it has read it.
void Session::shut_down() {
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void Session::finish() {
  error_code ignored;
  timer_.cancel();
  socket_.close(ignored);
}

}  // namespace paceline
