#include "transport/tls/tls_stream.h"

#include <openssl/err.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <new>
#include <utility>

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// A record can be read when all of it has come, and only then is it acknowledged. On a slow path,
// where few bytes are written at once, a record is a segment: one of several would look like a
// queue to the controller, and the line would stand idle. Many bytes at once are for a fast path,
// where large records cost less.
constexpr std::size_t kFewBytes = 8 * 1024;
constexpr long kSmallRecord = 1448 - 22;  // a segment's bytes without those of TLS 1.3
constexpr long kLargeRecord = 16 * 1024;

using BioMethodPtr = std::unique_ptr<BIO_METHOD, FreedBy<BIO_meth_free>>;

}  // namespace

// A session whose connection was not ended in order would not be resumed any more. For the standby
// of a connection that broke it must be.
void TlsStream::Deleter::operator()(SSL* ssl) const {
  SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(ssl);
}

TlsStream::TlsStream(TcpSocket socket, SSL_CTX* context)
    : socket_(std::move(socket)), ssl_(SSL_new(context)) {
  BioPtr bio(BIO_new(bio_method()));
  if (!ssl_ || !bio) throw std::bad_alloc();
  BIO_set_data(bio.get(), this);
  BIO_set_init(bio.get(), 1);
  SSL_set_bio(ssl_.get(), bio.get(), bio.get());
  (void)bio.release();
  socket_.non_blocking(true, error_);
}

TlsStream::~TlsStream() = default;

const BIO_METHOD* TlsStream::bio_method() {
  static const BioMethodPtr method = [] {
    BioMethodPtr made(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket"));
    if (!made) throw std::bad_alloc();
    BIO_meth_set_read(made.get(), bio_read);
    BIO_meth_set_write(made.get(), bio_write);
    BIO_meth_set_ctrl(made.get(), bio_control);
    return made;
  }();
  return method.get();
}

asio::mutable_buffer TlsStream::input_room() {
  if (input_.empty()) {
    input_.resize(kLeastInput);
  } else if (input_end_ == input_.size() && input_.size() < kMostInput) {
    input_.resize(2 * input_.size());
  }
  input_read_ = input_end_ = 0;
  return asio::buffer(input_);
}

// An error is read behind what came before it, as OpenSSL reads the socket's.
error_code TlsStream::on_input(const error_code& error, std::size_t bytes) {
  if (error == asio::error::operation_aborted) return error;
  input_end_ = bytes;
  input_is_all_ = bytes < input_.size();
  input_error_ = error;
  return {};
}

std::size_t TlsStream::receive(std::span<char> into, error_code& error) {
  if (input_read_ < input_end_) {
    const std::size_t bytes = std::min(into.size(), input_end_ - input_read_);
    std::copy_n(input_.data() + input_read_, bytes, into.data());
    input_read_ += bytes;
    return bytes;
  }
  error = input_error_;
  if (!error && std::exchange(input_is_all_, false)) error = asio::error::would_block;
  return error ? 0 : socket_.receive(asio::buffer(into.data(), into.size()), 0, error);
}

int TlsStream::bio_read(BIO* bio, char* into, int size) {
  auto& self = *static_cast<TlsStream*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  error_code error;
  const std::size_t bytes = self.receive({into, static_cast<std::size_t>(size)}, error);
  if (error == asio::error::would_block || error == asio::error::try_again) {
    BIO_set_retry_read(bio);
    return -1;
  }
  if (error) {
    self.socket_error_ = error;
    return error == asio::error::eof ? 0 : -1;
  }
  const std::size_t more = std::min(bytes, self.first_.size() - self.first_size_);
  std::copy_n(into, more, self.first_.data() + self.first_size_);
  self.first_size_ += more;
  return static_cast<int>(bytes);
}

TlsStream::Step TlsStream::send(std::span<const char> bytes, std::size_t& sent) {
  error_code error;
  sent = socket_.send(asio::buffer(bytes.data(), bytes.size()), 0, error);
  if (!error) return Step::done;
  if (error == asio::error::would_block || error == asio::error::try_again) {
    return Step::wants_write;
  }
  error_ = socket_error_ = error;
  return Step::failed;
}

// Done: nothing is held any more.
TlsStream::Step TlsStream::send_held() {
  while (held_sent_ < held_.size()) {
    std::size_t sent = 0;
    const Step step = send(std::span<const char>(held_).subspan(held_sent_), sent);
    if (step != Step::done) return step;
    held_sent_ += sent;
  }
  held_.clear();
  held_sent_ = 0;
  return Step::done;
}

int TlsStream::bio_write(BIO* bio, const char* from, int size) {
  auto& self = *static_cast<TlsStream*>(BIO_get_data(bio));
  const std::span bytes(from, static_cast<std::size_t>(size));
  BIO_clear_retry_flags(bio);
  if (self.holding_) {
    self.held_.insert(self.held_.end(), bytes.begin(), bytes.end());
    return size;
  }
  std::size_t sent = 0;
  Step step = self.send_held();
  if (step == Step::done) step = self.send(bytes, sent);
  if (step == Step::done) return static_cast<int>(sent);
  if (step == Step::wants_write) BIO_set_retry_write(bio);
  return -1;
}

long TlsStream::bio_control(BIO* bio, int command, long, void*) {
  switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF:
      return static_cast<TlsStream*>(BIO_get_data(bio))->socket_error_ == asio::error::eof;
    default: return 0;
  }
}

