// Records and the preamble, written. record.h has what they are, docs/protocol.md their bits.
#pragma once

#include <vector>

#include "transport/wire/record.h"

namespace paceline {

// Serialisers append to `out`. The header of a chunk or a lane message leaves out its bytes,
// which the caller sends behind.
void write_preamble(std::vector<std::byte>& out);
void write_record(const Record& record, std::vector<std::byte>& out);
void write_chunk_header(const Chunk& chunk, std::vector<std::byte>& out);
void write_lane_header(const LaneMessage& message, std::vector<std::byte>& out);

}  // namespace paceline
