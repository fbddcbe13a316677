// QUIC (ngtcp2) as a rival: each unit a stream of its own (lab/bed/quic_messages.h), so nothing waits
// behind what was lost, and what is late is cancelled. "quic" has Cubic, ngtcp2's default, "quic-bbr"
// has its BBR. Where the build has no ngtcp2, lab/bed/quic_absent.cc stands in the place of all this.
//
// Oldest unacked: from written into a datagram to acknowledged by the peer's QUIC, which hands over
// at once what it has of a stream without gaps; what is cancelled is not waited for.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lab/bed/flow_ends.h"

namespace qvid::lab {

inline bool is_quic(std::string_view sender) {  // whether or not it can be had
  return sender == "quic" || sender == "quic-bbr";
}
// Empty, or what is to be installed before this is built.
std::string missing_for_quic();

// Without ngtcp2 they throw std::runtime_error.
std::unique_ptr<NearEnd> make_quic_near(boost::asio::io_context& io, const FlowSetting& setting);
std::unique_ptr<FarEnd> make_quic_far(boost::asio::io_context& io, const FlowSetting& setting);

}  // namespace qvid::lab
