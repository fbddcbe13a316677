#include "media/source/portal_source.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/portal/session_bus.h"
#include "media/picture/i420_converter.h"
#include "media/source/desktop_portal.h"
#include "media/source/ffmpeg_open.h"
#include "media/source/pipewire_stream.h"
#include "media/source/portal_errors.h"
#include "media/source/screen_pace.h"

namespace qvid::media {
namespace {

constexpr Duration kPatienceForPicture = 10s;
// A request to stop, and the desktop's word that it is over, are looked for so often.
constexpr Duration kLookAround = 100ms;

class PortalSource final : public VideoSource {
 public:
  PortalSource(std::unique_ptr<DesktopPortal> portal, std::unique_ptr<PipewireStream> stream,
               PictureSize first_size, PictureSize size, FrameRate rate)
      : portal_(std::move(portal)),
        stream_(std::move(stream)),
        first_size_(first_size),
        size_(size),
        rate_(rate),
        converter_(size, false),
        pace_(rate) {}

  Result<std::variant<VideoFrame, EndOfStream>> read(std::stop_token stop) override {
    while (!stop.stop_requested()) {
      if (auto over = portal_->ended()) return *std::move(over);
      const Timestamp now = steady_now();
      if (stream_->has_picture() && now >= pace_.new_due()) {
        auto picture = stream_->take(converter_);
        if (!picture) return picture.error();
        pace_.on_new(now);
        return give(last_ = *std::move(picture), now);
      }
      if (now >= pace_.repeat_due()) {
        pace_.on_repeat(now);
        return give(last_, now);
      }
      const Timestamp due = stream_->has_picture() ? pace_.new_due() : pace_.repeat_due();
      // The wait for a new one ends when it comes.
      if (auto over =
              stream_->wait(due == kNever ? kLookAround : std::min(due - now, kLookAround))) {
        return *std::move(over);
      }
    }
    return {EndOfStream{}};
  }

  PictureSize size() const override { return size_; }

  std::string description() const override {
    return std::string(portal_->choice().is_window ? "window" : "screen") +
           " chosen on the desktop, " + pictures_text(first_size_, rate_, size_);
  }

 private:
  static Result<std::variant<VideoFrame, EndOfStream>> give(VideoFrame frame, Timestamp now) {
    frame.captured = now;
    return {std::move(frame)};
  }

  std::unique_ptr<DesktopPortal> portal_;  // whose end ends the pictures
  std::unique_ptr<PipewireStream> stream_;
  PictureSize first_size_;
  PictureSize size_;
  FrameRate rate_;
  I420Converter converter_;
  ScreenPace pace_;
  VideoFrame last_;
};

}  // namespace

std::optional<Error> unfit_portal_source(const SourceSpec& spec) {
  if (spec.area != ScreenArea{}) return area_without_display();
  const auto bus = session_bus_address();
  return bus ? std::nullopt : std::optional(no_session_bus(bus.error().message));
}

Result<std::unique_ptr<VideoSource>> open_portal_source(const SourceSpec& spec,
                                                        const SourceOptions& options,
                                                        const std::stop_token& stop) {
  if (auto unfit = unfit_portal_source(spec)) return *std::move(unfit);
  auto portal = DesktopPortal::ask(stop);
  if (!portal) return portal.error();
  DesktopPortal::Choice& choice = (*portal)->choice();
  auto stream = PipewireStream::connect(std::move(choice.pipewire), choice.node, options.rate);
  if (!stream) return stream.error();

  const Timestamp until = steady_now() + kPatienceForPicture;
  while (!(*stream)->has_picture()) {
    if (stop.stop_requested()) return stopped_asking();
    if (auto over = (*portal)->ended()) return *std::move(over);
    if (steady_now() >= until) return no_pictures("nothing has come for 10 s");
    if (auto over = (*stream)->wait(kLookAround)) return *std::move(over);
  }
  const PictureSize seen = (*stream)->size();
  PictureSize size = own_size(seen);
  if (options.size != PictureSize{}) size = {options.size.width & ~1, options.size.height & ~1};
  if (!is_supported(size)) {
    return no_pictures("it is of " + size_text(seen) + ", too small to be shown");
  }
  return std::unique_ptr<VideoSource>(std::make_unique<PortalSource>(
      *std::move(portal), *std::move(stream), seen, size, options.rate));
}

}  // namespace qvid::media
