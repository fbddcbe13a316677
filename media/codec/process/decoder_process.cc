#include "media/codec/process/decoder_process.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "media/codec/codec.h"
#include "media/codec/picture_memory.h"
#include "media/codec/process/decoder_child.h"
#include "media/codec/process/decoder_talk.h"
#include "media/codec/process/running_decoder.h"

namespace qvid::media {
namespace {

// The ids of pictures that nobody sees any more. Thread: any.
class ReturnedPictures {
 public:
  void lend() {
    const std::lock_guard lock(mutex_);
    ++out_;
  }
  void give_back(std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    --out_;
    ids_.push_back(id);
  }
  bool all_out() const {
    const std::lock_guard lock(mutex_);
    return out_ >= kMostPicturesOut;
  }
  std::vector<std::uint32_t> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ids_, {});
  }

 private:
  mutable std::mutex mutex_;
  std::size_t out_ = 0;
  std::vector<std::uint32_t> ids_;  // at most as many as were lent since they were taken
};

// What a picture keeps: the memory, and its place in it.
class LentPicture {
 public:
  LentPicture(std::shared_ptr<PictureRegion> region, std::shared_ptr<ReturnedPictures> returned,
              std::uint32_t id)
      : region_(std::move(region)), returned_(std::move(returned)), id_(id) {
    returned_->lend();
  }
  ~LentPicture() { returned_->give_back(id_); }
  LentPicture(const LentPicture&) = delete;
  LentPicture& operator=(const LentPicture&) = delete;

 private:
  const std::shared_ptr<PictureRegion> region_;
  const std::shared_ptr<ReturnedPictures> returned_;
  const std::uint32_t id_;
};

}  // namespace

// Starts processes, one ahead of what is asked for. Thread: any.
class DecoderProcesses::Starter {
 public:
  explicit Starter(DecoderProcessOptions options) : options_(std::move(options)) {
    if (options_.arguments.empty()) options_.arguments = {kDecoderProcessCommand};
    options_.arguments.insert(options_.arguments.begin(), "qvid");
  }

  using Started = Result<std::unique_ptr<RunningDecoder>>;

  Started take() {
    const std::lock_guard lock(mutex_);
    auto running = spare_ ? Started(std::move(spare_)) : start();
    // Where there is no other now, the next one starts when it is asked for.
    if (running) {
      if (auto next = start()) spare_ = *std::move(next);
    }
    return running;
  }

  const DecoderProcessOptions& options() const { return options_; }

  // Once a program.
  void note_unconfined(const std::string& why) {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(noted_, true)) return;
    }
    options_.on_notice("the decoder process keeps this program's rights (" + why +
                       "): what others send is decoded less safely");
  }

 private:
  Started start() const { return RunningDecoder::start(options_.program, options_.arguments); }

  DecoderProcessOptions options_;
  std::mutex mutex_;  // guards the rest
  std::unique_ptr<RunningDecoder> spare_;
  bool noted_ = false;
};

class DecoderProcesses::RemoteDecoder final : public Decoder {
 public:
  RemoteDecoder(std::shared_ptr<Starter> starter, std::unique_ptr<RunningDecoder> first)
      : starter_(std::move(starter)), started_(std::move(first)) {}

  Result<std::optional<DecodedFrame>> decode(const ReceivedFrame& frame) override {
    const Timestamp now = steady_now();
    if (!running_) {
      if (auto error = begin(now)) return *std::move(error);
    }
    if (now - allowed_ >= kRenew) {
      allowed_ = now;
      running_->allow_cpu(kMostCpu);
    }
    if (returned_->all_out()) return Error{"too many pictures are held: no room for another"};
    const std::uint32_t id = next_id_++;
    const auto request = build_request({.id = id, .released = returned_->take(), .frame = frame});
    if (request.empty()) return end({"a frame was larger than any"});
    auto answer = running_->ask(request, starter_->options().answer_limit);
    if (!answer) return end(answer.error());
    if (auto* failed = std::get_if<DecodeFailed>(&*answer)) return Error{std::move(failed->why)};
    const auto* picture = std::get_if<PictureInStore>(&*answer);
    if (picture == nullptr) return std::optional<DecodedFrame>();
    if (picture->number != frame.number) return end({"it answered with another frame's picture"});
    if (!memory_.take(running_->picture_memory())) {
      return end({"no memory for another picture of that size"});
    }
    return std::optional(decoded(*picture, id));
  }

 private:
  static constexpr Duration kRenew = std::chrono::seconds(1);

  // The one that was ready may have been killed meanwhile: then a second is tried at once, since
  // this may be the frame that the stream can go on from.
  std::optional<Error> begin(Timestamp now) {
    if (!begin_one(now)) return std::nullopt;
    return begin_one(now);
  }

  std::optional<Error> begin_one(Timestamp now) {
    if (!started_) {
      if (!restarts_.any(kRestarts, now)) {
        return Error{"its decoder process ended too often, and is started again later"};
      }
      restarts_.take(1);
      auto started = starter_->take();
      if (!started) return started.error();
      started_ = *std::move(started);
    }
    auto running = std::move(started_);
    const auto ready = running->wait_until_ready(starter_->options().start_limit);
    if (!ready) return told(ready.error());
    if (!ready->unconfined.empty()) starter_->note_unconfined(ready->unconfined);
    running_ = std::move(running);
    allowed_ = {};
    returned_ = std::make_shared<ReturnedPictures>();
    return std::nullopt;
  }

  Error end(const Error& why) {
    running_.reset();
    memory_.give_back();
    return told(why);
  }

  Error told(const Error& why) {
    starter_->options().on_notice("a stream's decoder process has ended (" + why.message +
                                  "): another one goes on from the next key frame");
    return {"the decoder process has ended: " + why.message};
  }

  DecodedFrame decoded(const PictureInStore& told, std::uint32_t id) const {
    DecodedFrame decoded{.number = told.number,
                         .picture = {},
                         .nominal = told.nominal,
                         .layer = told.layer,
                         .layers = told.layers,
                         .failed = told.failed};
    VideoFrame& picture = decoded.picture;
    picture.size = told.shown;
    picture.range = told.range;
    picture.matrix = told.matrix;
    for (std::size_t p = 0; p < picture.planes.size(); ++p) {
      const PlaneInStore& plane = told.planes[p];
      picture.planes[p] = {running_->pictures()->data() + plane.offset,
                           static_cast<int>(plane.stride)};
    }
    picture.owner = std::make_shared<LentPicture>(running_->pictures(), returned_, id);
    return decoded;
  }

  const std::shared_ptr<Starter> starter_;
  std::unique_ptr<RunningDecoder> started_;  // until it is ready
  std::unique_ptr<RunningDecoder> running_;
  std::shared_ptr<ReturnedPictures> returned_;  // of that process
  PictureMemory memory_;
  TokenBucket restarts_;
  Timestamp allowed_{};
  std::uint32_t next_id_ = 0;
};

DecoderProcesses::DecoderProcesses(DecoderProcessOptions options)
    : starter_(std::make_shared<Starter>(std::move(options))) {}

Result<std::unique_ptr<Decoder>> DecoderProcesses::make(std::string_view codec) {
  // What it is here, too; what it will get, frames say.
  if (const auto known = make_decoder(codec); !known) return known.error();
  auto first = starter_->take();
  if (!first) return Error{first.error().message + "; --decoder-process off goes without"};
  return std::unique_ptr<Decoder>(std::make_unique<RemoteDecoder>(starter_, *std::move(first)));
}

}  // namespace qvid::media
