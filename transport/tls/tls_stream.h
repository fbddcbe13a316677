// TLS on a socket, without waiting: every call does what can be done now and says what it waits
// for. Of what is encrypted no more than one write (16 KiB) is not in the socket yet. What comes goes
// into memory of the stream's own, so that a call that was given up touches none of its caller's.
// Asio's own ssl::stream does neither: it passes all through one more buffer, reads into the
// caller's memory after the stream was closed, and cannot end one direction only.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transport/socket/connection.h"
#include "transport/tls/tls_handles.h"

namespace paceline {

class TlsStream {
 public:
  enum class Step { done, wants_read, wants_write, failed };

  // Takes the role from `context`: client or server.
  TlsStream(TcpSocket socket, SSL_CTX* context);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  Step handshake();
  // The records that are here, as far as they fit. `bytes`: how many where it is done.
  Step read(std::span<std::byte> into, std::size_t& bytes);
  // All of `from` with one system call, however many records it is. Again with the same bytes
  // (wherever they are by then) until it is done. Precondition: 1..kMostAtOnce bytes.
  static constexpr std::size_t kMostAtOnce = SSL3_RT_MAX_PLAIN_LENGTH;
  Step write(std::span<const std::byte> from, std::size_t& bytes);
  // Tells the peer that no more comes (close_notify).
  Step shut_down();

  // Of the step that failed. The socket's; eof where the peer has ended; or OpenSSL's.
  const boost::system::error_code& error() const { return error_; }
  // The first bytes the peer ever sent, for a word on what it speaks if it is not TLS.
  std::span<const char> first_bytes() const { return std::span(first_).first(first_size_); }

  TcpSocket& socket() { return socket_; }
  const TcpSocket& socket() const { return socket_; }
  SSL* ssl() const { return ssl_.get(); }
  // Calls `then` with an error code when the socket is ready for what `step` wants. This lives until
  // then.
  template <class F>
  void wait(Step step, F then) {
    socket_.async_wait(step == Step::wants_read ? TcpSocket::wait_read : TcpSocket::wait_write,
                       std::move(then));
  }
  // The same for what handshake() or read() wants, one at a time. Of what is to be read this takes some from
  // the socket: Asio does that without a call of the kernel's to be told of it, as it needs to wait for a
  // socket (epoll_ctl).
  template <class F>
  void wait_for_input(Step step, F then) {
    if (step != Step::wants_read) return wait(step, std::move(then));
    socket_.async_receive(input_room(),
                          [this, then = std::move(then)](const boost::system::error_code& error,
                                                         std::size_t bytes) mutable {
                            then(on_input(error, bytes));
                          });
  }
  // Kept for as long as OpenSSL may call back.
  void keep(std::shared_ptr<void> what) { kept_ = std::move(what); }

 private:
  struct Deleter {
    void operator()(SSL* ssl) const;
  };
  static int bio_read(BIO* bio, char* into, int size);
  static int bio_write(BIO* bio, const char* from, int size);
  static long bio_control(BIO* bio, int command, long number, void* pointer);
  static const BIO_METHOD* bio_method();
  Step step_of(int result);
  Step send(std::span<const char> bytes, std::size_t& sent);
  Step send_held();
  boost::asio::mutable_buffer input_room();
  boost::system::error_code on_input(const boost::system::error_code& error, std::size_t bytes);
  // What is here, or in the socket.
  std::size_t receive(std::span<char> into, boost::system::error_code& error);

  std::shared_ptr<void> kept_;
  TcpSocket socket_;
  std::unique_ptr<SSL, Deleter> ssl_;
  boost::system::error_code error_;
  boost::system::error_code socket_error_;  // eof included
  std::array<char, 8> first_{};
  std::size_t first_size_ = 0;
  // What has come and OpenSSL has not read yet: of input_ from input_read_ to input_end_. It grows where
  // more comes at once: most of a broker's clients send acknowledgements alone.
  static constexpr std::size_t kLeastInput = 1024;
  static constexpr std::size_t kMostInput = 32 * 1024;
  std::vector<char> input_;
  std::size_t input_read_ = 0;
  std::size_t input_end_ = 0;
  bool input_is_all_ = false;              // that was in the socket when it was taken
  boost::system::error_code input_error_;  // behind it
  // Encrypted records of one write, not in the socket yet; from held_sent_ on.
  std::vector<char> held_;
  std::size_t held_sent_ = 0;
  bool holding_ = false;      // OpenSSL's records go there
  bool encrypted_ = false;    // what is to be written: it is held, or in the socket
  bool read_failed_ = false;  // behind what was read last: error_ says why
};

}  // namespace paceline
