#include "media/source/pipewire_stream.h"

#include <fcntl.h>
#include <pipewire/pipewire.h>
#include <spa/buffer/meta.h>
#include <spa/param/param.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "media/source/buffer_picture.h"
#include "media/source/pipewire_format.h"
#include "media/source/portal_errors.h"

namespace qvid::media {
namespace {

struct PipewireDeleter {
  void operator()(pw_main_loop* loop) const { pw_main_loop_destroy(loop); }
  void operator()(pw_context* context) const { pw_context_destroy(context); }
  void operator()(pw_core* core) const { pw_core_disconnect(core); }
  void operator()(pw_stream* stream) const { pw_stream_destroy(stream); }
};
template <class T>
using PipewireOwned = std::unique_ptr<T, PipewireDeleter>;

// What the system says of its error number, which PipeWire leaves in errno.
std::string system_words(int error) { return std::generic_category().message(error); }

// The whole milliseconds that are not less.
int milliseconds(Duration time) {
  return static_cast<int>(
      std::chrono::ceil<std::chrono::milliseconds>(std::max(time, Duration::zero())).count());
}

class NodeStream final : public PipewireStream {
 public:
  NodeStream() = default;
  ~NodeStream() override {
    // Before the loop that they are handled in is left.
    give_back();
    if (stream_) spa_hook_remove(&stream_hook_);
    stream_.reset();
    if (core_) spa_hook_remove(&core_hook_);
    core_.reset();
    context_.reset();
    if (loop_) pw_loop_leave(pw_main_loop_get_loop(loop_.get()));
  }
  NodeStream(const NodeStream&) = delete;
  NodeStream& operator=(const NodeStream&) = delete;

  std::optional<Error> begin(OwnedFile pipewire, std::uint32_t node, FrameRate rate);

  std::optional<Error> wait(Duration at_most) override {
    if (over_) return over_;
    const int done = pw_loop_iterate(pw_main_loop_get_loop(loop_.get()), milliseconds(at_most));
    if (done < 0 && done != -EINTR) end(sharing_ended("PipeWire: " + system_words(-done)));
    return over_;
  }
  bool has_picture() const override { return newest_ != nullptr; }
  PictureSize size() const override { return shown_part(lying()).size; }
  Result<VideoFrame> take(I420Converter& converter) override;

 private:
  static NodeStream& of(void* self) { return *static_cast<NodeStream*>(self); }
  void on_state(pw_stream_state before, pw_stream_state now, const char* error);
  void on_format(const spa_pod* parameter);
  void on_new_buffer(const pw_buffer& buffer);
  void on_buffers();
  BufferPicture lying() const;  // the newest
  void give_back() {
    if (newest_ != nullptr) pw_stream_queue_buffer(stream_.get(), std::exchange(newest_, nullptr));
  }
  // The first reason holds.
  void end(Error why) {
    if (!over_) over_ = std::move(why);
  }

  static const pw_stream_events kStreamEvents;
  static const pw_core_events kCoreEvents;

