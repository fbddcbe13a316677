// What a person types: parsed specs must be written as text that parses to the same again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "media/source/video_source.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using qvid::media::parse_source_spec;
  const auto spec = parse_source_spec({reinterpret_cast<const char*>(data), size});
  if (!spec) {
    if (spec.error().message.empty()) std::abort();
    return 0;
  }
  const auto again = parse_source_spec(spec->text());
  if (!again || again->kind != spec->kind || again->text() != spec->text()) std::abort();
  return 0;
}
