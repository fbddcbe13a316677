// Any bytes as a prepared video: refused, or read to its end and sought in within its limits,
// whatever its sizes, offsets and counts say. And any bytes as one frame of it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "media/stored/layered_file_source.h"
#include "tests/fuzz/require.h"

namespace {

using qvid::fuzz::require;

using namespace qvid::media;
using qvid::Duration;

// More frames than bytes cannot be there: reading ends.
void read_on(StoredSource& source, std::size_t bytes) {
  for (std::size_t read = 0;; ++read) {
    require(read <= bytes);
    const auto got = source.next({});
    const auto sound = source.take_sound();
    require(sound.size() <= kMaxLayeredSounds);
    for (const SoundPacket& packet : sound) {
      require(packet.duration > Duration::zero() && packet.duration <= kMaxSoundPacket);
      require(packet.opus.byte_count() <= kMaxLayeredSound && source.info().sound);
    }
    if (!got || std::holds_alternative<EndOfStream>(*got)) return;
    const auto& frame = std::get<CodedFrame>(*got);
    require(!frame.units.empty() && frame.units.size() <= kMaxUnits);
    require(frame.due < qvid::Timestamp(source.info().duration));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto record = qvid::Payload::copy_of(std::as_bytes(std::span(data, size)));
  (void)parse_layered_frame(record, 0);

  static const int file = ::memfd_create("layered", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  require(::ftruncate(file, 0) == 0);
  require(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  auto opened = LayeredFileSource::open(path);
  if (!opened) return 0;
  StoredSource& source = **opened;
  require(source.info().duration > Duration::zero());
  read_on(source, size);
  for (const Duration to : {Duration::min(), Duration(std::chrono::seconds(1)), Duration::max()}) {
    const auto at = source.seek(to);
    require(at && *at >= Duration::zero() && *at < source.info().duration);
    read_on(source, size);
  }
  return 0;
}