  PipewireOwned<pw_main_loop> loop_;
  PipewireOwned<pw_context> context_;
  PipewireOwned<pw_core> core_;
  spa_hook core_hook_{};
  PipewireOwned<pw_stream> stream_;
  spa_hook stream_hook_{};
  PipewireFormat format_;
  pw_buffer* newest_ = nullptr;  // ours until it is given back, or removed
  bool streamed_ = false;
  std::optional<Error> over_;
};

const pw_stream_events NodeStream::kStreamEvents = [] {
  pw_stream_events events{};
  events.version = PW_VERSION_STREAM_EVENTS;
  events.state_changed = [](void* self, pw_stream_state before, pw_stream_state now,
                            const char* error) { of(self).on_state(before, now, error); };
  events.param_changed = [](void* self, std::uint32_t id, const spa_pod* parameter) {
    if (id == SPA_PARAM_Format) of(self).on_format(parameter);
  };
  events.add_buffer = [](void* self, pw_buffer* buffer) { of(self).on_new_buffer(*buffer); };
  events.remove_buffer = [](void* self, pw_buffer* buffer) {
    if (of(self).newest_ == buffer) of(self).newest_ = nullptr;
  };
  events.process = [](void* self) { of(self).on_buffers(); };
  return events;
}();

const pw_core_events NodeStream::kCoreEvents = [] {
  pw_core_events events{};
  events.version = PW_VERSION_CORE_EVENTS;
  events.error = [](void* self, std::uint32_t id, int, int result, const char* message) {
    const std::string why = message == nullptr ? system_words(-result) : message;
    if (id == PW_ID_CORE) of(self).end(sharing_ended("PipeWire: " + why));
  };
  return events;
}();

void NodeStream::on_state(pw_stream_state, pw_stream_state now, const char* error) {
  if (now == PW_STREAM_STATE_STREAMING) streamed_ = true;
  if (now == PW_STREAM_STATE_ERROR) {
    const std::string why = error == nullptr ? "no reason is told" : error;
    end(streamed_ ? sharing_ended("PipeWire: " + why) : no_pictures("PipeWire: " + why));
  }
  // It connects from there, too, but is never told so.
  if (now == PW_STREAM_STATE_UNCONNECTED) end(sharing_ended("what was shown is no longer there"));
}

void NodeStream::on_format(const spa_pod* parameter) {
  if (parameter == nullptr) return;  // between two formats
  give_back();                       // it is of the format before
  format_ = pipewire_format(*parameter);
  if (format_.pixels < 0) {
    return end(no_pictures("they are of a format that was not asked for"));
  }
  const auto wanted = PipewireParameters::buffers(kMostBuffers);
  auto pods = wanted.all();
  pw_stream_update_params(stream_.get(), pods.data(), static_cast<std::uint32_t>(pods.size()));
}

// Memory that ends before what is mapped of it would end this process where it is read.
void NodeStream::on_new_buffer(const pw_buffer& buffer) {
  if (buffer.buffer->n_datas == 0) return;
  const spa_data& data = buffer.buffer->datas[0];
  if (data.type != SPA_DATA_MemFd) return;
  struct stat about {};
  const auto needed = std::int64_t{data.mapoffset} + data.maxsize;
  if (::fstat(static_cast<int>(data.fd), &about) != 0 || about.st_size < needed) {
    end(no_pictures("their memory is shorter than it is said to be"));
  }
}

// A picture that is not whole, or none (a buffer that tells of the pointer alone), is left out.
bool is_picture(const pw_buffer& buffer) {
  const spa_buffer& b = *buffer.buffer;
  if (b.n_datas == 0 || b.datas[0].data == nullptr || b.datas[0].chunk->size == 0 ||
      (static_cast<std::uint32_t>(b.datas[0].chunk->flags) & SPA_CHUNK_FLAG_CORRUPTED) != 0) {
    return false;
  }
  const auto* header = static_cast<const spa_meta_header*>(
      spa_buffer_find_meta_data(&b, SPA_META_Header, sizeof(spa_meta_header)));
  return header == nullptr || (header->flags & SPA_META_HEADER_FLAG_CORRUPTED) == 0;
}

void NodeStream::on_buffers() {
  while (pw_buffer* const next = pw_stream_dequeue_buffer(stream_.get())) {
    if (!is_picture(*next)) {
      pw_stream_queue_buffer(stream_.get(), next);
      continue;
    }
    give_back();
    newest_ = next;
  }
}

BufferPicture NodeStream::lying() const {
  const spa_buffer& b = *newest_->buffer;
  const spa_data& data = b.datas[0];
  BufferPicture lying{.bytes = {static_cast<const std::uint8_t*>(data.data), data.maxsize},
                      .offset = data.chunk->offset,
                      .stride = data.chunk->stride,
                      .format = format_.pixels,
                      .size = format_.size};
  const auto* crop = static_cast<const spa_meta_region*>(
      spa_buffer_find_meta_data(&b, SPA_META_VideoCrop, sizeof(spa_meta_region)));
  if (crop != nullptr && spa_meta_region_is_valid(crop)) {
    lying.crop = {.x = crop->region.position.x,
                  .y = crop->region.position.y,
                  .size = {static_cast<int>(crop->region.size.width),
                           static_cast<int>(crop->region.size.height)}};
  }
  return lying;
}

Result<VideoFrame> NodeStream::take(I420Converter& converter) {
  auto picture = picture_in(lying());
  auto frame = picture ? converter.convert(**picture) : Result<VideoFrame>(picture.error());
  give_back();
  return frame;
}

std::optional<Error> NodeStream::begin(OwnedFile pipewire, std::uint32_t node, FrameRate rate) {
  loop_.reset(pw_main_loop_new(nullptr));
  if (!loop_) return no_pipewire(system_words(errno));
  pw_loop* const loop = pw_main_loop_get_loop(loop_.get());
  pw_loop_enter(loop);
  context_.reset(pw_context_new(loop, nullptr, 0));
  if (!context_) return no_pipewire(system_words(errno));
  // PipeWire closes what it is given.
  const int file = ::fcntl(pipewire.get(), F_DUPFD_CLOEXEC, 3);
  if (file < 0) return no_pipewire(system_words(errno));
  core_.reset(pw_context_connect_fd(context_.get(), file, nullptr, 0));
  if (!core_) return no_pipewire(system_words(errno));
  pw_core_add_listener(core_.get(), &core_hook_, &kCoreEvents, this);

  stream_.reset(pw_stream_new(
      core_.get(), "Qvid",
      pw_properties_new(PW_KEY_MEDIA_TYPE, "Video", PW_KEY_MEDIA_CATEGORY, "Capture",
                        PW_KEY_MEDIA_ROLE, "Screen", PW_KEY_NODE_DONT_RECONNECT, "true", nullptr)));
  if (!stream_) return no_pipewire(system_words(errno));
  pw_stream_add_listener(stream_.get(), &stream_hook_, &kStreamEvents, this);
  const auto formats = PipewireParameters::formats(rate);
  auto pods = formats.all();
  const int result = pw_stream_connect(
      stream_.get(), PW_DIRECTION_INPUT, node,
      static_cast<pw_stream_flags>(PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS |
                                   PW_STREAM_FLAG_DONT_RECONNECT),
      pods.data(), static_cast<std::uint32_t>(pods.size()));
  if (result < 0) return no_pictures("PipeWire: " + system_words(-result));
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<PipewireStream>> PipewireStream::connect(OwnedFile pipewire,
                                                                std::uint32_t node,
                                                                FrameRate rate) {
  static const bool begun = [] {
    pw_init(nullptr, nullptr);  // kept until the process ends
    return true;
  }();
  static_cast<void>(begun);
  auto stream = std::make_unique<NodeStream>();
  if (auto error = stream->begin(std::move(pipewire), node, rate)) return *std::move(error);
  return std::unique_ptr<PipewireStream>(std::move(stream));
}

}  // namespace qvid::media
