#include "media/codec/h264/h264_decoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "media/codec/h264/h264_sequence.h"
#include "media/codec/picture_memory.h"
#include "media/picture/downscale.h"
#include "media/picture/ffmpeg_handles.h"

namespace qvid::media {
namespace {

// Far above what the largest picture takes; keeps sizes well inside libavcodec's int.
constexpr std::size_t kMaxUnitBytes = 16 * 1024 * 1024;
// libavcodec rounds sizes up by at most this much before it compares them with max_pixels.
constexpr int kSizeRounding = 64;
// Added to the level of this decoder's messages: gaps in frame numbers are normal here, and other
// errors are reported as values. Above every level (AV_LOG_TRACE is 56), and with one it must stay
// below 256, where libavutil starts to read flags.
constexpr int kSilent = 64;

std::int64_t max_pixels(PictureSize size) {
  const auto up = [](int side) {
    return (side + kSizeRounding - 1) / kSizeRounding * kSizeRounding;
  };
  return up(size.width) * up(size.height);
}

// What `opaque` of a context points to.
struct PictureBuffers {
  PictureStore* store = nullptr;
  AvFramePtr last = new_av_frame();  // the picture fetched last; empty between two units
};

void give_back(void* picture, std::uint8_t*) {
  delete static_cast<std::shared_ptr<std::uint8_t>*>(picture);
}

// As avcodec_default_get_buffer2, from the store; below 0: an error of libavutil.
int take_buffer(PictureStore& store, AVCodecContext& context, AVFrame& frame) {
  if (frame.format != AV_PIX_FMT_YUV420P && frame.format != AV_PIX_FMT_YUVJ420P) {
    return AVERROR(ENOSYS);
  }
  // Of libavcodec's vector code, which may read behind a plane, and write into its padding.
  constexpr int kRow = 2 * static_cast<int>(PictureStore::kAlignment);
  constexpr int kBehind = 128;
  int width = frame.width;
  int height = frame.height;
  std::array<int, AV_NUM_DATA_POINTERS> alignment{};
  avcodec_align_dimensions2(&context, &width, &height, alignment.data());
  const int stride = (width + kRow - 1) / kRow * kRow;
  const int luma = stride * height + kBehind;
  const int chroma = stride / 2 * ((height + 1) / 2) + kBehind;
  const std::size_t all = static_cast<std::size_t>(luma) + 2 * static_cast<std::size_t>(chroma);
  auto pixels = store.take(all);
  if (!pixels) return AVERROR(ENOMEM);
  std::uint8_t* const data = pixels.get();
  auto owner = std::make_unique<std::shared_ptr<std::uint8_t>>(std::move(pixels));
  frame.buf[0] = av_buffer_create(data, all, give_back, owner.get(), 0);
  if (frame.buf[0] == nullptr) return AVERROR(ENOMEM);
  owner.release();  // NOLINT(bugprone-unused-return-value): the buffer's
  const std::array offsets = {0, luma, luma + chroma};
  for (std::size_t p = 0; p < offsets.size(); ++p) {
    frame.data[p] = data + offsets[p];
    frame.linesize[p] = p == 0 ? stride : stride / 2;
  }
  frame.extended_data = frame.data;
  return 0;
}

// libavcodec fetches the memory of each picture that it decodes, and of those that it fills gaps
// with, by this.
int get_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
  auto& buffers = *static_cast<PictureBuffers*>(context->opaque);
  const int result = buffers.store != nullptr ? take_buffer(*buffers.store, *context, *frame)
                                              : avcodec_default_get_buffer2(context, frame, flags);
  if (result < 0) return result;
  av_frame_unref(buffers.last.get());
  return av_frame_ref(buffers.last.get(), frame);
}

// Null where libavcodec lacks the decoder or memory. `buffers` outlive it.
AvCodecPtr open_context(PictureSize size, PictureBuffers& buffers) {
  const AVCodec* codec = avcodec_find_decoder(AV_CODEC_ID_H264);
  if (codec == nullptr) return {};
  AvCodecPtr context(avcodec_alloc_context3(codec));
  if (!context) return {};
  context->thread_count = 1;
  context->flags |= AV_CODEC_FLAG_LOW_DELAY;
  context->max_pixels = max_pixels(size);
  // A damaged unit is an error, not a picture made up from its neighbours: what is made up is
  // flagged, and refused for that. Without any concealment libavcodec keeps no account of a
  // picture's slices, and takes every slice but the first for the end of a gap.
  context->err_recognition = AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE;
  context->error_concealment = FF_EC_DEBLOCK;
  context->log_level_offset = kSilent;
  context->opaque = &buffers;
  context->get_buffer2 = get_buffer;
  if (avcodec_open2(context.get(), codec, nullptr) < 0) return {};
  return context;
}

AvPacketPtr packet_of(const Payload& data) {
  AvPacketPtr packet = new_av_packet();
  // libavcodec wants padding behind the bytes, so this is a copy.
  if (av_new_packet(packet.get(), static_cast<int>(data.size())) < 0) return {};
  const auto bytes = data.bytes();
  std::transform(bytes.begin(), bytes.end(), packet->data,
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return packet;
}

// One of the streams.
//
// Invariant: a context begins at a synchronisation point and lives until the next one or until an
// error. libavcodec keeps more than the references across an IDR (its output delay, for one, only
// ever grows), and none of that is to outlive bad input. A new context costs at most 0.2 ms,
// with the buffers of 720p 0.6 ms.
class H264LayerDecoder final : public LayerDecoder {
 public:
  explicit H264LayerDecoder(PictureStore* store) : buffers_{.store = store} {}

  Result<VideoFrame> decode(const CodedUnit& unit, PictureSize size, bool sync) override {
    const auto needed = h264_memory_of(unit.data.bytes(), even_size(size), kSizeRounding);
    if (!needed) return forget(needed.error());
    if (sync) {
      context_.reset();
      if (!*needed) return forget(Error{"a synchronisation point without a parameter set"});
      if (!memory_.take(**needed)) {
        return forget(Error{"no memory for another picture of that size: all that are shown take " +
                            std::to_string(PictureMemory::kMost.value() >> 20) +
                            " MiB at the most"});
      }
      context_ = open_context(size, buffers_);
      size_ = size;
      if (!context_) return Error{"libavcodec cannot open its H.264 decoder"};
    }
    if (!context_) return Error{"waits for a synchronisation point"};
    if (*needed && **needed > memory_.taken()) {
      return forget(Error{"it asks for more pictures than at its synchronisation point"});
    }
    if (size != size_) {
      context_.reset();
      return Error{"the size changes where there is no synchronisation point"};
    }
    auto picture = decode_packet(unit);
    av_frame_unref(buffers_.last.get());
    if (!picture) return forget(picture.error());
    return picture;
  }

 private:
  Error forget(Error why) {
    context_.reset();
    memory_.give_back();
    return why;
  }
  Result<VideoFrame> decode_packet(const CodedUnit& unit);
  // What libavcodec has decoded but does not give, if it is that.
  bool take_withheld(AVFrame& frame);

  PictureMemory memory_;
  PictureBuffers buffers_;
  AvCodecPtr context_;
  PictureSize size_;  // of the picture to show
};

// Where frame numbers wrap (every 32 frames) within a gap, libavcodec forgets to count the turn:
// the picture seems older than the one given before it, and is decoded and kept but not given.
bool H264LayerDecoder::take_withheld(AVFrame& frame) {
  const PictureSize size = even_size(size_);
  if (buffers_.last->buf[0] == nullptr || buffers_.last->width < size.width ||
      buffers_.last->height < size.height) {
    return false;
  }
  av_frame_move_ref(&frame, buffers_.last.get());
  frame.width = size.width;  // x264 crops on the right and below only
  frame.height = size.height;
  return true;
}

Result<VideoFrame> H264LayerDecoder::decode_packet(const CodedUnit& unit) {
  if (unit.data.empty()) return Error{"the unit is empty"};
  if (unit.data.size() > kMaxUnitBytes) return Error{"the unit is too large"};
  const AvPacketPtr packet = packet_of(unit.data);
  AvFramePtr frame = new_av_frame();
  const AvFramePtr extra = new_av_frame();
  if (!packet) return Error{"out of memory"};

  if (avcodec_send_packet(context_.get(), packet.get()) < 0) return Error{"the unit is damaged"};
  const int received = avcodec_receive_frame(context_.get(), frame.get());
  if (received < 0 && !(received == AVERROR(EAGAIN) && take_withheld(*frame))) {
    return Error{"the unit gives no picture"};
  }
  if (avcodec_receive_frame(context_.get(), extra.get()) != AVERROR(EAGAIN)) {
    return Error{"the unit gives more than one picture"};
  }
  if (frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0) {
    return Error{"the unit is damaged"};
  }
  if (frame->format != AV_PIX_FMT_YUV420P && frame->format != AV_PIX_FMT_YUVJ420P) {
    return Error{"the picture is not 8-bit 4:2:0"};
  }
  if (PictureSize{frame->width, frame->height} != even_size(size_)) {
    return Error{"the picture is " + std::to_string(frame->width) + "x" +
                 std::to_string(frame->height) + ", which is not what the header says"};
  }
  VideoFrame picture;
  picture.size = size_;
  for (std::size_t p = 0; p < picture.planes.size(); ++p) {
    picture.planes[p] = {frame->data[p], frame->linesize[p]};
  }
  picture.owner = std::shared_ptr<AVFrame>(std::move(frame));
  return picture;
}

}  // namespace

H264Decoder::H264Decoder(PictureStore* store)
    : LayeredDecoder(CodecKind::kH264,
                     [store] { return std::make_unique<H264LayerDecoder>(store); }) {}

}  // namespace qvid::media
