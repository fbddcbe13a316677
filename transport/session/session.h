// A session on real sockets: the thin shell around SessionEngine.
//
// Ownership: shared, because operations under way hold it; it lives until its sockets are closed
// and SessionClosed was handed out. Thread: that of the io_context only. Events are handed out from
// the event loop, never from inside a call; the handler may call anything here, close() too.
//
// Callbacks rather than coroutines: one reader, one writer and one timer each need one pending
// handler, and the second compiler we build with has no coroutines for this Asio.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "transport/session/session_engine.h"
#include "transport/socket/datagram_socket.h"
#include "transport/tls/dial.h"

namespace paceline {

class Session : public std::enable_shared_from_this<Session> {
 public:
  using Handler = std::function<void(SessionEvent&&)>;

  // Where a client connects to, now and whenever the session needs another socket.
  struct Remote {
    Address address;
    std::shared_ptr<Trust> trust;                        // empty: no TLS
    std::shared_ptr<Proxy> proxy = {};                   // empty: directly
    Duration connect_timeout = std::chrono::seconds(5);  // of the first socket; others have 3 s
  };

  // Dials and greets. What goes wrong comes as SessionClosed. `handler` is released after that.
  // Precondition, here and in accept: make_controller knows config.controller.
  static std::shared_ptr<Session> connect(boost::asio::io_context& io, Remote remote,
                                          const SessionConfig& config, Handler handler);

  // A server's end of a session that `hello` asks for; `rest` came behind it. See Host, which does
  // this for whole servers.
  struct Greeted {
    std::unique_ptr<Connection> connection;
    std::vector<std::byte> rest;
  };
  static std::shared_ptr<Session> accept(boost::asio::io_context& io, const SessionConfig& config,
                                         const SessionCredentials& credentials, const Hello& hello,
                                         Greeted first);
  // Once, and before the event loop runs again.
  void set_handler(Handler handler) { handler_ = std::move(handler); }
  // Another socket of this session. The error says why it is refused; the socket is then still the
  // caller's.
  qvid::Result<ChannelId> bind(const Bind& bind, Greeted& socket);

  // A server's: its port of UDP, and what came there for this session.
  void use_datagrams(std::shared_ptr<DatagramSocket> socket) { datagrams_ = std::move(socket); }
  void on_datagram(const PathAddress& from, std::span<const std::byte> datagram);

  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // A new stream to send on; stream 0 is always there. Its part of the bandwidth is its weight over
  // that of all that have something to send. Precondition: weight > 0. The other end may limit how
  // many carry messages at once (Limits::max_streams): send says so.
  StreamId open_stream(double weight = 1.0);
  // Ends the stream at this end: what waits on it is cancelled.
  void close_stream(StreamId stream);
  // Takes a message to be sent, and says what became of it in one MessageEnded, under this id.
  // Refused with the reason, without an event: the session is not established or is closed; larger
  // than the other end takes; past its deadline; too many streams; or the queue is full, and then
  // SessionWritable tells when there is room again. Never blocks.
  qvid::Result<MessageId> send(StreamId stream, Message message);
  // True: it was pending, wholly or in part, and MessageEnded{kCancelled} follows. False: all of it
  // was written, or it has ended.
  bool cancel(MessageId message);
  // Nothing is read for so long from now on, so that the other end has to wait in the end; what was
  // read already is still handed out. Shorter than what was said before: that counts.
  void hold_reading(Duration time);
  // What SessionSignals::held says: for logs alone, nothing acts on it.
  void set_held(Duration held) { held_ = held; }
  // The other end is no stranger any more (SessionConfig::stranger_reassembly).
  void let_in() { engine_->let_in(); }
  // Ends the session and tells the other end why (512 bytes at the most). What is not delivered by
  // now ends as lost.
  void close(std::string detail = "closed");

  // At any time, also after the end: then what they were.
  SessionSignals signals() const;
  // SessionSignals::queued alone, for who looks before every message.
  ByteCount queued() const;
  std::vector<StreamSignals> stream_signals() const { return engine_->stream_signals(); }
  // "address:port" of its newest socket; before the first, the address that was named.
  const std::string& peer() const { return peer_; }
  const std::string& security() const { return security_; }  // as in Connection; empty before
  // Whoever has the secret in them may join a socket to this session.
  const SessionCredentials& credentials() const { return engine_->credentials(); }

  // Sessions that exist in this process (any thread); tests assert that none is left.
  static int alive();

 private:
  struct Private {};

 public:
  Session(Private, boost::asio::io_context& io, Remote remote,
          std::unique_ptr<SessionEngine> engine);

 private:
  struct Link;  // a channel's connection
  struct Dialing;

  void start_dial(std::uint32_t segment, Duration timeout);
  void on_dialed(Dialing& dialing, std::variant<std::unique_ptr<Connection>, ConnectError> result);
  Link& add_link(ChannelId channel, std::unique_ptr<Connection> connection);
  void read(Link& link);
  void wait_held();
  void read_again();
  void on_read(Link& link, const boost::system::error_code& error, std::size_t bytes);
  void sample(Link& link, Timestamp now);
  void write(Link& link, Timestamp now);
  void on_written(Link& link, const boost::system::error_code& error);
  void open_datagrams(Timestamp now);
  bool write_datagrams(Timestamp now);  // true: something was written
  void lose(Link& link, const std::string& why);
  void drop(Link& link, bool abort);
  void schedule_turn();
  void turn();
  void hand_out_events();
  void close_ended();
  void arm_timer(Timestamp now);
  void finish();

  boost::asio::io_context& io_;
  Remote remote_;
  Duration held_{};
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer hold_timer_;
  Timestamp held_until_{};
  std::unique_ptr<SessionEngine> engine_;
  Handler handler_;
  std::string peer_;
  std::string security_;
  std::list<Link> links_;
  std::list<Dialing> dials_;
  std::shared_ptr<DatagramSocket> datagrams_;
  bool datagrams_tried_ = false;
  std::vector<std::byte> datagram_;
  DatagramBatch batch_;
  std::vector<SessionEvent> events_;
  std::vector<SessionEngine::Ended> ended_;
  Timestamp armed_ = qvid::kNever;
  bool turn_scheduled_ = false;
  bool closing_ = false;  // the engine has ended; the sockets still tell why
};

}  // namespace paceline
