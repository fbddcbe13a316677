#include "transport/tls/tls_connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <utility>

#include "transport/tls/tls_handles.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Step = TlsStream::Step;

std::string security_of(const SSL* ssl) {
  std::string text = std::string(SSL_get_version(ssl)) + " " + SSL_get_cipher_name(ssl);
  return SSL_session_reused(ssl) ? text + ", resumed" : text;
}

// Where an operation stands: within the call that began it, its handler must wait for the loop.
enum class Inside { call, loop };

class TlsConnection final : public Connection {
 public:
  TlsConnection(std::unique_ptr<TlsStream> stream, std::string peer)
      : Connection(std::move(peer), security_of(stream->ssl())),
        https_(has_chosen(stream->ssl(), {kAlpnHttp, kAlpnHttpSize})),
        state_(std::make_shared<State>(std::move(stream))) {}
  ~TlsConnection() override { TlsConnection::close(false); }

  void read_some(std::span<std::byte> into, OnDone done) override {
    state_->read(into, std::move(done), Inside::call);
  }
  void write(const std::vector<asio::const_buffer>& buffers, OnDone done) override {
    state_->begin_write(buffers);
    state_->write(std::move(done), Inside::call);
  }
  bool write_now(const std::vector<asio::const_buffer>& buffers, OnDone done) override {
    state_->begin_write(buffers);
    return state_->write_now(std::move(done));
  }
  void shut_down() override {
    if (std::exchange(state_->ending, true) || state_->writing) return;
    state_->end();
  }
  void close(bool abort) override {
    error_code ignored;
    if (!is_open()) return;
    if (abort) state_->socket().set_option(asio::socket_base::linger(true, 0), ignored);
    state_->socket().close(ignored);
  }
  bool is_open() const override { return state_->is_open(); }
  int native_handle() override { return state_->socket().native_handle(); }
  // OpenSSL reads and writes by the stream, whose address stays.
  bool move_to(asio::io_context& io) override { return move_socket(state_->socket(), io); }

  bool is_https() const { return https_; }

 private:
  // Lives until the last completion has left the queue: it cannot be taken off.
  struct State : std::enable_shared_from_this<State> {
    explicit State(std::unique_ptr<TlsStream> s) : stream(std::move(s)) {}

    TcpSocket& socket() { return stream->socket(); }
    bool is_open() const { return stream->socket().is_open(); }

    void read(std::span<std::byte> into, OnDone done, Inside inside) {
      if (!is_open() || into.empty()) return complete(std::move(done), {}, 0, Inside::call);
      std::size_t bytes = 0;
      const Step step = stream->read(into, bytes);
      if (step == Step::done) return complete(std::move(done), {}, bytes, inside);
      if (step == Step::failed) return complete(std::move(done), stream->error(), 0, inside);
      stream->wait_for_input(
          step, [self = shared_from_this(), into, done = std::move(done)](error_code e) {
            if (!self->is_open()) return;
            if (e) return done(e, 0);
            self->read(into, done, Inside::loop);
          });
    }

    void begin_write(const std::vector<asio::const_buffer>& buffers) {
      writing = true;
      rest = buffers;
      next = 0;
      record = {};
      written = 0;
    }

    // Small pieces share a record: each costs 22 bytes, a system call and the cipher's start.
    void gather() {
      std::size_t size = 0;
      while (next < rest.size() && size < bytes_of_record.size()) {
        asio::const_buffer& piece = rest[next];
        const std::size_t part = std::min(piece.size(), bytes_of_record.size() - size);
        std::copy_n(static_cast<const std::byte*>(piece.data()), part,
                    bytes_of_record.data() + size);
        size += part;
        piece += part;
        if (piece.size() == 0) ++next;
      }
      record = std::span<const std::byte>(bytes_of_record).first(size);
    }

    // As much as goes without waiting; done: all.
    Step write_some() {
      for (;;) {
        if (record.empty()) gather();
        if (record.empty()) return Step::done;
        std::size_t bytes = 0;
        const Step step = stream->write(record, bytes);
        if (step != Step::done) return step;
        record = record.subspan(bytes);
        written += bytes;
      }
    }

    void write(OnDone done, Inside inside) {
      if (!is_open()) return;
      go_on_writing(write_some(), std::move(done), inside);
    }

    bool write_now(OnDone done) {
      if (!is_open()) return false;
      const Step step = write_some();
      if (step == Step::done && !ending) return writing = false, true;
      go_on_writing(step, std::move(done), Inside::call);
      return false;
    }

    void go_on_writing(Step step, OnDone done, Inside inside) {
      if (step == Step::done) return end_write(std::move(done), {}, inside);
      if (step == Step::failed) return end_write(std::move(done), stream->error(), inside);
      stream->wait(step, [self = shared_from_this(), done = std::move(done)](error_code e) {
        if (!self->is_open()) return;
        if (e) return self->end_write(done, e, Inside::loop);
        self->write(done, Inside::loop);
      });
    }

    void end_write(OnDone done, const error_code& error, Inside inside) {
      writing = false;
      if (ending) end();
      complete(std::move(done), error, written, inside);
    }

    void complete(OnDone done, const error_code& error, std::size_t bytes, Inside inside) {
      if (inside == Inside::loop) return done(error, bytes);
      asio::post(socket().get_executor(),
                 [self = shared_from_this(), done = std::move(done), error, bytes] {
                   if (self->is_open()) done(error, bytes);
                 });
    }

    void end() {
      error_code ignored;
      const Step step = stream->shut_down();
      if (step != Step::wants_write) {
        socket().shutdown(TcpSocket::shutdown_send, ignored);
        return;
      }
      stream->wait(step, [self = shared_from_this()](error_code e) {
        if (self->is_open() && !e) self->end();
      });
    }

    std::unique_ptr<TlsStream> stream;
    std::vector<asio::const_buffer> rest;  // from `next` on: not encrypted yet
    std::size_t next = 0;
    std::array<std::byte, SSL3_RT_MAX_PLAIN_LENGTH> bytes_of_record;
    std::span<const std::byte> record;  // what of it is still to be encrypted, or is being written
    std::size_t written = 0;
    bool writing = false;
    bool ending = false;
  };
  const bool https_;
  std::shared_ptr<State> state_;
};

}  // namespace

bool has_chosen(const SSL* ssl, std::span<const unsigned char> protocol) {
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl, &chosen, &size);
  return std::ranges::equal(std::span(chosen, size), protocol.subspan(1));  // behind its length
}

bool is_https(const Connection& connection) {
  const auto* tls = dynamic_cast<const TlsConnection*>(&connection);
  return tls != nullptr && tls->is_https();
}

std::unique_ptr<Connection> make_tls_connection(std::unique_ptr<TlsStream> stream,
                                                std::string peer) {
  return std::make_unique<TlsConnection>(std::move(stream), std::move(peer));
}

}  // namespace paceline
