#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <vector>

#include "lab/bed/ledger.h"
#include "lab/bed/tcp_flow.h"

namespace qvid::lab {
namespace {

using tcp = boost::asio::ip::tcp;

constexpr std::size_t kRead = 64 * 1024;

class TcpFar : public FarEnd {
 public:
  TcpFar(boost::asio::io_context& io, const FlowSetting& setting)
      : ledger_(setting.clock, setting.spec, setting.on_unit),
        acceptor_(io),
        socket_(io),
        buffer_(kRead) {
    acceptor_.open(tcp::v4());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind({tcp::v4(), setting.port});
    acceptor_.listen();
    acceptor_.async_accept(socket_, [this](const boost::system::error_code& error) {
      if (ended_ || error == boost::asio::error::operation_aborted) return;
      if (error) {
        error_ = "could not accept: " + error.message();
        return;
      }
      socket_.non_blocking(true);
      socket_.set_option(tcp::no_delay(true));
      read();
    });
  }

  void end() override {
    ended_ = true;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    socket_.close(ignored);
  }
  void fill(FlowResult& result, std::uint32_t frames) const override {
    ledger_.fill(result, frames);
    if (result.error.empty()) result.error = error_;
  }

 private:
  void read() {
    socket_.async_read_some(boost::asio::buffer(buffer_),
                            [this](const boost::system::error_code& error, std::size_t bytes) {
                              if (error || ended_) return;
                              if (on_read({buffer_.data(), bytes})) read();
                            });
  }

  bool on_read(std::span<const std::byte> bytes) {
    const Timestamp now = RunClock::now();
    received_ += bytes.size();
    ledger_.on_bytes(static_cast<std::int64_t>(bytes.size()), now);
    while (!bytes.empty()) {
      if (header_.size() < Adu::kHeader) {
        const std::size_t take = std::min(bytes.size(), Adu::kHeader - header_.size());
        header_.insert(header_.end(), bytes.begin(), bytes.begin() + static_cast<long>(take));
        bytes = bytes.subspan(take);
        if (header_.size() < Adu::kHeader) break;
        const std::optional<Adu> adu = Adu::parse(header_);
        if (!adu) {
          error_ = "what came is no unit of the experiment";
          end();
          return false;
        }
        adu_ = *adu;
        left_ = adu_.bytes - Adu::kHeader;
      }
      const std::size_t take = std::min(bytes.size(), left_);
      left_ -= take;
      bytes = bytes.subspan(take);
      if (left_ == 0) {
        ledger_.on_adu(adu_, now);
        header_.clear();
      }
    }
    acknowledge();
    return true;
  }

  // Counts are cumulative: one that finds the socket full, or is cut, is made good by the next, as
  // long as the rest of one that was cut goes first.
  void acknowledge() {
    if (ack_.empty()) ByteWriter(ack_).u64(received_);
    boost::system::error_code error;
    const std::size_t sent = socket_.write_some(boost::asio::buffer(ack_), error);
    if (!error) ack_.erase(ack_.begin(), ack_.begin() + static_cast<long>(sent));
  }

  Ledger ledger_;
  tcp::acceptor acceptor_;
  tcp::socket socket_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> header_;
  std::vector<std::byte> ack_;  // what is left to be sent of one
  Adu adu_;
  std::size_t left_ = 0;
  std::uint64_t received_ = 0;
  bool ended_ = false;
  std::string error_;
};

}  // namespace

std::unique_ptr<FarEnd> make_tcp_far(boost::asio::io_context& io, const FlowSetting& setting) {
  return std::make_unique<TcpFar>(io, setting);
}

}  // namespace qvid::lab
