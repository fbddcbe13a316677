#include "lab/bed/quic_flow.h"

#include <utility>

#include "lab/bed/frame_timer.h"
#include "lab/bed/quic_messages.h"
#include "lab/bed/quic_socket.h"

namespace qvid::lab {
namespace {

using boost::asio::ip::udp;

class QuicNear : public NearEnd {
 public:
  QuicNear(boost::asio::io_context& io, const FlowSetting& setting)
      : setting_(setting),
        tls_(QuicTls::Role::kClient),
        sender_(setting.spec, setting.clock, setting.seed),
        socket_(io),
        frames_(io, [this](Timestamp now) {
          sender_.capture(now);
          socket_.pump();
        }) {}

  void begin() override {
    const Timestamp now = RunClock::now();
    const QuicCongestion congestion =
        setting_.spec.sender == "quic-bbr" ? QuicCongestion::kBbr : QuicCongestion::kCubic;
    socket_.connect({boost::asio::ip::make_address(kFarAddress), setting_.port},
                    QuicEngine::connect(tls_, sender_, congestion, now));
    begun_ = true;
  }
  void end() override {
    ended_ = true;
    frames_.stop();
    socket_.close();
  }
  void sample(Timestamp now) override {
    if (!begun_ || ended_) return;
    if (socket_.engine()->over()) {
      error_ = socket_.engine()->why();
      return end();
    }
    if (!started_ && socket_.engine()->established()) {
      started_ = true;
      if (!sender_.greedy()) frames_.start(now);
    }
    if (sender_.due() <= now) socket_.pump();
    sender_.sample(now);
  }
  void fill(FlowResult& result) const override {
    sender_.unacked().fill(result.slots);
    if (result.error.empty()) result.error = error_;
  }
  std::uint32_t frames() const override { return sender_.frames(); }

 private:
  FlowSetting setting_;
  QuicTls tls_;
  QuicSender sender_;
  QuicSocket socket_;
  FrameTimer frames_;
  bool begun_ = false;
  bool started_ = false;  // the connection is established
  bool ended_ = false;
  std::string error_;
};

class QuicFar : public FarEnd {
 public:
  QuicFar(boost::asio::io_context& io, const FlowSetting& setting)
      : tls_(QuicTls::Role::kServer), receiver_(setting.spec, setting.clock), socket_(io) {
    socket_.listen({udp::v4(), setting.port},
                   [this](std::span<const std::byte> first, Timestamp now) {
                     return QuicEngine::accept(tls_, receiver_, first, now);
                   });
  }
  void end() override { socket_.close(); }
  void fill(FlowResult& result, std::uint32_t frames) const override {
    receiver_.ledger().fill(result, frames);
  }

 private:
  QuicTls tls_;
  QuicReceiver receiver_;
  QuicSocket socket_;
};

}  // namespace

std::string missing_for_quic() { return {}; }

std::unique_ptr<NearEnd> make_quic_near(boost::asio::io_context& io, const FlowSetting& setting) {
  return std::make_unique<QuicNear>(io, setting);
}
std::unique_ptr<FarEnd> make_quic_far(boost::asio::io_context& io, const FlowSetting& setting) {
  return std::make_unique<QuicFar>(io, setting);
}

}  // namespace qvid::lab
