// The codecs that there are, by name.
//
// Every frame says by the first byte of its header which codec it is of, so one stream may change
// from one to another wherever it has a synchronisation point, and a receiver that knows both
// follows without a word. What a receiver is told beforehand is what it must know at least.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "media/unit/coded_frame.h"

namespace qvid::media {

// The codec of whoever has not said what it decodes: every build ever made does.
inline constexpr std::string_view kPlainCodec = "h264";

// Of all that encode and decode here, kPlainCodec first.
std::vector<std::string> codec_names();

// Empty: of none that is known.
std::string_view codec_of(const CodedFrame& frame);

}  // namespace qvid::media
