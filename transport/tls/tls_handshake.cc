#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "transport/socket/http_visit.h"
#include "transport/tls/tls.h"
#include "transport/tls/tls_connection.h"
#include "transport/tls/tls_handles.h"
#include "transport/tls/tls_stream.h"
#include "transport/tls/tls_trust.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Step = TlsStream::Step;

// The reasons that OpenSSL gives for a peer's alert: 1000 and the alert's number (RFC 8446, 6.2).
constexpr int kAlertProtocolVersion = 1070;
constexpr int kAlertNoApplicationProtocol = 1120;
constexpr int kAlertBadCertificate = 1042;

// The record types with which a TLS peer can begin (RFC 8446, section 5.1).
constexpr char kAlert = 21;
constexpr char kHandshake = 22;
// With how much of a record OpenSSL 3.5 says that it is none: its header. 3.0 reads more.
constexpr std::size_t kRecordHeader = 5;

std::string in_seconds(qvid::Duration time) {
  std::string text = std::to_string(qvid::to_seconds(time));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

}  // namespace

struct Handshake::Attempt : std::enable_shared_from_this<Attempt> {
  // `server_check`: empty at a server.
  Attempt(TcpSocket socket, SSL_CTX* context, std::shared_ptr<ServerCheck> server_check,
          OnConnection then, std::string from = {})
      : timer(socket.get_executor()),
        peer(from.empty() ? peer_name(socket) : std::move(from)),
        stream(std::make_unique<TlsStream>(std::move(socket), context)),
        check(std::move(server_check)),
        done(std::move(then)) {}

  void start(qvid::Duration limit) {
    if (check) {
      stream->keep(check);
      if (!check->prepare(stream->ssl())) return fail_later({.message = take_tls_error()});
    } else {
      SSL_set_accept_state(stream->ssl());
    }
    timer.expires_after(limit);
    timer.async_wait([self = shared_from_this(), limit](const error_code& e) {
      if (e || !self->done) return;
      self->end(ConnectError{.message = self->where() +
                                        " did not complete the TLS handshake within " +
                                        in_seconds(limit)});
    });
    asio::post(timer.get_executor(), [self = shared_from_this()] { self->step(); });
  }

  void step() {
    if (!done) return;  // given up while this was on the queue
    const Step step = stream->handshake();
    if (step == Step::failed) {
      if (!check) answer_http();
      return end(failure());
    }
    if (step == Step::done) return complete();
    stream->wait_for_input(step, [self = shared_from_this()](const error_code& e) {
      if (e != asio::error::operation_aborted) self->step();
    });
  }

  void complete() {
    const bool visitor = !check && has_chosen(stream->ssl(), {kAlpnHttp, kAlpnHttpSize});
    if (!visitor && !has_chosen(stream->ssl(), {kAlpn, kAlpnSize})) return end(wrong_protocol());
    if (check) {
      if (auto refusal = check->accept(stream->ssl())) {
        return end(untrusted(*std::move(refusal)));
      }
    }
    end(make_tls_connection(std::move(stream), peer));
  }

  // As far as its socket takes at once.
  void answer_http() {
    const std::span<const char> first = stream->first_bytes();
    if (!HttpVisit::begins_with(std::as_bytes(first))) return;
    TcpSocket& socket = stream->socket();
    const HttpAnswer answer = http_answer(
        {.status = 400, .text = "This port speaks TLS: qvid play, qvid call, or https://...\n"},
        false);
    error_code ignored;
    socket.write_some(asio::buffer(answer.text), ignored);
    socket.shutdown(TcpSocket::shutdown_send, ignored);
    // What is unread when the socket is closed would take the answer along.
    std::array<char, HttpVisit::kMost> rest{};
    socket.read_some(asio::buffer(rest), ignored);
  }

  std::string where() const {
    return check ? "the server at " + check->name() : "the client at " + peer;
  }

  static ConnectError untrusted(std::string refusal) {
    return {.message = std::move(refusal),
            .permanent = true,
            .untrusted = true,
            .stage = ConnectError::Stage::identity};
  }
  ConnectError wrong_protocol() const {
    return {
        .message = where() + (check ? " speaks TLS but not Paceline 2: it is another service, or "
                                      "another version"
                                    : " did not ask for Paceline 2 (ALPN)"),
        .permanent = check != nullptr,
        .stage = ConnectError::Stage::protocol};
  }

