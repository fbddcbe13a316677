// Any text as an address of a video or a value of the command line: refused with a reason that is
// not too long, or within bounds.
#include <cstdint>
#include <string_view>

#include "app/options/url.h"
#include "app/options/values.h"
#include "tests/fuzz/require.h"

namespace {

using qvid::fuzz::require;

template <class T>
bool sound(const qvid::Result<T>& result) {
  if (!result) require(!result.error().message.empty() && result.error().message.size() < 1000);
  return static_cast<bool>(result);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto url = app::parse_url(text); sound(url)) {
    require(!url->address.host.empty() && !url->name.empty());
    require(url->name.size() <= app::kMaxName && url->name.find('\0') == std::string::npos);
    const auto again = app::parse_url(url->text());
    require(again && again->address.host == url->address.host && again->name == url->name);
  }
  if (const auto picture = app::parse_size(text); sound(picture)) {
    require(media::is_supported(*picture));
    require(picture->width % 2 == 0 && picture->height % 2 == 0);
  }
  if (const auto rate = app::parse_rate(text); sound(rate)) {
    require(rate->per_second() >= 1 && rate->per_second() <= 120);
    require(rate->frame_time() > Duration::zero());
    require(rate->time_of(1'000'000) > rate->time_of(999'999));  // hours of video
  }
  if (const auto bitrate = app::parse_bitrate(text); sound(bitrate)) {
    require(bitrate->bps() >= 50'000 && bitrate->bps() <= 100'000'000);
  }
  return 0;
}
