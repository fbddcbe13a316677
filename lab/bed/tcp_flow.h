// A plain TCP flow: what an application does today that has only a socket. It writes the most
// important unit that is due whenever the socket takes more; what is in the socket can no longer be
// taken back. The receiver answers with the number of bytes it has read (8 bytes, big-endian), as
// Paceline's P-ACKs do.
#pragma once

#include <memory>

#include "lab/bed/flow_ends.h"
#include "lab/bed/tcp_options.h"

namespace qvid::lab {

std::unique_ptr<NearEnd> make_tcp_near(boost::asio::io_context& io, const FlowSetting& setting,
                                       const TcpOptions& options);
std::unique_ptr<FarEnd> make_tcp_far(boost::asio::io_context& io, const FlowSetting& setting);

}  // namespace qvid::lab
