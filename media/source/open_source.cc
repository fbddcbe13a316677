#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>

#include "media/source/ffmpeg_open.h"
#include "media/source/ffmpeg_open_errors.h"
#include "media/source/ffmpeg_source.h"
#include "media/source/portal_source.h"
#include "media/source/test_source.h"
#include "media/source/unfit_source.h"
#include "media/source/video_source.h"
#include "media/source/wayland_session.h"

extern "C" {
#include <libavutil/error.h>
}

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
  if (is_chosen_on_desktop(spec)) return open_portal_source(spec, options, stop);
  return open_ffmpeg_source(spec, options, std::move(stop));
}

std::optional<Error> unfit_source(const SourceSpec& spec, const SourceOptions& options) {
  if (is_chosen_on_desktop(spec)) return unfit_portal_source(spec);
  if (spec.kind == SourceSpec::Kind::kScreen) {
    const auto named = with_default_device(spec);
    return named ? std::nullopt : std::optional(named.error());
  }
  if (!is_local_file(spec)) return std::nullopt;
  const auto source = open_source(spec, options, {});
  return source ? std::nullopt : std::optional(source.error());
}

std::optional<Error> absent_device(const SourceSpec& spec) {
  if (is_chosen_on_desktop(spec)) return std::nullopt;
  if (spec.kind == SourceSpec::Kind::kScreen) {
    const auto size = probe_size(spec);
    return size ? std::nullopt : std::optional(size.error());
  }
  if (spec.kind != SourceSpec::Kind::kCamera) return std::nullopt;
  const auto named = with_default_device(spec);
  if (!named) return named.error();
  if (std::error_code ignored; std::filesystem::exists(named->device, ignored)) return std::nullopt;
  return open_error(*named, AVERROR(ENOENT));
}

}  // namespace qvid::media
