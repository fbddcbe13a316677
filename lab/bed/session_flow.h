// A Paceline session as a flow: one message for each unit, with its layer's importance and its
// frame's deadline. By sender name: a controller ("pace", "adapt", "sock", "mtp", "none"), and "+fo" for a
// standby socket and failover, as the product has it by default.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "lab/bed/adu.h"
#include "lab/bed/flow_ends.h"
#include "transport/session/session_config.h"

namespace qvid::lab {

inline constexpr std::size_t kMostStreams = 8;

// Nothing: the name is no controller's.
std::optional<paceline::SessionConfig> session_config_of(std::string_view sender);

// A stream's place among those of its session travels with each unit, above its layer.
inline std::uint8_t on_stream(std::uint8_t layer, std::size_t stream) {
  return static_cast<std::uint8_t>(layer + stream * kLayers);
}
inline std::size_t stream_of(const Adu& adu) { return adu.layer / kLayers; }

std::unique_ptr<NearEnd> make_session_near(boost::asio::io_context& io, const FlowSetting& setting,
                                           const paceline::SessionConfig& config);
std::unique_ptr<FarEnd> make_session_far(boost::asio::io_context& io, const FlowSetting& setting,
                                         const paceline::SessionConfig& config);

}  // namespace qvid::lab
