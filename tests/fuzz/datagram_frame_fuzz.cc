// Any bytes as the frames of a datagram: what is read and written again is read as the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <variant>
#include <vector>

#include "transport/datagram/datagram_frame.h"

namespace {

using namespace paceline;
using Bytes = std::vector<std::byte>;

// The frames, written again; `wrong`: the last one is none.
Bytes read(std::span<const std::byte> frames, bool& wrong) {
  Bytes out;
  FrameReader reader(frames);
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
            write_frame(f, out);
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
  const Bytes once = read(input, wrong);
  if (read(once, wrong_again) != once || wrong_again) std::abort();
  return 0;
}
