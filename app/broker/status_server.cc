#include "app/broker/status_server.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <utility>

#include "base/ascii.h"

namespace qvid::app {

namespace beast = boost::beast;
namespace http = boost::beast::http;

// One socket, one request. Its handlers hold it; the server that is gone has closed it.
class StatusServer::Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(StatusServer& server, paceline::TcpSocket socket)
      : server_(&server), stream_(std::move(socket)), buffer_(kMaxRequest) {
    parser_.header_limit(kMaxRequest);
    parser_.body_limit(kMaxRequest);
  }

  void read() {
    stream_.expires_after(server_->timeout_);
    http::async_read(stream_, buffer_, parser_,
                     [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                       self->on_read(error);
                     });
  }
  // The server goes, or has no more use for it.
  void close() {
    server_ = nullptr;
    stream_.close();
  }

 private:
  void on_read(const beast::error_code& error) {
    if (server_ == nullptr) return;
    if (error) return leave();
    answer();
    http::async_write(stream_, response_,
                      [self = shared_from_this()](const beast::error_code&, std::size_t) {
                        if (self->server_ != nullptr) self->leave();
                      });
  }

  Request request() {
    const auto& header = parser_.get();
    const std::string_view target(header.target().data(), header.target().size());
    constexpr std::string_view kBearer = "Bearer ";
    std::string token(header[http::field::authorization]);
    token = is_same_word(token.substr(0, kBearer.size()), kBearer) ? token.substr(kBearer.size())
                                                                   : std::string();
    beast::error_code gone;
    const auto from = stream_.socket().remote_endpoint(gone);
    return {
        .path = std::string(target.substr(0, target.find('?'))),
        .posts = header.method() == http::verb::post,
        .token = std::move(token),
        .of_browser = header.count(http::field::origin) > 0 || header.count("Sec-Fetch-Site") > 0,
        .body = std::move(parser_.get().body()),
        .from = gone ? paceline::Address()
                     : paceline::Address{.host = from.address().to_string(), .port = from.port()}};
  }

  void answer() {
    const http::verb method = parser_.get().method();
    std::optional<Page> page;
    if (method != http::verb::get && method != http::verb::head && method != http::verb::post) {
      page = Page{.status = 405, .body = "only GET, HEAD and POST\n"};
    } else {
      page = server_->pages_(request());
    }
    if (!page) page = Page{.status = 404, .body = "there is no such page\n"};
    response_.version(parser_.get().version());
    response_.result(page->status);
    response_.set(http::field::content_type, page->type);
    response_.set(http::field::cache_control, "no-store");
    response_.keep_alive(false);
    response_.content_length(page->body.size());
    if (method != http::verb::head) response_.body() = std::move(page->body);
  }

  void leave() {
    beast::error_code ignored;
    stream_.socket().shutdown(paceline::TcpSocket::shutdown_send, ignored);
    StatusServer* server = server_;
    close();
    // The handler that called this holds it.
    std::erase_if(server->exchanges_, [&](const auto& c) { return c.get() == this; });
  }

  StatusServer* server_;  // empty: closed
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request_parser<http::string_body> parser_;
  http::response<http::string_body> response_;
};

Result<std::unique_ptr<StatusServer>> StatusServer::open(boost::asio::io_context& io,
                                                         const paceline::Address& listen,
                                                         Pages pages,
                                                         paceline::Listener::OnTrouble on_trouble,
                                                         Duration timeout) {
  std::unique_ptr<StatusServer> server(new StatusServer(std::move(pages), timeout));
  auto listener = paceline::Listener::open(
      io, listen,
      [raw = server.get()](paceline::TcpSocket socket) { raw->on_socket(std::move(socket)); },
      std::move(on_trouble));
  if (!listener) return listener.error();
  server->listener_ = *std::move(listener);
  return server;
}

StatusServer::~StatusServer() {
  for (const auto& exchange : exchanges_) exchange->close();
}

void StatusServer::on_socket(paceline::TcpSocket socket) {
  if (exchanges_.size() >= kMaxExchanges) return;  // closed unheard
  exchanges_.push_back(std::make_shared<Exchange>(*this, std::move(socket)));
  exchanges_.back()->read();
}

}  // namespace qvid::app
