// Any messages as fragments of parts: bounded memory, and no part of more than it may have.
//
//   input := (position:varint size:u8 bytes)*
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/byte_io.h"
#include "pubsub/wire/part_assembler.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qps;
  qvid::ByteReader in(std::as_bytes(std::span(data, size)));
  PartAssembler assembler;
  while (in.remaining() > 0) {
    const std::uint64_t position = in.varint();
    const std::size_t length = std::min<std::size_t>(in.u8(), in.remaining());
    const auto part = assembler.on_message(position, Payload::copy_of(in.bytes(length)));
    if (part && *part && (*part)->data.size() > kMaxPart) std::abort();
    if (assembler.bytes() > PartAssembler::kMaxBytes) std::abort();
  }
  return 0;
}
