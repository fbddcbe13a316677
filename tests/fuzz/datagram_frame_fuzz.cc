// Any bytes as the frames of a datagram: what is read and written again is read as the same, fragments
// in their short form, too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "transport/datagram/datagram_frame.h"

namespace {

using namespace paceline;
using Bytes = std::vector<std::byte>;

// The frames, written again, fragments as short ones or not; `wrong`: the last one is none.
Bytes read(std::span<const std::byte> frames, bool shorter, bool& wrong) {
  Bytes out;
  std::optional<Fragment> before;
  FrameReader reader(frames);
  const auto write = [&](const auto& f) {
    if constexpr (std::is_same_v<std::decay_t<decltype(f)>, Fragment>) {
      if (shorter) write_short(f, before ? &*before : nullptr, false, out);
      before = f;
      if (shorter) return;
    }
    write_frame(f, out);
  };
  for (;;) {
    const DatagramFrame frame = reader.next();
    if (std::holds_alternative<DatagramEnd>(frame)) return out;
    if (std::holds_alternative<DatagramWrong>(frame)) {
      wrong = true;
      return out;
    }
    std::visit(
        [&](const auto& f) {
          using Frame = std::decay_t<decltype(f)>;
          if constexpr (!std::is_same_v<Frame, DatagramEnd> &&
                        !std::is_same_v<Frame, DatagramWrong>) {
            write(f);
          }
        },
        frame);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A block of its own, so that reading past its end is seen.
  const Bytes input(reinterpret_cast<const std::byte*>(data),
                    reinterpret_cast<const std::byte*>(data) + size);
  bool wrong = false;
  bool wrong_again = false;
  const Bytes once = read(input, false, wrong);
  const Bytes shorter = read(input, true, wrong);
  if (shorter.size() > once.size()) std::abort();
  for (const Bytes& written : {once, shorter}) {
    if (read(written, false, wrong_again) != once || wrong_again) std::abort();
  }
  return 0;
}
