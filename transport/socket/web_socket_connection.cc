#include "transport/socket/web_socket_connection.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>

#include "transport/socket/web_socket_frames.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Its handlers are those of the connection below, which calls none when it is closed or destroyed.
// Each calls its owner's last: that may destroy this.
class WebSocketConnection final : public Connection {
 public:
  using Buffers = std::vector<asio::const_buffer>;

  WebSocketConnection(std::unique_ptr<Connection> below, asio::io_context& io)
      : Connection(below->peer(), below->security()), below_(std::move(below)), io_(&io) {}

  void read_some(std::span<std::byte> into, OnDone done) override {
    if (reader_.end() && !ending_) return later(std::move(done), end_of_reading());
    below_->read_some(
        into, [this, into, done = std::move(done)](const error_code& error, std::size_t bytes) {
          on_read(into, error, bytes, done);
        });
  }

  void write(const Buffers& buffers, OnDone done) override {
    if (close_sent_) return later(std::move(done), asio::error::broken_pipe);
    if (busy_) {
      waiting_ = {.buffers = buffers, .done = std::move(done)};
      return;
    }
    frame(buffers);
    busy_ = true;
    below_->write(frame_, on_frame(std::move(done)));
  }

  bool write_now(const Buffers& buffers, OnDone done) override {
    if (close_sent_ || busy_) return write(buffers, std::move(done)), false;
    frame(buffers);
    busy_ = !below_->write_now(frame_, on_frame(std::move(done)));
    return !busy_;
  }

  void shut_down() override {
    if (std::exchange(ending_, true)) return;
    if (!busy_) go_on();
  }

  void close(bool abort) override { below_->close(abort); }
  bool is_open() const override { return below_->is_open(); }
  int native_handle() override { return below_->native_handle(); }

  // A pong that its client does not take would be under way.
  bool move_to(asio::io_context& io) override {
    if (busy_) return close(false), false;
    io_ = &io;
    return below_->move_to(io);
  }

 private:
  struct Waiting {
    Buffers buffers;
    OnDone done;
  };

  void on_read(std::span<std::byte> into, const error_code& error, std::size_t bytes,
               const OnDone& done) {
    if (error || into.empty()) return done(error, 0);
    if (reader_.end()) return read_some(into, done);  // what comes behind it is for nobody
    const std::size_t payload = reader_.receive(into.first(bytes));
    if (!busy_) go_on();
    if (payload > 0) return done({}, payload);
    if (reader_.end()) return done(end_of_reading(), 0);
    read_some(into, done);
  }

  error_code end_of_reading() const {
    if (!reader_.end()->failed) return asio::error::eof;
    return make_error_code(boost::system::errc::protocol_error);
  }

  // The message: its header, and the payload where it lies.
  void frame(const Buffers& buffers) {
    payload_ = asio::buffer_size(buffers);
    header_ = WebSocketHeader(WebSocketOpcode::binary, payload_);
    frame_.clear();
    frame_.push_back(asio::buffer(header_.bytes().data(), header_.bytes().size()));
    frame_.insert(frame_.end(), buffers.begin(), buffers.end());
  }
  OnDone on_frame(OnDone done) {
    return [this, done = std::move(done)](const error_code& error, std::size_t) {
      busy_ = false;
      const std::size_t payload = error ? 0 : payload_;
      if (!error) go_on();
      done(error, payload);
    };
  }

  // Nothing is under way: what of control frames is due, then what waits.
  void go_on() {
    if (!close_sent_) write_control();
    if (close_sent_ && ending_) below_->shut_down();
    if (!busy_) write_waiting();
  }
  void write_control() {
    control_.clear();
    if (const auto ping = reader_.take_ping()) {
      write_control_frame(WebSocketOpcode::pong, *ping, control_);
    }
    if (reader_.end() || (ending_ && !waiting_)) {
      write_close_frame(reader_.end() ? reader_.end()->code : kWebSocketNormal, control_);
      close_sent_ = true;
    }
    if (control_.empty()) return;
    busy_ = !below_->write_now({asio::buffer(control_)},
                               [this](const error_code& error, std::size_t) { on_control(error); });
  }
  void on_control(const error_code& error) {
    busy_ = false;
    if (!error) return go_on();
    // The socket tells it once.
    if (waiting_) std::exchange(waiting_, std::nullopt)->done(error, 0);
  }
  void write_waiting() {
    if (!waiting_) return;
    Waiting next = *std::exchange(waiting_, std::nullopt);
    write(next.buffers, std::move(next.done));
  }

  void later(OnDone done, const error_code& error) {
    asio::post(*io_, [this, alive = std::weak_ptr(alive_), done = std::move(done), error] {
      if (!alive.expired() && is_open()) done(error, 0);
    });
  }

  std::unique_ptr<Connection> below_;
  asio::io_context* io_;
  WebSocketReader reader_;
  WebSocketHeader header_;          // of the message under way
  Buffers frame_;                   // it, whole
  std::size_t payload_ = 0;         // bytes of it
  std::vector<std::byte> control_;  // frames under way: a pong, a close
  std::optional<Waiting> waiting_;  // for those
  bool busy_ = false;               // a write is under way below
  bool ending_ = false;             // no more will be written
  bool close_sent_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace

std::unique_ptr<Connection> make_web_socket_connection(std::unique_ptr<Connection> below,
                                                       asio::io_context& io) {
  return std::make_unique<WebSocketConnection>(std::move(below), io);
}

}  // namespace paceline
