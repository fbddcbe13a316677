// Goddard around a flow's two ends: the frames go as the flow's sender sends them, and beside it are,
// as in the thesis, a control connection by TCP and pairs of datagrams.
//
//   control, far to near:   kind (1)  scale (1)  buffering (1)
//   pair, near to far:      pair (1)  which of the two (1)  filler     kPairPacket bytes of payload
//
// The near end dials the control connection, as it dials all; the client opens the video when it is
// there. Bounds: one pair and the newest request at a time.
#pragma once

#include <functional>
#include <memory>

#include "lab/bed/flow_ends.h"

namespace qvid::lab {

// `media` takes the frames, by offer.
std::unique_ptr<NearEnd> make_goddard_near(boost::asio::io_context& io, const FlowSetting& setting,
                                           std::unique_ptr<NearEnd> media);
// `make_media` is called once, with a setting that tells the client of what arrives.
std::unique_ptr<FarEnd> make_goddard_far(
    boost::asio::io_context& io, const FlowSetting& setting,
    const std::function<std::unique_ptr<FarEnd>(const FlowSetting&)>& make_media);

}  // namespace qvid::lab
