// Any bytes as a decoder process's answers, and as the requests that it gets: what is taken lies in
// the memory that there is.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "media/codec/process/decoder_talk.h"
#include "tests/fuzz/decoded_picture.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid;
  using namespace qvid::media;
  const auto bytes = std::as_bytes(std::span(data, size));
  static const std::vector<std::uint8_t> kStore(64 * 1024);
  if (const auto answer = parse_answer(bytes, kStore.size())) {
    if (build_answer(*answer).size() > 2 + kMostAnswer) std::abort();
    if (const auto* told = std::get_if<PictureInStore>(&*answer)) {
      DecodedFrame decoded{.number = told->number, .picture = {}, .nominal = told->nominal};
      decoded.picture.size = told->shown;
      for (std::size_t p = 0; p < told->planes.size(); ++p) {
        decoded.picture.planes[p] = {kStore.data() + told->planes[p].offset,
                                     static_cast<int>(told->planes[p].stride)};
      }
      touch_corners(std::optional(decoded));
    }
  }
  if (const auto request = parse_request(bytes)) {
    const auto again = build_request(*request);
    const auto body = std::span(again).subspan(4);
    if (!std::equal(body.begin(), body.end(), bytes.begin(), bytes.end())) std::abort();
  }
  return 0;
}
