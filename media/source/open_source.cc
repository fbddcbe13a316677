#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "media/source/ffmpeg_open.h"
#include "media/source/ffmpeg_source.h"
#include "media/source/test_source.h"
#include "media/source/unfit_file.h"
#include "media/source/video_source.h"

namespace qvid::media {

Result<std::unique_ptr<VideoSource>> open_source(const SourceSpec& spec,
                                                 const SourceOptions& options,
                                                 std::stop_token stop) {
  const auto [width, height] = options.size;
  if (options.size != PictureSize{} && !is_supported(options.size)) {
    return Error{"cannot make pictures of " + std::to_string(width) + "x" + std::to_string(height) +
                 "; give a size from 16x16 to 4096x4096"};
  }
  if (options.rate.numerator <= 0 || options.rate.denominator <= 0 ||
      options.rate.per_second() > kHighestRate || options.rate.per_second() < kLowestRate) {
    return Error{"cannot make " + std::to_string(options.rate.numerator) + "/" +
                 std::to_string(options.rate.denominator) +
                 " frames per second; give a rate from 1 to 120"};
  }
  if (spec.kind == SourceSpec::Kind::kTest) {
    return std::unique_ptr<VideoSource>(std::make_unique<TestSource>(
        options, spec.device == "sync" ? TestClip::kSync : TestClip::kScene));
  }
  return open_ffmpeg_source(spec, options, std::move(stop));
}

std::optional<Error> unfit_file(const SourceSpec& spec, const SourceOptions& options) {
  if (!is_local_file(spec)) return std::nullopt;
  const auto source = open_source(spec, options, {});
  return source ? std::nullopt : std::optional(source.error());
}

}  // namespace qvid::media
