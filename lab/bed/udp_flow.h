// Datagrams that nothing holds back: a constant bit rate (kCbr: 1000 B each, evenly spaced; kPulses: the
// same for a moment each 5 s), or the
// frames of a video (kVideo, kFrames), cut into 1000 B. The unresponsive flow of 004.
#pragma once

#include <memory>

#include "lab/bed/flow_ends.h"

namespace qvid::lab {

std::unique_ptr<NearEnd> make_udp_near(boost::asio::io_context& io, const FlowSetting& setting);
std::unique_ptr<FarEnd> make_udp_far(boost::asio::io_context& io, const FlowSetting& setting);

}  // namespace qvid::lab
