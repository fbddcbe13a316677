// Any first bytes on a server's socket, cut as the input says: found is the same however they are
// cut, and nothing that came behind a greeting is lost.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "transport/wire/greeter.h"
#include "transport/wire/write_record.h"

namespace {

using namespace paceline;
using Bytes = std::vector<std::byte>;

struct Found {
  Bytes greeting;  // serialised again; empty: none yet, or a failure
  bool failed = false;
  Bytes rest;  // with what was not fed any more
  bool operator==(const Found&) const = default;
};

// Pieces are as long as the bytes of `cuts` say, in turn.
Found greet(std::span<const std::byte> input, std::span<const std::byte> cuts) {
  Greeter greeter;
  for (std::size_t i = 0; !input.empty(); ++i) {
    const std::size_t wanted = 1 + std::to_integer<std::size_t>(cuts[i % cuts.size()]);
    // A block of its own, so that reading past its end is seen.
    const Bytes piece(input.begin(),
                      input.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, input.size())));
    input = input.subspan(piece.size());
    const auto greeting = greeter.feed(piece);
    if (!greeting) continue;
    Found found;
    if (std::holds_alternative<RecordParser::Failure>(*greeting)) {
      found.failed = true;
      return found;
    }
    if (const auto* hello = std::get_if<Hello>(&*greeting)) write_record(*hello, found.greeting);
    if (const auto* bind = std::get_if<Bind>(&*greeting)) write_record(*bind, found.greeting);
    found.rest = greeter.take_rest();
    found.rest.insert(found.rest.end(), input.begin(), input.end());
    return found;
  }
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto all = std::as_bytes(std::span(data, size));
  const std::size_t cuts = std::min<std::size_t>(1 + data[0] % 8, size - 1);
  // Beyond it, where it gives up depends on the cut.
  const auto input =
      all.subspan(1 + cuts).first(std::min(size - 1 - cuts, Greeter::kMaxGreeting - 1));
  static constexpr std::byte kWhole[] = {std::byte{255}};
  if (!(greet(input, all.subspan(1, cuts)) == greet(input, kWhole))) std::abort();
  return 0;
}
