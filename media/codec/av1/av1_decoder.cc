#include "media/codec/av1/av1_decoder.h"

#include <dav1d/dav1d.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "media/picture/downscale.h"

namespace qvid::media {
namespace {

// Far above what the largest picture takes.
constexpr std::size_t kMaxAv1UnitBytes = 16 * 1024 * 1024;

struct UnrefDav1dPicture {
  void operator()(Dav1dPicture* picture) const {
    dav1d_picture_unref(picture);
    delete picture;
  }
};
using Dav1dPicturePtr = std::unique_ptr<Dav1dPicture, UnrefDav1dPicture>;

// dav1d's own way of laying a picture out (dav1d/picture.h), in the store that `cookie` is.
int take_dav1d_picture(Dav1dPicture* picture, void* cookie) {
  if (picture->p.layout != DAV1D_PIXEL_LAYOUT_I420 || picture->p.bpc != 8) return DAV1D_ERR(ENOSYS);
  constexpr int kBlock = 128;   // dav1d writes whole ones
  constexpr int kApart = 1024;  // rows that far apart would share a place in a cache
  const auto up = [](int side) { return (side + kBlock - 1) / kBlock * kBlock; };
  int stride = up(picture->p.w);
  if (stride % kApart == 0) stride += kBlock;
  const auto luma = static_cast<std::size_t>(stride) * static_cast<std::size_t>(up(picture->p.h));
  auto pixels = static_cast<PictureStore*>(cookie)->take(luma + luma / 2 + DAV1D_PICTURE_ALIGNMENT);
  if (!pixels) return DAV1D_ERR(ENOMEM);
  std::uint8_t* const data = pixels.get();
  picture->data[0] = data;
  picture->data[1] = data + luma;
  picture->data[2] = data + luma + luma / 4;
  picture->stride[0] = stride;
  picture->stride[1] = stride / 2;
  picture->allocator_data = new std::shared_ptr<std::uint8_t>(std::move(pixels));
  return 0;
}

void give_back_dav1d_picture(Dav1dPicture* picture, void*) {
  delete static_cast<std::shared_ptr<std::uint8_t>*>(picture->allocator_data);
}

Dav1dPicturePtr new_dav1d_picture() { return Dav1dPicturePtr(new Dav1dPicture{}); }

// One of the streams.
//
// Invariant: a dav1d begins at a synchronisation point and lives until the next one or until an
// error. Before anything is decoded it knows the largest picture that there may be, the header's.
class Av1LayerDecoder final : public LayerDecoder {
 public:
  explicit Av1LayerDecoder(PictureStore* store) : store_(store) {}

  Result<VideoFrame> decode(const CodedUnit& unit, PictureSize size, bool sync) override;

 private:
  struct Close {
    void operator()(Dav1dContext* context) const { dav1d_close(&context); }
  };

  std::optional<Error> begin(PictureSize size);
  Result<VideoFrame> decode_unit(const Payload& data);

  PictureStore* const store_;
  std::unique_ptr<Dav1dContext, Close> context_;
  PictureSize size_;  // of the picture to show
};

std::optional<Error> Av1LayerDecoder::begin(PictureSize size) {
  Dav1dSettings settings;
  dav1d_default_settings(&settings);
  settings.n_threads = 1;
  settings.max_frame_delay = 1;
  settings.apply_grain = 0;  // what the encoder meant, to the bit
  settings.all_layers = 0;
  settings.operating_point = 0;
  const PictureSize coded = even_size(size);
  settings.frame_size_limit =
      static_cast<unsigned>(coded.width) * static_cast<unsigned>(coded.height);
  settings.strict_std_compliance = 1;
  settings.logger = {.cookie = nullptr, .callback = nullptr};
  static_assert(PictureStore::kAlignment >= DAV1D_PICTURE_ALIGNMENT);
  if (store_ != nullptr) {
    settings.allocator = {.cookie = store_,
                          .alloc_picture_callback = take_dav1d_picture,
                          .release_picture_callback = give_back_dav1d_picture};
  }
  Dav1dContext* context = nullptr;
  context_.reset();
  if (dav1d_open(&context, &settings) < 0) return Error{"dav1d cannot be opened"};
  context_.reset(context);
  size_ = size;
  return std::nullopt;
}

Result<VideoFrame> Av1LayerDecoder::decode_unit(const Payload& data) {
  if (data.empty()) return Error{"the unit is empty"};
  if (data.size() > kMaxAv1UnitBytes) return Error{"the unit is too large"};
  Dav1dData in{};
  std::uint8_t* to = dav1d_data_create(&in, data.size());
  if (to == nullptr) return Error{"out of memory"};
  const auto bytes = data.bytes();
  std::transform(bytes.begin(), bytes.end(), to,
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  const int sent = dav1d_send_data(context_.get(), &in);
  const bool all = in.sz == 0;
  dav1d_data_unref(&in);
  if (sent < 0 || !all) return Error{"the unit is damaged"};

  Dav1dPicturePtr picture = new_dav1d_picture();
  if (dav1d_get_picture(context_.get(), picture.get()) < 0) {
    return Error{"the unit gives no picture"};
  }
  const Dav1dPicturePtr extra = new_dav1d_picture();
  if (dav1d_get_picture(context_.get(), extra.get()) != DAV1D_ERR(EAGAIN)) {
    return Error{"the unit gives more than one picture"};
  }
  if (picture->p.layout != DAV1D_PIXEL_LAYOUT_I420 || picture->p.bpc != 8) {
    return Error{"the picture is not 8-bit 4:2:0"};
  }
  const PictureSize coded{picture->p.w, picture->p.h};
  if (coded != size_ && coded != even_size(size_)) {
    return Error{"the picture is " + size_text(coded) + ", which is not what the header says"};
  }
  VideoFrame frame;
  frame.size = size_;
  for (std::size_t p = 0; p < frame.planes.size(); ++p) {
    frame.planes[p] = {static_cast<const std::uint8_t*>(picture->data[p]),
                       static_cast<int>(picture->stride[p == 0 ? 0 : 1])};
  }
  frame.owner = std::shared_ptr<Dav1dPicture>(std::move(picture));
  return frame;
}

Result<VideoFrame> Av1LayerDecoder::decode(const CodedUnit& unit, PictureSize size, bool sync) {
  if (sync) {
    if (auto error = begin(size)) return *std::move(error);
  }
  if (!context_) return Error{"waits for a synchronisation point"};
  if (size != size_) {
    context_.reset();
    return Error{"the size changes where there is no synchronisation point"};
  }
  auto picture = decode_unit(unit.data);
  if (!picture) context_.reset();
  return picture;
}

}  // namespace

Av1Decoder::Av1Decoder(PictureStore* store)
    : LayeredDecoder(CodecKind::kAv1,
                     [store] { return std::make_unique<Av1LayerDecoder>(store); }) {}

}  // namespace qvid::media
