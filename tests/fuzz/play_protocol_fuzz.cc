// Any text as a message of player or server: refused, or read the same again when written.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/protocol/play_protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::app;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto request = parse_client_message(text)) {
    const auto written = serialise(*request);
    const auto again = parse_client_message(written);
    if (!again || again->index() != request->index() || serialise(*again) != written) std::abort();
  }
  if (const auto message = parse_server_message(text)) {
    const auto written = serialise(*message);
    const auto again = parse_server_message(written);
    if (!again || again->index() != message->index() || serialise(*again) != written) std::abort();
  }
  return 0;
}
