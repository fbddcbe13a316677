// SRT (libsrt) in live mode with its default latency of 120 ms, as a rival for video: units are cut
// into its packets of 1316 bytes; what is later than the latency it drops. It has no idea of layers
// and takes all that the encoder makes.
#pragma once

#include <memory>

#include "lab/bed/flow_ends.h"

namespace qvid::lab {

std::unique_ptr<NearEnd> make_srt_near(boost::asio::io_context& io, const FlowSetting& setting);
std::unique_ptr<FarEnd> make_srt_far(boost::asio::io_context& io, const FlowSetting& setting);

}  // namespace qvid::lab