TlsStream::Step TlsStream::step_of(int result) {
  if (result > 0) return Step::done;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ: return Step::wants_read;
    case SSL_ERROR_WANT_WRITE: return Step::wants_write;
    case SSL_ERROR_ZERO_RETURN: error_ = asio::error::eof; break;
    default:
      // An end without close_notify says no less: the records above say where a message ends.
      if (socket_error_) {
        error_ = socket_error_;
      } else {
        error_ = error_code(static_cast<int>(ERR_peek_error()), asio::error::get_ssl_category());
        if (!error_) error_ = asio::error::fault;
      }
  }
  ERR_clear_error();
  return Step::failed;
}

TlsStream::Step TlsStream::handshake() {
  ERR_clear_error();
  return step_of(SSL_do_handshake(ssl_.get()));
}

TlsStream::Step TlsStream::read(std::span<std::byte> into, std::size_t& bytes) {
  ERR_clear_error();
  if (read_failed_) return Step::failed;
  const Step first = step_of(SSL_read_ex(ssl_.get(), into.data(), into.size(), &bytes));
  if (first != Step::done) return first;
  while (bytes < into.size() && SSL_has_pending(ssl_.get()) != 0) {
    const std::span rest = into.subspan(bytes);
    std::size_t more = 0;
    const Step step = step_of(SSL_read_ex(ssl_.get(), rest.data(), rest.size(), &more));
    read_failed_ = step == Step::failed;
    if (step != Step::done) break;
    bytes += more;
  }
  return Step::done;
}

TlsStream::Step TlsStream::write(std::span<const std::byte> from, std::size_t& bytes) {
  ERR_clear_error();
  if (!encrypted_) {
    SSL_set_max_send_fragment(ssl_.get(), from.size() <= kFewBytes ? kSmallRecord : kLargeRecord);
    holding_ = true;
    Step step = Step::done;
    for (std::size_t at = 0; at < from.size() && step == Step::done;) {
      std::size_t encrypted = 0;
      step = step_of(SSL_write_ex(ssl_.get(), from.data() + at, from.size() - at, &encrypted));
      at += encrypted;
    }
    holding_ = false;
    if (step != Step::done) return step;
    encrypted_ = true;
  }
  const Step step = send_held();
  if (step != Step::done) return step;
  encrypted_ = false;
  bytes = from.size();
  return step;
}

TlsStream::Step TlsStream::shut_down() {
  ERR_clear_error();
  const int result = SSL_shutdown(ssl_.get());
  return result == 0 ? Step::done : step_of(result);  // 0: the peer may go on
}

}  // namespace paceline
