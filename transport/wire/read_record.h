// The body of one record, read: any bytes may come. The bytes around it are the parser's
// (record_parser.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "transport/wire/record.h"

namespace paceline {

// False: a type of a later version, which is left aside.
bool is_known_record(std::uint8_t type);

// Empty: the body is not what the type says, or the type is unknown. What it gives points into
// `body`.
std::optional<Record> read_record(std::uint8_t type, std::span<const std::byte> body);

}  // namespace paceline
