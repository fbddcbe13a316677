#include "media/codec/process/decoder_child.h"

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_io.h"
#include "media/codec/codec.h"
#include "media/codec/decoder.h"
#include "media/codec/process/confinement.h"
#include "media/codec/process/decoder_talk.h"
#include "media/codec/process/shared_pictures.h"

namespace qvid::media {
namespace {

constexpr int kWrongStart = 2;  // exit code

// False: there is nobody there any more.
bool send_to_program(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(kDecoderSocket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive_from_program(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = recv(kDecoderSocket, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

class DecoderChild {
 public:
  explicit DecoderChild(std::shared_ptr<PictureRegion> region)
      : region_(std::move(region)), store_(region_) {}

  void run() {
    std::vector<std::byte> body;
    for (;;) {
      std::array<std::byte, 4> length{};
      if (!receive_from_program(length)) return;
      const std::size_t size = ByteReader(length).u32();
      if (size > kMostRequest) return;
      body.resize(size);
      if (!receive_from_program(body)) return;
      const auto request = parse_request(body);
      if (!request || !send_to_program(build_answer(answer(*request)))) return;
    }
  }

 private:
  DecoderAnswer answer(const DecodeRequest& request) {
    for (const std::uint32_t id : request.released) out_.erase(id);
    // Frames say which codec they are of.
    if (!decoder_) {
      auto made = make_decoder(kPlainCodec, &store_);
      if (!made) return DecodeFailed{made.error().message};
      decoder_ = *std::move(made);
    }
    auto decoded = decoder_->decode(request.frame);
    if (!decoded) return DecodeFailed{decoded.error().message};
    if (!*decoded) return NothingDecoded{};
    return in_store(**decoded, request.id);
  }

  DecoderAnswer in_store(DecodedFrame& decoded, std::uint32_t id) {
    PictureInStore told{.number = decoded.number,
                        .layer = decoded.layer,
                        .layers = decoded.layers,
                        .failed = decoded.failed,
                        .range = decoded.picture.range,
                        .matrix = decoded.picture.matrix,
                        .nominal = decoded.nominal,
                        .shown = decoded.picture.size,
                        .planes = {}};
    for (std::size_t p = 0; p < told.planes.size(); ++p) {
      const Plane& plane = decoded.picture.planes[p];
      told.planes[p] = {.offset = static_cast<std::uint64_t>(plane.data - region_->data()),
                        .stride = static_cast<std::uint32_t>(plane.stride)};
    }
    out_[id] = std::move(decoded.picture);
    return told;
  }

  const std::shared_ptr<PictureRegion> region_;
  SharedPictures store_;
  std::map<std::uint32_t, VideoFrame> out_;  // what the program has; it bounds that
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace

int run_decoder_process() {
  int type = 0;
  socklen_t size = sizeof type;
  auto region = PictureRegion::map(kDecoderPictures, true);
  if (!region || getsockopt(kDecoderSocket, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    std::fprintf(stderr, "this is for qvid itself: it decodes what others send\n");
    return kWrongStart;
  }
  DecoderChild child(*std::move(region));
  const auto unconfined = confine_this_process();
  if (send_to_program(build_answer(DecoderReady{unconfined ? unconfined->message : ""}))) {
    child.run();
  }
  return 0;
}

}  // namespace qvid::media
