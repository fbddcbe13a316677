// Short transfers, one after the other, each on a connection of its own: the mice of 001 (20 kB,
// again and again) and the web sessions of 004 chapter 4 (pages of two objects, Pareto with shape
// 1.2 and a mean of 5 kB, with thinking times of 7 s on average between them).
//
// The near end has the data, since the bottleneck is on its way to the far end.
#pragma once

#include <memory>

#include "lab/bed/flow_ends.h"

namespace qvid::lab {

std::unique_ptr<NearEnd> make_transfers_near(boost::asio::io_context& io,
                                             const FlowSetting& setting);
std::unique_ptr<FarEnd> make_transfers_far(boost::asio::io_context& io, const FlowSetting& setting);

}  // namespace qvid::lab
