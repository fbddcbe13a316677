// A layer of the codec `av1`: libaom in real time, in one temporal class.
//
// References are as media/codec/av1/av1_reference_plan.h has them: every frame is made from one
// other, and says from which. With several receivers, what one of them lost costs it all until the
// next synchronisation point.
//
// What it takes beyond the rate is paid back (media/codec/av1/av1_rate_debt.h).
// Pictures drawn by a machine are coded as such (media/codec/av1/drawn_content.h): looked at after
// each synchronisation point and every kContentEvery frames. Not the synchronisation point itself:
// text at 300 kbit/s would make it 11 mean frames large instead of 5.
#pragma once

#include <memory>

#include "base/result.h"
#include "media/codec/layers/layer_stream.h"

namespace qvid::media {

Result<std::unique_ptr<LayerStream>> open_av1_layer(const LayerStreamOptions& options);

}  // namespace qvid::media
