#include "app/protocol/video_about.h"

#include "app/protocol/play_fields.h"
#include "media/unit/unit_wire.h"

namespace qvid::app {
namespace {

constexpr qps::MessageTable kVideoAbout(
    "kind",
    qps::message<VideoAbout>("video", qps::required("codec", &VideoAbout::codec, qps::Shown{}),
                             qps::required("rate", &VideoAbout::rate, Rate{}),
                             qps::optional("apart", &VideoAbout::apart, qps::Flag{})));

}  // namespace

std::string serialise(const VideoAbout& about) { return kVideoAbout.serialise(about); }

Result<VideoAbout> parse_video_about(std::string_view text) {
  auto about = kVideoAbout.parse(text, "what it publishes is no video that is known here");
  if (!about) return about.error();
  return std::get<VideoAbout>(*std::move(about));
}

std::uint64_t media_position(const qps::PartId& id) {
  return media::header_position(FrameNumber(id.item)) + id.part;
}

}  // namespace qvid::app
