#include "media/source/pipewire_format.h"

#include <spa/buffer/buffer.h>
#include <spa/buffer/meta.h>
#include <spa/param/buffers.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>
#include <spa/pod/iter.h>

#include <algorithm>
#include <array>
#include <cstring>

extern "C" {
#include <libavutil/pixfmt.h>
}

namespace qvid::media {
namespace {

struct Named {
  spa_video_format theirs;
  AVPixelFormat ours;
};
// Transparency is left: what is behind a window is not to be seen.
constexpr std::array kNamed = {
    Named{SPA_VIDEO_FORMAT_BGRx, AV_PIX_FMT_BGR0}, Named{SPA_VIDEO_FORMAT_RGBx, AV_PIX_FMT_RGB0},
    Named{SPA_VIDEO_FORMAT_BGRA, AV_PIX_FMT_BGR0}, Named{SPA_VIDEO_FORMAT_RGBA, AV_PIX_FMT_RGB0},
    Named{SPA_VIDEO_FORMAT_xRGB, AV_PIX_FMT_0RGB}, Named{SPA_VIDEO_FORMAT_xBGR, AV_PIX_FMT_0BGR},
    Named{SPA_VIDEO_FORMAT_ARGB, AV_PIX_FMT_0RGB}, Named{SPA_VIDEO_FORMAT_ABGR, AV_PIX_FMT_0BGR},
    Named{SPA_VIDEO_FORMAT_BGR, AV_PIX_FMT_BGR24}, Named{SPA_VIDEO_FORMAT_RGB, AV_PIX_FMT_RGB24}};

// A parameter that `build` writes, copied.
template <class Build>
std::vector<std::uint64_t> written(Build build) {
  std::array<std::uint64_t, 256> room{};
  spa_pod_builder builder{};
  spa_pod_builder_init(&builder, room.data(), static_cast<std::uint32_t>(sizeof room));
  build(builder);
  return {room.begin(), room.begin() + (builder.state.offset + 7) / 8};
}

void write_format(spa_pod_builder& b, FrameRate rate, bool limited) {
  const spa_rectangle usual{1920, 1080};
  const spa_rectangle least{1, 1};
  const spa_rectangle most{16384, 16384};
  const spa_fraction changes{0, 1};  // a rate that is none: when something changes
  const spa_fraction slowest{1, 1};
  const spa_fraction fastest{static_cast<std::uint32_t>(rate.numerator),
                             static_cast<std::uint32_t>(rate.denominator)};
  const spa_fraction any{1000, 1};
  spa_pod_frame object{};
  spa_pod_builder_push_object(&b, &object, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
  spa_pod_builder_add(&b, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
                      SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), 0);
  spa_pod_frame choice{};
  spa_pod_builder_prop(&b, SPA_FORMAT_VIDEO_format, 0);
  spa_pod_builder_push_choice(&b, &choice, SPA_CHOICE_Enum, 0);
  spa_pod_builder_id(&b, kNamed.front().theirs);  // what is liked best, before all of them
  for (const Named& one : kNamed) spa_pod_builder_id(&b, one.theirs);
  spa_pod_builder_pop(&b, &choice);
  spa_pod_builder_add(
      &b, SPA_FORMAT_VIDEO_size, SPA_POD_CHOICE_RANGE_Rectangle(&usual, &least, &most),
      SPA_FORMAT_VIDEO_framerate, SPA_POD_CHOICE_RANGE_Fraction(&changes, &changes, &any), 0);
  if (limited) {
    spa_pod_builder_add(&b, SPA_FORMAT_VIDEO_maxFramerate,
                        SPA_POD_CHOICE_RANGE_Fraction(&fastest, &slowest, &fastest), 0);
  }
  spa_pod_builder_pop(&b, &object);
}

void write_buffers(spa_pod_builder& b, int most) {
  constexpr int kWanted = 4;
  spa_pod_builder_add_object(
      &b, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
      SPA_POD_CHOICE_RANGE_Int(std::min(kWanted, most), 1, most), SPA_PARAM_BUFFERS_dataType,
      SPA_POD_CHOICE_FLAGS_Int((1 << SPA_DATA_MemPtr) | (1 << SPA_DATA_MemFd)));
}

void write_meta(spa_pod_builder& b, spa_meta_type type, std::size_t size) {
  spa_pod_builder_add_object(&b, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type,
                             SPA_POD_Id(type), SPA_PARAM_META_size,
                             SPA_POD_Int(static_cast<int>(size)));
}

}  // namespace

PipewireParameters PipewireParameters::formats(FrameRate rate) {
  PipewireParameters all;
  for (const bool limited : {true, false}) {
    all.memory_.push_back(written([&](spa_pod_builder& b) { write_format(b, rate, limited); }));
  }
  return all;
}

PipewireParameters PipewireParameters::buffers(int most) {
  PipewireParameters all;
  all.memory_.push_back(written([&](spa_pod_builder& b) { write_buffers(b, most); }));
  all.memory_.push_back(
      written([](spa_pod_builder& b) { write_meta(b, SPA_META_Header, sizeof(spa_meta_header)); }));
  all.memory_.push_back(written(
      [](spa_pod_builder& b) { write_meta(b, SPA_META_VideoCrop, sizeof(spa_meta_region)); }));
  return all;
}

std::vector<const spa_pod*> PipewireParameters::all() const {
  std::vector<const spa_pod*> pods;
  for (const auto& one : memory_) pods.push_back(reinterpret_cast<const spa_pod*>(one.data()));
  return pods;
}

PipewireFormat pipewire_format(const spa_pod& parameter) {
  spa_video_info info{};
  if (spa_format_parse(&parameter, &info.media_type, &info.media_subtype) < 0 ||
      info.media_type != SPA_MEDIA_TYPE_video || info.media_subtype != SPA_MEDIA_SUBTYPE_raw ||
      spa_format_video_raw_parse(&parameter, &info.info.raw) < 0) {
    return {};
  }
  const auto known = std::ranges::find(kNamed, info.info.raw.format, &Named::theirs);
  return {.pixels = known == kNamed.end() ? -1 : known->ours,
          .size = {static_cast<int>(info.info.raw.size.width),
                   static_cast<int>(info.info.raw.size.height)}};
}

}  // namespace qvid::media
