#include "media/stored/prepare.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "media/stored/layered_file_source.h"
#include "media/stored/layered_file_writer.h"
#include "media/stored/sound_track.h"
#include "media/stored/transcoding_source.h"

namespace qvid::media {
namespace {

namespace fs = std::filesystem;

// The longest way that a viewer who seeks has to be led over.
constexpr Duration kBetweenEntries = 1s;

// Of what was prepared before there was sound in such files.
bool lacks_sound(const LayeredFileSource& prepared, const fs::path& original,
                 const std::stop_token& stop) {
  if (prepared.header().sound) return false;
  const auto track = SoundTrack::open(fs::absolute(original).string(), {}, stop);
  return track && *track;
}

Prepared about(Prepared::Outcome outcome, const LayeredFileSource& source, const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return {.outcome = outcome,
          .output = path,
          .info = source.info(),
          .frames = source.header().frames,
          .size = ByteCount(error ? 0 : static_cast<std::int64_t>(size))};
}

}  // namespace

Result<Prepared> prepare(const PrepareOptions& options,
                         const std::function<void(const PrepareProgress&)>& progress,
                         const std::stop_token& stop) {
  const fs::path output = options.output.empty() ? prepared_path(options.input) : options.output;
  const auto original = identify(options.input);
  if (original && is_layered_file(options.input)) {
    return Error{options.input.string() + " is a prepared video already"};
  }
  std::error_code ignored;
  if (fs::exists(output, ignored)) {
    if (!is_layered_file(output)) {
      return Error{output.string() + " is there and is no prepared video; choose another --output"};
    }
    const auto present = LayeredFileSource::open(output);
    if (present && original && (*present)->header().original == *original && !options.force &&
        !lacks_sound(**present, options.input, stop)) {
      return about(Prepared::Outcome::kUpToDate, **present, output);
    }
  }

  auto source = TranscodingSource::open(options.input,
                                        {.bitrate = options.bitrate,
                                         .size = options.size,
                                         .threads = options.threads,
                                         .gop = kBetweenEntries,
                                         .aligned_gops = true,
                                         .use_prepared = false},
                                        stop);
  if (stop.stop_requested()) return Prepared{.outcome = Prepared::Outcome::kStopped};
  if (!source) return source.error();
  const StoredInfo info = (*source)->info();
  LayeredFileHeader header;
  header.codec = info.codec;
  header.rate = info.rate;
  header.size = info.size;
  header.sound = info.sound;
  header.original = original.value_or(FileIdentity{});
  auto writer = LayeredFileWriter::create(output, header);
  if (!writer) return writer.error();
  const auto add_sound = [&]() -> std::optional<Error> {
    for (const SoundPacket& packet : (*source)->take_sound()) {
      if (auto error = (*writer)->add(packet)) return error;
    }
    return std::nullopt;
  };
  for (;;) {
    auto got = (*source)->next(stop);
    if (stop.stop_requested()) return Prepared{.outcome = Prepared::Outcome::kStopped};
    if (!got) return got.error();
    const auto* frame = std::get_if<CodedFrame>(&*got);
    if (frame != nullptr) {
      if (auto error = (*writer)->add(*frame)) return *std::move(error);
    }
    if (auto error = add_sound()) return *std::move(error);
    if (frame == nullptr) break;
    if (progress) {
      progress({.done = info.rate.time_of((*writer)->header().frames), .duration = info.duration});
    }
  }
  // Written while it was read, the input would be taken for what it is not.
  if (identify(options.input) != original) {
    return Error{options.input.string() + " has changed while it was read; prepare it again"};
  }
  const auto size = (*writer)->finish();
  if (!size) return size.error();
  const auto written = LayeredFileSource::open(output);
  if (!written) return written.error();
  return about(Prepared::Outcome::kWritten, **written, output);
}

}  // namespace qvid::media
