// What every encoder takes, and what is wrong with options that none does.
#pragma once

#include <optional>

#include "base/result.h"
#include "base/units.h"
#include "media/codec/encoder.h"

namespace qvid::media {

inline constexpr DataRate kLeastBitrate = DataRate::from_kbps(10);
inline constexpr DataRate kMostBitrate = DataRate::from_kbps(200'000);

// Nothing, or why not: sizes, rates, group and threads as encoder.h bounds them.
std::optional<Error> check_encoder_options(const EncoderOptions& options);

}  // namespace qvid::media
