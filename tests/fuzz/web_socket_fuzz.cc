// Any bytes at the door for browsers: a head that may ask for a WebSocket, and what comes behind it
// as frames. The same whole and in pieces, and no more comes out than went in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/require.h"
#include "transport/socket/web_socket_frames.h"
#include "transport/socket/web_socket_upgrade.h"

namespace qvid::fuzz_web_socket {
namespace {

using fuzz::require;

// The first byte says which of the two it is, and how large the pieces are.
void ask(std::span<const std::byte> head) {
  paceline::HttpVisit visit;
  if (visit.receive(head) != paceline::HttpVisit::State::asked) return;
  if (!paceline::asks_for_web_socket(visit)) return;
  const bool secure = head.size() % 2 == 0;
  const auto answer = paceline::answer_upgrade(visit, secure);
  const auto* agreed = std::get_if<std::string>(&answer);
  if (agreed == nullptr) {
    require(std::get<paceline::HttpPage>(answer).status >= 400);
    return;
  }
  require(visit.path() == paceline::kWebSocketPath && !visit.head_only());
  require(agreed->starts_with("HTTP/1.1 101 ") && agreed->ends_with("\r\n\r\n"));
  const auto origin = visit.header(paceline::HttpVisit::Header::origin);
  require(origin.empty() || origin.starts_with(secure ? "https://" : "http"));
  if (const auto name = origin.find("://"); name != std::string_view::npos) {
    const auto from =
        origin.substr(name + 3, visit.header(paceline::HttpVisit::Header::host).size());
    const auto host = visit.header(paceline::HttpVisit::Header::host).substr(0, from.size());
    require(paceline::equal_in_any_case(from, host));
  }
  // Nothing of what was sent is in the answer, whose lines are six.
  require(std::ranges::count(*agreed, '\n') == 6);
}

struct Read {
  std::vector<std::byte> payload;
  std::optional<std::vector<std::byte>> ping;
  std::optional<paceline::WebSocketReader::End> end;
};
Read read(std::span<const std::byte> bytes, std::size_t piece) {
  paceline::WebSocketReader reader;
  Read result;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const auto part = bytes.subspan(at, std::min(piece, bytes.size() - at));
    // A block of its own, so that reading past its end is seen.
    std::vector<std::byte> block(part.begin(), part.end());
    const std::size_t size = reader.receive(block);
    require(size <= block.size());
    result.payload.insert(result.payload.end(), block.begin(),
                          block.begin() + static_cast<std::ptrdiff_t>(size));
  }
  result.ping = reader.take_ping();
  result.end = reader.end();
  return result;
}

}  // namespace
}  // namespace qvid::fuzz_web_socket

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qvid::fuzz_web_socket;
  if (size == 0) return 0;
  const auto rest = std::as_bytes(std::span(data, size).subspan(1));
  if (data[0] == 'G') {
    ask(std::as_bytes(std::span(data, size)));
    return 0;
  }
  const Read whole = read(rest, std::max<std::size_t>(rest.size(), 1));
  const Read pieces = read(rest, 1 + data[0] % 64);
  require(whole.payload == pieces.payload && whole.ping == pieces.ping);
  require(whole.end.has_value() == pieces.end.has_value());
  require(!whole.ping || whole.ping->size() <= 125);
  if (!whole.end) return 0;
  require(whole.end->code == pieces.end->code && whole.end->failed == pieces.end->failed);
  require(whole.end->code >= 1000 && whole.end->code < 5000);
  return 0;
}
