#include "lab/bed/flow_ends.h"

#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "lab/bed/download.h"
#include "lab/bed/goddard_ends.h"
#include "lab/bed/quic_flow.h"
#include "lab/bed/session_flow.h"
#include "lab/bed/srt_flow.h"
#include "lab/bed/tcp_flow.h"
#include "lab/bed/transfers.h"
#include "lab/bed/udp_flow.h"

namespace qvid::lab {
namespace {

bool transfers(const FlowSpec& spec) {
  return spec.workload == Workload::kMice || spec.workload == Workload::kWeb ||
         spec.workload == Workload::kChunks;
}

void require(const FlowSpec& spec) {
  if (const auto error = check_sender(spec)) throw std::invalid_argument(error->message);
}

std::unique_ptr<NearEnd> near_end_of(boost::asio::io_context& io, const FlowSetting& setting) {
  const FlowSpec& spec = setting.spec;
  if (transfers(spec)) return make_transfers_near(io, setting);
  if (spec.workload == Workload::kDownload) return make_download_near(io, setting);
  if (spec.sender == "udp") return make_udp_near(io, setting);
  if (spec.sender == "srt") return make_srt_near(io, setting);
  if (is_quic(spec.sender)) return make_quic_near(io, setting);
  if (const auto options = tcp_options_of(spec.sender)) return make_tcp_near(io, setting, *options);
  return make_session_near(io, setting, *session_config_of(spec.sender));
}

std::unique_ptr<FarEnd> far_end_of(boost::asio::io_context& io, const FlowSetting& setting) {
  const FlowSpec& spec = setting.spec;
  if (transfers(spec)) return make_transfers_far(io, setting);
  if (spec.workload == Workload::kDownload) return make_download_far(io, setting);
  if (spec.sender == "udp") return make_udp_far(io, setting);
  if (spec.sender == "srt") return make_srt_far(io, setting);
  if (is_quic(spec.sender)) return make_quic_far(io, setting);
  if (tcp_options_of(spec.sender)) return make_tcp_far(io, setting);
  return make_session_far(io, setting, *session_config_of(spec.sender));
}

}  // namespace

std::optional<Error> check_sender(const FlowSpec& spec) {
  const auto plain = tcp_options_of(spec.sender);
  const bool stream = plain || session_config_of(spec.sender);
  const bool quic = is_quic(spec.sender);
  if (!stream && !quic && spec.sender != "srt" && spec.sender != "udp") {
    return Error{
        "there is no sender " + in_quotes(spec.sender) +
        ": choose pace, adapt, sock, mtp or none (with +fo for failover, +udp for datagrams), cubic, reno, bbr, "
        "lowat, m10, m13, m20, quic, quic-bbr, srt or udp"};
  }
  if (quic && !missing_for_quic().empty()) {
    return Error{"this was built without QUIC, which needs " + missing_for_quic()};
  }
  if (spec.streams < 1 || spec.streams > kMostStreams ||
      (spec.streams > 1 &&
       (!session_config_of(spec.sender) || spec.workload != Workload::kVideo))) {
    return Error{"only a session's videos can be on several streams, at most " +
                 std::to_string(kMostStreams)};
  }
  if (spec.clock_error > Duration::zero() && !session_config_of(spec.sender)) {
    return Error{"the sender " + in_quotes(spec.sender) +
                 " has no clock that could be wrong: only sessions look at it"};
  }
  bool able = false;
  switch (spec.workload) {
    case Workload::kGreedy: able = stream || quic; break;
    case Workload::kVideo: able = true; break;
    case Workload::kMice:
    case Workload::kChunks:
    case Workload::kWeb: able = spec.sender == "cubic" || spec.sender == "reno"; break;
    case Workload::kDownload: able = plain && !plain->min_buf; break;
    case Workload::kFrames:
    case Workload::kPulses:
    case Workload::kCbr: able = spec.sender == "udp"; break;
    case Workload::kGoddard: able = stream || spec.sender == "udp"; break;
  }
  if (able) return std::nullopt;
  return Error{"the sender " + in_quotes(spec.sender) + " cannot carry this workload"};
}

std::unique_ptr<NearEnd> make_near_end(boost::asio::io_context& io, const FlowSetting& setting) {
  require(setting.spec);
  std::unique_ptr<NearEnd> end = near_end_of(io, setting);
  if (setting.spec.workload != Workload::kGoddard) return end;
  return make_goddard_near(io, setting, std::move(end));
}

std::unique_ptr<FarEnd> make_far_end(boost::asio::io_context& io, const FlowSetting& setting) {
  require(setting.spec);
  if (setting.spec.workload != Workload::kGoddard) return far_end_of(io, setting);
  return make_goddard_far(io, setting,
                          [&io](const FlowSetting& with) { return far_end_of(io, with); });
}

}  // namespace qvid::lab
