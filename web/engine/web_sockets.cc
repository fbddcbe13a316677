#include "web/engine/web_sockets.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "transport/socket/connection.h"
#include "transport/socket/timer.h"
#include "transport/tls/dial.h"
#include "web/engine/browser.h"

namespace paceline {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Of one message: intermediaries copy and check messages whole.
constexpr std::size_t kMessageSize = 16 * 1024;

// One of the browser's sockets, from the first attempt to its end.
struct WebSocket : std::enable_shared_from_this<WebSocket> {
  explicit WebSocket(asio::io_context& on) : io(on), number(qvid_js_socket_open()) {}
  ~WebSocket() { close(); }
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  void close() {
    if (std::exchange(closed, true)) return;
    qvid_js_socket_close(number);
    reader = nullptr;
    writer = nullptr;
    dialled = nullptr;
  }

  void on_message(std::span<const std::byte> bytes) {
    if (closed || ended) return;
    if (unread() + bytes.size() > qvid::web::kMostUnread) return on_end();
    input.erase(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(std::exchange(read, 0)));
    input.insert(input.end(), bytes.begin(), bytes.end());
    serve_reader();
  }

  void on_end() {
    ended = true;
    if (dialled) std::exchange(dialled, nullptr)(false);
    serve_reader();
    if (auto done = std::exchange(writer, nullptr)) tell(std::move(done), asio::error::eof, 0);
  }

  std::size_t unread() const { return input.size() - read; }

  void serve_reader() {
    if (!reader || (unread() == 0 && !ended)) return;
    const std::size_t size = std::min(unread(), into.size());
    std::copy_n(input.begin() + static_cast<std::ptrdiff_t>(read), size, into.begin());
    read += size;
    tell(std::exchange(reader, nullptr), size == 0 ? asio::error::eof : error_code(), size);
  }

  // True: as good as all has left.
  bool send(const std::vector<asio::const_buffer>& buffers) {
    std::vector<std::byte> message;
    int waiting = 0;
    sending = asio::buffer_size(buffers);
    for (const asio::const_buffer& buffer : buffers) {
      std::span rest(static_cast<const std::byte*>(buffer.data()), buffer.size());
      while (!rest.empty()) {
        const std::size_t part = std::min(rest.size(), kMessageSize - message.size());
        message.insert(message.end(), rest.begin(),
                       rest.begin() + static_cast<std::ptrdiff_t>(part));
        rest = rest.subspan(part);
        if (message.size() < kMessageSize) continue;
        waiting = give(message);
      }
    }
    if (!message.empty()) waiting = give(message);
    return waiting <= qvid::web::kMostWaiting;
  }
  int give(std::vector<std::byte>& message) {
    const int waiting =
        qvid_js_socket_send(number, message.data(), static_cast<int>(message.size()));
    message.clear();
    return waiting;
  }

  void look() {
    if (!writer || qvid_js_socket_waiting(number) > qvid::web::kMostWaiting) return;
    tell(std::exchange(writer, nullptr), {}, sending);
  }

  void tell(Connection::OnDone done, error_code error, std::size_t bytes) {
    asio::post(io, [self = shared_from_this(), done = std::move(done), error, bytes] {
      if (!self->closed) done(error, bytes);
    });
  }

  asio::io_context& io;
  const int number;
  std::function<void(bool open)> dialled;
  Connection::OnDone reader;
  std::span<std::byte> into;  // the reader's
  Connection::OnDone writer;
  std::size_t sending = 0;  // bytes
  std::vector<std::byte> input;
  std::size_t read = 0;  // of input
  bool ended = false;    // the other end's
  bool closed = false;   // ours
};

std::map<int, std::weak_ptr<WebSocket>> sockets;

std::shared_ptr<WebSocket> new_socket(asio::io_context& io) {
  auto socket = std::make_shared<WebSocket>(io);
  std::erase_if(sockets, [](const auto& entry) { return entry.second.expired(); });
  sockets[socket->number] = socket;
  return socket;
}

std::shared_ptr<WebSocket> find_socket(int number) {
  const auto it = sockets.find(number);
  return it == sockets.end() ? nullptr : it->second.lock();
}

class WebConnection final : public Connection {
 public:
  WebConnection(std::shared_ptr<WebSocket> socket, std::string peer)
      : Connection(std::move(peer), "the browser's"), socket_(std::move(socket)) {}
  ~WebConnection() override { socket_->close(); }

  void read_some(std::span<std::byte> into, OnDone done) override {
    socket_->into = into;
    socket_->reader = std::move(done);
    socket_->serve_reader();
  }
  void write(const std::vector<asio::const_buffer>& buffers, OnDone done) override {
    if (write_now(buffers, done)) socket_->tell(std::move(done), {}, asio::buffer_size(buffers));
  }
  bool write_now(const std::vector<asio::const_buffer>& buffers, OnDone done) override {
    if (!socket_->ended && socket_->send(buffers)) return true;
    if (socket_->ended) {
      socket_->tell(std::move(done), asio::error::eof, 0);
    } else {
      socket_->writer = std::move(done);
    }
    return false;
  }
  // The browser sends all that it has taken before it closes; the other end answers with its own
  // close, and the session's linger closes ours.
  void shut_down() override {}
  void close(bool) override { socket_->close(); }
  bool is_open() const override { return !socket_->closed; }
  int native_handle() override { return socket_->number; }
  bool move_to(asio::io_context&) override { return false; }

 private:
  std::shared_ptr<WebSocket> socket_;
};

}  // namespace

// The browser looks names up, goes through proxies and checks certificates; why it did not come about
// it tells no page.
struct Dial::State {
  State(asio::io_context& io, const DialOptions& options, OnConnection then)
      : socket(new_socket(io)), timer(io), done(std::move(then)) {
    timer.after(options.timeout, [this] { end(false); });
  }
  void end(bool open) {
    timer.cancel();
    socket->dialled = nullptr;
    const OnConnection then = std::exchange(done, nullptr);
    if (!then) return;
    if (open) return then(std::make_unique<WebConnection>(std::move(socket), peer));
    socket->close();
    then(ConnectError{.message = "cannot connect to " + peer, .stage = ConnectError::Stage::tcp});
  }

  std::shared_ptr<WebSocket> socket;
  Timer timer;
  OnConnection done;
  std::string peer;
};

Dial::Dial(asio::io_context& io, const Address& address, const DialOptions& options,
           OnConnection done)
    : state_(std::make_shared<State>(io, options, std::move(done))) {
  state_->peer = address.text();
  state_->socket->dialled = [weak = std::weak_ptr(state_), &io](bool open) {
    asio::post(io, [weak, open] {
      if (const auto state = weak.lock()) state->end(open);
    });
  };
}

Dial::~Dial() {
  state_->timer.cancel();
  state_->done = nullptr;
  if (state_->socket) state_->socket->close();
}

}  // namespace paceline

namespace qvid::web {

void on_socket_open(int number) {
  const auto socket = paceline::find_socket(number);
  if (socket && socket->dialled) std::exchange(socket->dialled, nullptr)(true);
}

void on_socket_message(int number, std::span<const std::byte> bytes) {
  if (const auto socket = paceline::find_socket(number)) socket->on_message(bytes);
}

void on_socket_closed(int number) {
  if (const auto socket = paceline::find_socket(number)) socket->on_end();
}

void look_at_sockets() {
  for (const auto& [number, weak] : paceline::sockets) {
    if (const auto socket = weak.lock(); socket && !socket->closed) socket->look();
  }
}

}  // namespace qvid::web