  ConnectError failure() const {
    if (check && !check->refusal().empty()) {
      return untrusted(check->refusal());
    }
    const std::string_view first(stream->first_bytes().data(), stream->first_bytes().size());
    if (!first.empty() && first[0] != kHandshake && first[0] != kAlert) return not_tls(first);
    const error_code& error = stream->error();
    if (error == asio::error::eof) {
      return {.message = where() + " closed the connection during the TLS handshake"};
    }
    const std::string failed = "the TLS handshake with " + where() + " failed: ";
    if (error.category() != asio::error::get_ssl_category()) {
      return {.message = failed + error.message()};
    }
    const auto code = static_cast<unsigned long>(static_cast<unsigned>(error.value()));
    const int reason = ERR_GET_REASON(code);
    if (reason == kAlertNoApplicationProtocol || reason == SSL_R_NO_APPLICATION_PROTOCOL) {
      return wrong_protocol();
    }
    if (reason == kAlertProtocolVersion || reason == SSL_R_UNSUPPORTED_PROTOCOL) {
      return {.message = where() + " does not speak TLS 1.3",
              .permanent = check != nullptr,
              .stage = ConnectError::Stage::protocol};
    }
    if (reason == kAlertBadCertificate && !check) {
      return {.message = where() + " does not trust this server's key"};
    }
    const char* text = ERR_reason_error_string(code);
    return {.message = failed + (text ? text : error.message())};
  }

  ConnectError not_tls(std::string_view first) const {
    if (check) {
      return {.message = where() +
                         " does not use TLS; --insecure connects without, and then anyone on the "
                         "way can watch and change all of it",
              .permanent = true};
    }
    const bool paceline =
        first.size() >= kRecordHeader && std::string_view("PACELINE").starts_with(first);
    return {.message =
                where() + (paceline ? " speaks Paceline without TLS: it was started with --insecure"
                                    : " does not speak TLS")};
  }

  void fail_later(ConnectError error) {
    asio::post(timer.get_executor(),
               [self = shared_from_this(), error = std::move(error)] { self->end(error); });
  }
  void end(std::variant<std::unique_ptr<Connection>, ConnectError> result) {
    OnConnection then = std::exchange(done, nullptr);
    give_up();
    if (then) then(std::move(result));
  }
  void give_up() {
    done = nullptr;
    timer.cancel();
    error_code ignored;
    if (stream) stream->socket().close(ignored);
  }

  asio::steady_timer timer;
  std::string peer;
  std::unique_ptr<TlsStream> stream;  // until it is a connection's
  std::shared_ptr<ServerCheck> check;
  OnConnection done;
};

Handshake Handshake::server(TcpSocket socket, const std::shared_ptr<Identity>& identity,
                            qvid::Duration timeout, OnConnection done, std::string peer) {
  Handshake handshake(std::make_shared<Attempt>(std::move(socket), identity->context(), nullptr,
                                                std::move(done), std::move(peer)));
  handshake.attempt_->start(timeout);
  return handshake;
}

Handshake Handshake::client(TcpSocket socket, std::shared_ptr<Trust> trust, const std::string& host,
                            std::uint16_t port, qvid::Duration timeout, OnConnection done) {
  auto check = std::make_shared<ServerCheck>(std::move(trust), host, port);
  SSL_CTX* context = check->context();
  Handshake handshake(
      std::make_shared<Attempt>(std::move(socket), context, std::move(check), std::move(done)));
  handshake.attempt_->start(timeout);
  return handshake;
}

Handshake::Handshake(std::shared_ptr<Attempt> attempt) : attempt_(std::move(attempt)) {}
Handshake::Handshake(Handshake&&) noexcept = default;
Handshake& Handshake::operator=(Handshake&& other) noexcept {
  std::swap(attempt_, other.attempt_);  // the other gives up what was ours
  return *this;
}
Handshake::~Handshake() {
  if (attempt_) attempt_->give_up();
}

}  // namespace paceline
