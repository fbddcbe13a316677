#include "lab/bed/download.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <vector>

#include "lab/bed/ledger.h"
#include "lab/bed/tcp_options.h"

namespace qvid::lab {
namespace {

using tcp = boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kBuffer = 64 * 1024;  // bytes, a read or a write

class DownloadNear : public NearEnd {
 public:
  DownloadNear(boost::asio::io_context& io, const FlowSetting& setting)
      : setting_(setting), ledger_(setting.clock, setting.spec), socket_(io), buffer_(kBuffer) {}

  void begin() override {
    socket_.open(tcp::v4());
    socket_.async_connect({boost::asio::ip::make_address(kFarAddress), setting_.port},
                          [this](const error_code& error) {
                            if (ended_) return;
                            if (error) {
                              error_ = "could not connect: " + error.message();
                              return;
                            }
                            read();
                          });
  }
  void end() override {
    ended_ = true;
    error_code ignored;
    socket_.close(ignored);
  }
  void fill(FlowResult& result) const override {
    ledger_.fill(result, 0);
    if (result.error.empty()) result.error = error_;
  }

 private:
  void read() {
    socket_.async_read_some(boost::asio::buffer(buffer_),
                            [this](const error_code& error, std::size_t bytes) {
                              if (ended_) return;
                              ledger_.on_bytes(static_cast<std::int64_t>(bytes), RunClock::now());
                              if (!error) return read();
                              error_ = "the connection broke: " + error.message();
                            });
  }

  FlowSetting setting_;
  Ledger ledger_;
  tcp::socket socket_;
  std::vector<std::byte> buffer_;  // what comes is only counted
  std::string error_;
  bool ended_ = false;
};

class DownloadFar : public FarEnd {
 public:
  DownloadFar(boost::asio::io_context& io, const FlowSetting& setting)
      : acceptor_(io), socket_(io), buffer_(kBuffer) {
    acceptor_.open(tcp::v4());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind({tcp::v4(), setting.port});
    acceptor_.listen();
    acceptor_.async_accept(socket_, [this, setting](const error_code& error) {
      if (ended_ || error) return;
      TcpOptions options = *tcp_options_of(setting.spec.sender);
      options.segment = setting.spec.segment;
      apply(options, socket_.native_handle());
      write();
    });
  }
  void end() override {
    ended_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    socket_.close(ignored);
  }
  void fill(FlowResult&, std::uint32_t) const override {}

 private:
  void write() {
    boost::asio::async_write(socket_, boost::asio::buffer(buffer_),
                             [this](const error_code& error, std::size_t) {
                               if (!error && !ended_) write();
                             });
  }

  tcp::acceptor acceptor_;
  tcp::socket socket_;
  std::vector<std::byte> buffer_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<NearEnd> make_download_near(boost::asio::io_context& io,
                                            const FlowSetting& setting) {
  return std::make_unique<DownloadNear>(io, setting);
}
std::unique_ptr<FarEnd> make_download_far(boost::asio::io_context& io, const FlowSetting& setting) {
  return std::make_unique<DownloadFar>(io, setting);
}

}  // namespace qvid::lab
