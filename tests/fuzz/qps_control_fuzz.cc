// Any text as a message of a broker or its client: refused, or read the same again when written.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pubsub/wire/control.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto request = qps::parse_to_broker(text)) {
    const auto written = qps::serialise(*request);
    const auto again = qps::parse_to_broker(written);
    if (!again || again->index() != request->index() || qps::serialise(*again) != written) {
      std::abort();
    }
  }
  if (const auto message = qps::parse_from_broker(text)) {
    const auto written = qps::serialise(*message);
    const auto again = qps::parse_from_broker(written);
    if (!again || again->index() != message->index() || qps::serialise(*again) != written) {
      std::abort();
    }
  }
  return 0;
}
