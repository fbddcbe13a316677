// A greedy TCP flow from far to near: what comes down a line while others send up, and fills their way
// with its acknowledgements. The near end connects, as all do.
#pragma once

#include <memory>

#include "lab/bed/flow_ends.h"

namespace qvid::lab {

std::unique_ptr<NearEnd> make_download_near(boost::asio::io_context& io,
                                            const FlowSetting& setting);
std::unique_ptr<FarEnd> make_download_far(boost::asio::io_context& io, const FlowSetting& setting);

}  // namespace qvid::lab
