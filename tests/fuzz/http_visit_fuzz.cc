// Any bytes where a visitor by HTTP may be: bounded, and the same whole and in pieces.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/require.h"
#include "transport/socket/http_visit.h"

namespace {

using qvid::fuzz::require;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using paceline::HttpVisit;
  const auto all = std::as_bytes(std::span(data, size));
  HttpVisit whole;
  whole.receive(all);
  HttpVisit pieces;
  for (std::size_t at = 0; at < size; at += 3) {
    // A block of its own, so that reading past its end is seen.
    const auto piece = all.subspan(at, std::min<std::size_t>(3, size - at));
    pieces.receive(std::vector<std::byte>(piece.begin(), piece.end()));
  }
  require(whole.state() == pieces.state());
  require(whole.path() == pieces.path() && whole.head_only() == pieces.head_only());
  if (whole.state() != HttpVisit::State::asked) return 0;
  require(whole.path().starts_with('/') && whole.path().size() < HttpVisit::kMost);
  require(HttpVisit::begins_with(all));
  require(whole.path().find_first_of(" \r?") == std::string::npos);
  return 0;
}
