#include "app/serve/preview_sender.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cmath>
#include <utility>

#include "app/log/log.h"
#include "base/clock.h"
#include "media/codec/codec.h"

namespace qvid::app {
namespace {

constexpr int kLongSide = 160;
constexpr int kLeastSide = 16;
// Some 4 kB a picture.
constexpr DataRate kPreviewRate = DataRate::from_kbps(1000);
constexpr std::uint8_t kPreviewImportance = 100;  // it has its stream for itself

int even_side(double pixels) {
  return std::max(kLeastSide, 2 * static_cast<int>(std::lround(pixels / 2)));
}

}  // namespace

media::PictureSize preview_size(media::PictureSize video) {
  const int longer = std::max({video.width, video.height, 1});
  const double scale = std::min(1.0, static_cast<double>(kLongSide) / longer);
  return {even_side(scale * video.width), even_side(scale * video.height)};
}

PreviewSender::PreviewSender(boost::asio::io_context& io, paceline::Session& session,
                             std::filesystem::path file, media::PictureSize video)
    : io_(io),
      session_(session),
      path_(std::move(file)),
      size_(preview_size(video)),
      stream_(session.open_stream(kWeight)),
      idle_(io) {}

PreviewSender::~PreviewSender() = default;

void PreviewSender::open() {
  // From the reader's thread to this one, where the sender may be gone by then.
  const auto guarded = [this, weak = std::weak_ptr(alive_)](auto f) {
    boost::asio::post(io_, [weak, f = std::move(f)] {
      if (!weak.expired()) f();
    });
  };
  const std::uint64_t reader = ++readers_;
  file_ = std::make_unique<media::FileIn>(
      path_,
      media::StoredOptions{.codec = std::string(media::kPlainCodec),
                           .bitrate = kPreviewRate,
                           .size = size_,
                           .gop = Duration::zero(),
                           .aligned_gops = true,
                           .use_prepared = false,
                           .sound = false,
                           .keys_only = true},
      media::FileIn::Callbacks{
          .opened = [](const media::StoredInfo&) {},
          .frame =
              [=, this](std::shared_ptr<const media::WireFrame> frame, std::uint64_t generation) {
                guarded([this, frame = std::move(frame), generation] {
                  if (generation == generation_ && asked_) send(*frame);
                });
              },
          .ended =
              [=, this](std::uint64_t generation) {
                guarded([this, generation] {
                  if (generation == generation_) asked_.reset();
                });
              },
          .failed =
              [=, this](const Error& error) {
                guarded([this, error, reader] {
                  if (reader == readers_ && file_ != nullptr) on_failed(error);
                });
              }});
}

// What was begun for that place already goes on.
void PreviewSender::ask(Duration place) {
  if (failures_ == kMostFailures) return;
  idle_.after(kIdle, [this] {
    file_.reset();
    asked_.reset();
  });
  if (asked_ == place) return;
  for (const paceline::MessageId message : std::exchange(sent_, {})) session_.cancel(message);
  if (file_ == nullptr) open();
  asked_ = place;
  file_->seek(place, ++generation_);
  file_->read_one();
}

// The reader has ended.
void PreviewSender::on_failed(const Error& error) {
  log_info("no preview of {}: {}", path_.filename().string(), error.message);
  ++failures_;
  asked_.reset();
  file_.reset();
}

void PreviewSender::send(const media::WireFrame& read) {
  media::CodedFrame coded = read.frame;
  coded.due = Timestamp(*std::exchange(asked_, std::nullopt));
  coded.number = std::exchange(next_, next_.next());
  const media::WireFrame frame = media::serialise(std::move(coded));
  const auto send_part = [&](std::uint64_t position, const Payload& payload) {
    const auto id = session_.send(stream_, {.importance = paceline::Importance(kPreviewImportance),
                                            .position = paceline::Position(position),
                                            .deadline = steady_now() + kUseful,
                                            .payload = payload});
    if (id) sent_.push_back(*id);
  };
  send_part(media::header_position(frame.frame.number), frame.header);
  for (std::size_t i = 0; i < frame.units.size(); ++i) {
    send_part(media::unit_position(frame.frame.number, frame.frame.units[i].layer), frame.units[i]);
  }
}

}  // namespace qvid::app
