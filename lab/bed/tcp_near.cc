#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <vector>

#include "lab/bed/frame_timer.h"
#include "lab/bed/oldest_unacked.h"
#include "lab/bed/source.h"
#include "lab/bed/tcp_flow.h"

namespace qvid::lab {
namespace {

using tcp = boost::asio::ip::tcp;

constexpr Duration kGateTime = Duration(1'000'000);  // between two looks at a closed MIN_BUF gate

class TcpNear : public NearEnd {
 public:
  TcpNear(boost::asio::io_context& io, const FlowSetting& setting, TcpOptions options)
      : setting_(setting),
        options_(std::move(options)),
        socket_(io),
        gate_(io),
        source_(setting.spec, setting.clock, setting.seed),
        unacked_(setting.clock),
        frames_(io, [this](Timestamp now) {
          source_.capture(now);
          pump();
        }) {}

  void begin() override {
    socket_.open(tcp::v4());
    apply(options_, socket_.native_handle());
    socket_.non_blocking(true);
    socket_.async_connect({boost::asio::ip::make_address(kFarAddress), setting_.port},
                          [this](const boost::system::error_code& error) {
                            if (error) return fail("could not connect: " + error.message());
                            if (ended_) return;
                            connected_ = true;
                            if (setting_.spec.workload == Workload::kVideo)
                              frames_.start(RunClock::now());
                            read_ack();
                            pump();
                          });
  }

  void end() override {
    ended_ = true;
    frames_.stop();
    gate_.cancel();
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

  void sample(Timestamp now) override { unacked_.sample(now); }
  // One at a time, as a write that blocks.
  bool offer(const Adu& frame, Timestamp /*now*/) override {
    if (!connected_ || ended_ || sent_ < unit_.size()) return false;
    unit_ = frame.encode();
    sent_ = 0;
    pump();
    return true;
  }

  void fill(FlowResult& result) const override {
    unacked_.fill(result.slots);
    if (result.error.empty()) result.error = error_;
  }
  std::uint32_t frames() const override { return source_.frames(); }

 private:
  void fail(const std::string& why) {
    if (!ended_) error_ = why;
    end();
  }

  void read_ack() {
    boost::asio::async_read(socket_, boost::asio::buffer(ack_),
                            [this](const boost::system::error_code& error, std::size_t) {
                              if (ended_) return;
                              if (error) return fail("the connection broke: " + error.message());
                              unacked_.on_acked(static_cast<std::int64_t>(ByteReader(ack_).u64()),
                                                RunClock::now());
                              read_ack();
                              if (options_.min_buf) pump();
                            });
  }

  // Whether the socket takes more; TCP_NOTSENT_LOWAT is known to poll alone, not to send.
  bool writable() {
    pollfd p{.fd = socket_.native_handle(), .events = POLLOUT, .revents = 0};
    return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) != 0;
  }

  void pump() {
    if (!connected_ || ended_) return;
    for (;;) {
      const Timestamp now = RunClock::now();
      if (sent_ == unit_.size()) {
        const std::optional<Adu> adu = source_.next(now);
        if (!adu) return;
        unit_ = adu->encode();
        sent_ = 0;
      }
      std::size_t most = unit_.size() - sent_;
      if (options_.min_buf) {
        const std::int64_t free = room(*options_.min_buf, socket_.native_handle());
        if (free <= 0) return wait_at_gate();
        most = std::min(most, static_cast<std::size_t>(free));
      }
      if (!writable()) return wait_writable();
      boost::system::error_code error;
      const std::size_t sent =
          socket_.write_some(boost::asio::buffer(unit_.data() + sent_, most), error);
      if (error == boost::asio::error::would_block) return wait_writable();
      if (error) return fail("the connection broke: " + error.message());
      sent_ += sent;
      unacked_.on_written(static_cast<std::int64_t>(sent), now);
    }
  }

  void wait_writable() {
    if (std::exchange(waiting_, true)) return;
    socket_.async_wait(tcp::socket::wait_write, [this](const boost::system::error_code& error) {
      waiting_ = false;
      if (!error) pump();
    });
  }
  void wait_at_gate() {
    if (std::exchange(gated_, true)) return;
    gate_.expires_after(kGateTime);
    gate_.async_wait([this](const boost::system::error_code& error) {
      gated_ = false;
      if (!error) pump();
    });
  }

  FlowSetting setting_;
  TcpOptions options_;
  tcp::socket socket_;
  boost::asio::steady_timer gate_;
  Source source_;
  OldestUnacked unacked_;
  FrameTimer frames_;
  std::vector<std::byte> unit_;
  std::size_t sent_ = 0;  // of unit_
  std::array<std::byte, 8> ack_{};
  bool connected_ = false;
  bool waiting_ = false;
  bool gated_ = false;
  bool ended_ = false;
  std::string error_;
};

}  // namespace

std::unique_ptr<NearEnd> make_tcp_near(boost::asio::io_context& io, const FlowSetting& setting,
                                       const TcpOptions& options) {
  TcpOptions with = options;
  with.segment = setting.spec.segment;
  return std::make_unique<TcpNear>(io, setting, std::move(with));
}

}  // namespace qvid::lab
