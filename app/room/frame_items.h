// Frames of live video as items of a broker:
//
//   frame -> item;  its header -> part 0;  the unit of layer l -> part 1 + l
//
// A beginning is an item all of whose units are synchronisation points. The header and the base are
// vital. Pure. Thread: any.
#pragma once

#include <cstdint>
#include <functional>

#include "media/live/live_sender.h"
#include "pubsub/wire/envelope.h"

namespace qvid::app {

qps::PartId part_of(const media::LiveSender::Send& send);
// `useful_for`: how long a unit is of use that so many frames after it may need.
qps::Envelope envelope_of(const media::LiveSender::Send& send,
                          const std::function<Duration(int frames)>& useful_for);

// A part as one number; they rise in the order of the parts.
std::uint64_t number_of(const qps::PartId& id);
qps::PartId part_of(std::uint64_t number);

}  // namespace qvid::app
