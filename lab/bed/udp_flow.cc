#include "lab/bed/udp_flow.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <vector>

#include "base/clock.h"
#include "lab/bed/datagrams.h"
#include "lab/bed/frame_timer.h"
#include "lab/bed/ledger.h"

namespace qvid::lab {
namespace {

using boost::asio::ip::udp;

constexpr std::uint32_t kDatagram = 1000;  // bytes of UDP payload
// Of Goddard's frames: 1 KB and the header, so that one of 8 KB is eight (004 section 5.2.3).
constexpr std::uint32_t kFragment = 1024;
constexpr Duration kTick = Duration(5'000'000);
// When flows of PACE look whether the queue is empty (transport/control/pace_ticks.cc), and for longer
// than they do.
constexpr Duration kPulseEvery = Duration(5'000'000'000);
constexpr Duration kPulse = Duration(250'000'000);

class UdpNear : public NearEnd {
 public:
  UdpNear(boost::asio::io_context& io, const FlowSetting& setting)
      : setting_(setting),
        socket_(io),
        timer_(io),
        video_(setting.spec.rate, setting.seed),
        frames_timer_(io, [this](Timestamp now) { send_frame(now); }) {}

  void begin() override {
    socket_.open(udp::v4());
    socket_.connect({boost::asio::ip::make_address(kFarAddress), setting_.port});
    socket_.non_blocking(true);
    switch (setting_.spec.workload) {
      case Workload::kGoddard: break;
      case Workload::kCbr:
      case Workload::kPulses:
        next_ = when_due(RunClock::now());
        tick();
        break;
      default: frames_timer_.start(RunClock::now());
    }
  }
  void end() override {
    timer_.cancel();
    frames_timer_.stop();
    boost::system::error_code ignored;
    socket_.close(ignored);
  }
  bool offer(const Adu& frame, Timestamp now) override {
    send(frame, now, kFragment);
    return true;
  }
  void fill(FlowResult& result) const override { result.sent = sent_; }
  std::uint32_t frames() const override { return frames_; }

 private:
  // What was due since the last tick, each at its own time.
  void tick() {
    const Timestamp now = RunClock::now();
    while (next_ <= now) {
      send({.bytes = kDatagram, .frame = number_++, .produced = next_}, next_);
      next_ = when_due(next_ + setting_.spec.rate.transfer_time(ByteCount(kDatagram)));
    }
    timer_.expires_at(std::max(next_, now + kTick));
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) tick();
    });
  }
  // Then, or at the next pulse's begin.
  Timestamp when_due(Timestamp when) const {
    if (setting_.spec.workload != Workload::kPulses) return when;
    const Duration since = (when.time_since_epoch() + wall_clock_) % kPulseEvery;
    return since < kPulse ? when : when + kPulseEvery - since;
  }
  void send_frame(Timestamp now) {
    frames_ += setting_.clock.frame_counts(now, setting_.spec.window);
    if (setting_.spec.workload == Workload::kFrames) {
      const auto bytes =
          static_cast<std::uint32_t>(setting_.spec.rate.bytes_in(kFrameTime).value());
      return send({.bytes = bytes, .frame = number_++, .produced = now}, now);
    }
    for (const Adu& adu : video_.next(now)) send(adu, now);
  }
  void send(const Adu& adu, Timestamp now, std::size_t most = kDatagram) {
    for (const std::vector<std::byte>& datagram : cut(adu, most)) {
      boost::system::error_code ignored;  // what does not go is lost, as in the network
      socket_.send(boost::asio::buffer(datagram), 0, ignored);
      sent_ += setting_.clock.measured(now);
    }
  }

  FlowSetting setting_;
  udp::socket socket_;
  boost::asio::steady_timer timer_;
  LayeredVideo video_;
  FrameTimer frames_timer_;
  const Duration wall_clock_ = wall_clock_ahead();
  Timestamp next_{};
  std::uint32_t number_ = 0;
  std::uint32_t frames_ = 0;
  std::uint64_t sent_ = 0;
};

class UdpFar : public FarEnd {
 public:
  UdpFar(boost::asio::io_context& io, const FlowSetting& setting)
      : setting_(setting),
        ledger_(setting.clock, setting.spec, setting.on_unit),
        socket_(io, udp::endpoint(udp::v4(), setting.port)),
        buffer_(64 * 1024) {
    receive();
  }
  void end() override {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }
  void fill(FlowResult& result, std::uint32_t frames) const override {
    ledger_.fill(result, frames);
    result.received = received_;
  }

 private:
  void receive() {
    socket_.async_receive(boost::asio::buffer(buffer_),
                          [this](const boost::system::error_code& error, std::size_t bytes) {
                            if (error) return;
                            const Timestamp now = RunClock::now();
                            ledger_.on_bytes(static_cast<std::int64_t>(bytes), now);
                            if (auto adu = collector_.on_datagram({buffer_.data(), bytes})) {
                              // By its own time, as sent_ is: no more are received than sent.
                              received_ += setting_.clock.measured(adu->produced);
                              ledger_.on_adu(*adu, now);
                            }
                            receive();
                          });
  }

  FlowSetting setting_;
  Ledger ledger_;
  Collector collector_;
  udp::socket socket_;
  std::vector<std::byte> buffer_;
  std::uint64_t received_ = 0;
};

}  // namespace

std::unique_ptr<NearEnd> make_udp_near(boost::asio::io_context& io, const FlowSetting& setting) {
  return std::make_unique<UdpNear>(io, setting);
}
std::unique_ptr<FarEnd> make_udp_far(boost::asio::io_context& io, const FlowSetting& setting) {
  return std::make_unique<UdpFar>(io, setting);
}

}  // namespace qvid::lab
