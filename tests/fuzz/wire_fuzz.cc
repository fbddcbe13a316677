// Any bytes, cut as the input says: what is parsed and written again parses to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "transport/wire/record.h"
#include "transport/wire/record_parser.h"
#include "transport/wire/write_record.h"

namespace {

using namespace paceline;
using Bytes = std::vector<std::byte>;

// The records, serialised again. Pieces are as long as the bytes of `cuts` say, in turn.
Bytes parse(std::span<const std::byte> input, std::span<const std::byte> cuts, bool& failed) {
  RecordParser parser;
  Bytes out;
  write_preamble(out);
  for (std::size_t i = 0; !input.empty(); ++i) {
    const std::size_t wanted =
        cuts.empty() ? input.size() : 1 + std::to_integer<std::size_t>(cuts[i % cuts.size()]);
    // A block of its own, so that reading past its end is seen.
    const Bytes piece(input.begin(),
                      input.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, input.size())));
    input = input.subspan(piece.size());
    parser.feed(piece);
    for (;;) {
      const auto step = parser.next();
      if (std::holds_alternative<RecordParser::NeedMore>(step)) break;
      if (std::holds_alternative<RecordParser::Failure>(step)) {
        failed = true;
        return out;
      }
      write_record(std::get<Record>(step), out);
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto all = std::as_bytes(std::span(data, size));
  const std::size_t cuts = std::min<std::size_t>(data[0] % 8, size - 1);
  const auto input = all.subspan(1 + cuts);
  bool failed = false;
  bool failed_whole = false;
  bool failed_again = false;
  const Bytes in_pieces = parse(input, all.subspan(1, cuts), failed);
  const Bytes whole = parse(input, {}, failed_whole);
  if (in_pieces != whole || failed != failed_whole) std::abort();
  if (parse(whole, {}, failed_again) != whole || failed_again) std::abort();
  return 0;
}
