// One H.264 stream by x264 whose frames can be dropped by temporal class, and go on without a key
// frame where some were lost: references as media/codec/h264/reference_plan.h has them.
//
// Stock x264 refers to whatever is nearest, but it has x264_encoder_invalidate_reference, which
// makes it forget every frame from a given one on, and a limit on the references of a frame that
// can be lowered at any time. Forgetting what lies after the newest frame that this one may use
// leaves that one the nearest; with the limit at the number planned, the references are exactly the
// planned ones. What a frame forgets no later frame wants: it is of a class below, or not sound.
// The quantiser rises with the class, as few or no frames inherit what it loses.
//
// Memory: x264 keeps ReferencePlan::kReach pictures of about 6 bytes a pixel.
// Thread: one at a time. x264's own threads (slices) live only inside `encode`.
#pragma once

#include <memory>

#include "base/result.h"
#include "media/codec/layers/layer_stream.h"

namespace qvid::media {

// The size is even; threads code slices in parallel. Units are in annex B, with parameter sets before each
// IDR. None is coarser than kMostQuantiser: x264 would go on to 69 where its buffer has nothing left, and
// code no residual there: a key frame would be a flat grey, whatever its scene. So it takes a few
// frames' bits. A layer that is alone and small is coded better, in 1.6 times the time.
Result<std::unique_ptr<LayerStream>> open_x264_layer(const LayerStreamOptions& options);

}  // namespace qvid::media
