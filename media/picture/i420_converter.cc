#include "media/picture/i420_converter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace qvid::media {
namespace {

// From here up a picture without a stated matrix is taken for BT.709, as by every player.
constexpr int kHdLines = 720;

struct Colors {
  int sws_matrix = SWS_CS_ITU601;
  bool full = false;
  bool rgb = false;
};

// The "J" formats are their plain ones with full range; swscale wants that said with the range.
AVPixelFormat without_j(AVPixelFormat format) {
  switch (format) {
    case AV_PIX_FMT_YUVJ420P: return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P: return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P: return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P: return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUVJ411P: return AV_PIX_FMT_YUV411P;
    default: return format;
  }
}

Colors colors_of(const AVFrame& picture, const AVPixFmtDescriptor& format) {
  Colors colors;
  const auto pixel_format = static_cast<AVPixelFormat>(picture.format);
  colors.rgb = (format.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
  const bool gray = !colors.rgb && format.nb_components <= 2;
  colors.full = colors.rgb || picture.color_range == AVCOL_RANGE_JPEG ||
                without_j(pixel_format) != pixel_format ||
                (gray && picture.color_range != AVCOL_RANGE_MPEG);
  switch (picture.colorspace) {
    case AVCOL_SPC_BT709: colors.sws_matrix = SWS_CS_ITU709; break;
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M: colors.sws_matrix = SWS_CS_ITU601; break;
    case AVCOL_SPC_FCC: colors.sws_matrix = SWS_CS_FCC; break;
    case AVCOL_SPC_SMPTE240M: colors.sws_matrix = SWS_CS_SMPTE240M; break;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL: colors.sws_matrix = SWS_CS_BT2020; break;
    default: colors.sws_matrix = picture.height >= kHdLines ? SWS_CS_ITU709 : SWS_CS_ITU601;
  }
  return colors;
}

// The matrix of the result: as it came where we can signal it.
ColorMatrix matrix_for(const Colors& from, PictureSize size) {
  if (!from.rgb && from.sws_matrix == SWS_CS_ITU709) return ColorMatrix::kBt709;
  if (!from.rgb && from.sws_matrix == SWS_CS_ITU601) return ColorMatrix::kBt601;
  return size.height >= kHdLines ? ColorMatrix::kBt709 : ColorMatrix::kBt601;
}

VideoFrame frame_on(std::shared_ptr<const AVFrame> planes, PictureSize size) {
  VideoFrame frame;
  frame.size = size;
  for (std::size_t i = 0; i < 3; ++i) frame.planes[i] = {planes->data[i], planes->linesize[i]};
  frame.owner = std::move(planes);
  return frame;
}

std::shared_ptr<AVFrame> shared(AvFramePtr frame) {
  return std::shared_ptr<AVFrame>(frame.release(), FfmpegDeleter{});
}

// Room for swscale, which wants rows aligned and writes a little past a picture's width.
std::shared_ptr<AVFrame> allocate_planes(PictureSize size) {
  AvFramePtr planes = new_av_frame();
  planes->format = AV_PIX_FMT_YUV420P;
  planes->width = size.width;
  planes->height = size.height;
  if (av_frame_get_buffer(planes.get(), 0) < 0) throw std::bad_alloc();
  return shared(std::move(planes));
}

// Blackens all of a plane but the place of the picture, after swscale's writes past its edge.
void blacken_around(std::uint8_t* plane, int stride, PictureSize size, const Placement& at,
                    int black) {
  for (int y = 0; y < size.height; ++y) {
    std::uint8_t* row = plane + std::ptrdiff_t{y} * stride;
    if (y < at.y || y >= at.y + at.size.height) {
      std::memset(row, black, static_cast<std::size_t>(size.width));
      continue;
    }
    const int right = at.x + at.size.width;
    std::memset(row, black, static_cast<std::size_t>(at.x));
    std::memset(row + right, black, static_cast<std::size_t>(size.width - right));
  }
}

Placement halved(const Placement& p) {
  return {p.x / 2, p.y / 2, {p.size.width / 2, p.size.height / 2}};
}

int nearest_even(double value) { return static_cast<int>(std::lround(value / 2)) * 2; }

}  // namespace

Placement fit_inside(PictureSize shown, PictureSize frame) {
  const double scale = std::min(static_cast<double>(frame.width) / shown.width,
                                static_cast<double>(frame.height) / shown.height);
  Placement place;
  place.size.width = std::clamp(nearest_even(shown.width * scale), 2, frame.width);
  place.size.height = std::clamp(nearest_even(shown.height * scale), 2, frame.height);
  place.x = (frame.width - place.size.width) / 4 * 2;
  place.y = (frame.height - place.size.height) / 4 * 2;
  return place;
}

Result<VideoFrame> I420Converter::convert(const AVFrame& picture) {
  const auto format = without_j(static_cast<AVPixelFormat>(picture.format));
  const AVPixFmtDescriptor* about = av_pix_fmt_desc_get(format);
  if (about == nullptr || sws_isSupportedInput(format) == 0) {
    return Error{std::string("cannot convert pictures of the format ") +
                 (about != nullptr ? about->name : "unknown") +
                 "; convert the video first, for example with ffmpeg -pix_fmt yuv420p"};
  }
  const PictureSize from{picture.width & ~1, picture.height & ~1};
  if (from.width <= 0 || from.height <= 0) {
    return Error{"a picture of the source has no pixels; check the video with another player"};
  }
  const Colors colors = colors_of(picture, *about);
  const ColorMatrix matrix = matrix_for(colors, size_);
  const bool full = colors.full && !colors.rgb;
  const int wanted_sws = matrix == ColorMatrix::kBt709 ? SWS_CS_ITU709 : SWS_CS_ITU601;
  const AVRational aspect = picture.sample_aspect_ratio;
  const bool square = aspect.num <= 0 || aspect.den <= 0 || aspect.num == aspect.den;

  VideoFrame frame;
  if (may_share_ && format == AV_PIX_FMT_YUV420P && from == size_ && square &&
      colors.sws_matrix == wanted_sws && picture.linesize[0] > 0 && picture.linesize[1] > 0) {
    AvFramePtr reference = new_av_frame();
    if (av_frame_ref(reference.get(), &picture) < 0) throw std::bad_alloc();
    frame = frame_on(shared(std::move(reference)), size_);
  } else {
    const double wider = square ? 1.0 : std::clamp(av_q2d(aspect), 0.25, 4.0);
    const PictureSize seen{std::max(1, static_cast<int>(std::lround(from.width * wider))),
                           from.height};
    const Placement place = fit_inside(seen, size_);
    if (!prepare({from, format, colors.sws_matrix, colors.full, place.size, matrix, full})) {
      return Error{"cannot convert pictures of " + std::to_string(picture.width) + "x" +
                   std::to_string(picture.height) + " in the format " + about->name +
                   "; convert the video first, for example with ffmpeg -pix_fmt yuv420p"};
    }
    const auto planes = allocate_planes(size_);
    const Placement chroma = halved(place);
    std::uint8_t* to[4] = {
        planes->data[0] + std::ptrdiff_t{place.y} * planes->linesize[0] + place.x,
        planes->data[1] + std::ptrdiff_t{chroma.y} * planes->linesize[1] + chroma.x,
        planes->data[2] + std::ptrdiff_t{chroma.y} * planes->linesize[2] + chroma.x, nullptr};
    sws_scale(scaler_.get(), picture.data, picture.linesize, 0, from.height, to, planes->linesize);
    if (place.size != size_) {
      const PictureSize chroma_size{size_.width / 2, size_.height / 2};
      blacken_around(planes->data[0], planes->linesize[0], size_, place, full ? 0 : 16);
      blacken_around(planes->data[1], planes->linesize[1], chroma_size, chroma, 128);
      blacken_around(planes->data[2], planes->linesize[2], chroma_size, chroma, 128);
    }
    frame = frame_on(planes, size_);
  }
  frame.range = full ? ColorRange::kFull : ColorRange::kLimited;
  frame.matrix = matrix;
  return frame;
}

bool I420Converter::prepare(const Setup& setup) {
  if (scaler_ && setup == setup_) return true;
  scaler_.reset(sws_getContext(setup.from_size.width, setup.from_size.height,
                               static_cast<AVPixelFormat>(setup.from_format), setup.to_size.width,
                               setup.to_size.height, AV_PIX_FMT_YUV420P,
                               SWS_BICUBIC | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
  if (!scaler_) return false;
  setup_ = setup;
  const int* from = sws_getCoefficients(setup.from_matrix);
  const int* to =
      sws_getCoefficients(setup.to_matrix == ColorMatrix::kBt709 ? SWS_CS_ITU709 : SWS_CS_ITU601);
  constexpr int kUnchanged = 1 << 16;  // contrast and saturation in 16.16 fixed point
  // Fails only for formats without colour, for which there is nothing to set.
  sws_setColorspaceDetails(scaler_.get(), from, setup.from_full ? 1 : 0, to, setup.to_full ? 1 : 0,
                           0, kUnchanged, kUnchanged);
  return true;
}

}  // namespace qvid::media
