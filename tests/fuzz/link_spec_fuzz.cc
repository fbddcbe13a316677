// What a person types about a link: descriptions, flows, commands and traces. The first byte says
// which.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lab/bed/flow_text.h"
#include "lab/emulator/link_command.h"
#include "lab/emulator/link_spec.h"
#include "lab/emulator/rate_trace.h"

namespace {

template <class R>
void check(const R& result) {
  if (!result && result.error().message.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0: check(qvid::lab::parse_link(text)); break;
    case 1: check(qvid::lab::parse_command(text)); break;
    case 2: check(qvid::lab::parse_flow_specs(text)); break;
    default: check(qvid::lab::parse_trace(text));
  }
  return 0;
}
