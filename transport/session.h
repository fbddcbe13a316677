// A session on a real socket: the thin shell around SessionEngine.
//
// Ownership: shared, because operations under way hold it; it lives until the socket is closed and
// the last SessionClosed was handed out. Thread: that of the io_context only. Events are handed out
// from the event loop, never from inside a call; the handler may call anything here, close() too.
//
// Callbacks rather than coroutines: one reader, one writer and one timer each need one pending
// handler, and the second compiler we build with has no coroutines for this Asio.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transport/session_engine.h"

namespace paceline {

class Session : public std::enable_shared_from_this<Session> {
 public:
  using Handler = std::function<void(SessionEvent&&)>;
  using Socket = boost::asio::ip::tcp::socket;

  // Takes a connected socket and greets. `handler` is released after SessionClosed.
  static std::shared_ptr<Session> start(Socket socket, Side side, const SessionConfig& config,
                                        Handler handler);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // As in SessionEngine.
  StreamId open_stream(double weight = 1.0);
  void close_stream(StreamId stream);
  qvid::Result<MessageId> send(StreamId stream, Message message);
  bool cancel(MessageId message);
  void close(std::string detail = "closed");

  SessionSignals signals() const;
  const std::string& peer() const { return peer_; }  // "address:port"

  // Sessions that exist in this process; tests assert that none is left.
  static int alive();

 private:
  struct Private {};

 public:
  Session(Private, Socket socket, Side side, const SessionConfig& config, Handler handler);

 private:
  void read();
  void on_read(const boost::system::error_code& error, std::size_t bytes);
  void write();
  void on_written(const boost::system::error_code& error);
  void schedule_turn();
  void turn();
  void hand_out_events();
  void arm_timer(Timestamp now);
  void finish();
  void shut_down();

  Socket socket_;
  boost::asio::steady_timer timer_;
  SessionEngine engine_;
  Handler handler_;
  std::string peer_;
  std::vector<std::byte> input_;
  WriteBatch batch_;
  std::vector<boost::asio::const_buffer> buffers_;
  std::vector<SessionEvent> events_;
  Timestamp armed_ = qvid::kNever;
  bool writing_ = false;
  bool turn_scheduled_ = false;
  bool closing_ = false;  // the engine has ended; the socket still tells why
};

}  // namespace paceline
