#include "ui/sound/program_sound.h"

#include <pulse/pulseaudio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "media/sound/followed_input.h"
#include "media/sound/ring_input.h"
#include "ui/sound/program_streams.h"

namespace qvid::ui {
namespace {

constexpr pa_sample_spec kSpec{
    .format = PA_SAMPLE_FLOAT32NE, .rate = media::kSoundRate, .channels = media::kMostChannels};
constexpr std::size_t kFrame = sizeof(float) * media::kMostChannels;
// At a time: 10 ms. The server makes the loudspeaker's buffers as short.
constexpr std::uint32_t kFragment = media::kSoundTurn * kFrame;
constexpr std::size_t kMostListed = 1024;  // of each kind; a server has some tens

struct ContextFree {
  void operator()(pa_context* context) const {
    pa_context_set_state_callback(context, nullptr, nullptr);
    pa_context_set_subscribe_callback(context, nullptr, nullptr);
    pa_context_disconnect(context);
    pa_context_unref(context);
  }
};
struct StreamFree {
  void operator()(pa_stream* stream) const {
    pa_stream_set_state_callback(stream, nullptr, nullptr);
    pa_stream_set_read_callback(stream, nullptr, nullptr);
    pa_stream_disconnect(stream);
    pa_stream_unref(stream);
  }
};
struct LoopFree {
  void operator()(pa_threaded_mainloop* loop) const {
    pa_threaded_mainloop_stop(loop);
    pa_threaded_mainloop_free(loop);
  }
};

std::string property(const pa_proplist* list, const char* key) {
  const char* value = list == nullptr ? nullptr : pa_proplist_gets(list, key);
  return value == nullptr ? std::string() : std::string(value);
}

// One that is shared. Of libpulse's thread, but for `sound`.
struct SharedProgram {
  std::uint32_t index = 0;
  std::uint32_t output = 0;
  std::shared_ptr<media::CapturePort> port;
  std::shared_ptr<media::FollowedInput> sound;
  Timestamp last{};                               // when something came
  std::unique_ptr<pa_stream, StreamFree> stream;  // ends first

  bool ended() const { return !PA_STREAM_IS_GOOD(pa_stream_get_state(stream.get())); }
};

void on_captured_part(pa_stream* stream, std::size_t, void* to) {
  static constexpr std::array<float, kFragment / sizeof(float)> kSilence{};
  auto& program = *static_cast<SharedProgram*>(to);
  media::CapturePort& port = *program.port;
  for (;;) {
    const void* data = nullptr;
    std::size_t size = 0;
    if (pa_stream_peek(stream, &data, &size) < 0 || size == 0) return;
    const Timestamp now = steady_now();
    // Nothing comes of a program that pauses; then it goes on by a clock of its own, at once.
    if (now - std::exchange(program.last, now) >= media::RingInput::kPatience) port.begin({});
    if (data != nullptr) {
      port.callback({static_cast<const float*>(data), size / kFrame * media::kMostChannels}, now);
    } else {  // a hole
      for (std::size_t left = size / kFrame * media::kMostChannels; left > 0;) {
        const std::size_t part = std::min(left, kSilence.size());
        port.callback(std::span(kSilence).first(part), now);
        left -= part;
      }
    }
    pa_stream_drop(stream);
  }
}

}  // namespace

class ProgramSound::Impl {
 public:
  explicit Impl(OnState on_state)
      : on_state_(std::move(on_state)), own_(std::to_string(::getpid())) {
    loop_.reset(pa_threaded_mainloop_new());
    if (!loop_ || pa_threaded_mainloop_start(loop_.get()) != 0) {
      throw std::runtime_error("libpulse does not start");
    }
    const Lock lock(*this);
    connect();
  }
  ~Impl() {
    {
      const Lock lock(*this);
      drop_all();
      if (retry_ != nullptr) api().time_free(std::exchange(retry_, nullptr));
    }
    loop_.reset();
  }

  bool available() const { return available_; }
  void set_on(bool on) {
    const Lock lock(*this);
    if (std::exchange(on_, on) == on) return;
    told_.reset();
    if (!on) return set_programs({});
    tell();
    look();
  }
  bool pull(Timestamp captured, Timestamp now, std::span<float> stereo) {
    std::ranges::fill(stereo, 0.0f);
    {
      const std::lock_guard lock(mutex_);
      taken_ = heard_;
    }
    bool any = false;
    part_.resize(stereo.size());
    for (const auto& sound : taken_) {
      if (!sound->pull(captured, now, part_)) continue;
      any = true;
      for (std::size_t i = 0; i < stereo.size(); ++i) stereo[i] += part_[i];
    }
    taken_.clear();
    return any;
  }

 private:
  class Lock {
   public:
    explicit Lock(Impl& impl) : loop_(impl.loop_.get()) { pa_threaded_mainloop_lock(loop_); }
    ~Lock() { pa_threaded_mainloop_unlock(loop_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    pa_threaded_mainloop* loop_;
  };

  pa_mainloop_api& api() { return *pa_threaded_mainloop_get_api(loop_.get()); }
  static Impl& self(void* of) { return *static_cast<Impl*>(of); }

  void connect() {
    context_.reset(pa_context_new(&api(), "Qvid"));
    if (!context_) return retry();
    pa_context_set_state_callback(context_.get(), &Impl::on_context, this);
    pa_context_set_subscribe_callback(
        context_.get(),
        [](pa_context*, pa_subscription_event_type_t, std::uint32_t, void* of) { self(of).look(); },
        this);
    // None is started for our sake.
    if (pa_context_connect(context_.get(), nullptr, PA_CONTEXT_NOAUTOSPAWN, nullptr) < 0) lost();
  }

  static void on_context(pa_context* context, void* of) {
    Impl& impl = self(of);
    switch (pa_context_get_state(context)) {
      case PA_CONTEXT_READY:
        impl.forget(pa_context_subscribe(
            context,
            static_cast<pa_subscription_mask_t>(PA_SUBSCRIPTION_MASK_SINK |
                                                PA_SUBSCRIPTION_MASK_SINK_INPUT),
            nullptr, nullptr));
        return impl.look();
      case PA_CONTEXT_FAILED:
      case PA_CONTEXT_TERMINATED: return impl.lost();
      default: return;
    }
  }

  // The context is let go by the timer: this may be its own callback.
  void lost() {
    set_programs({});
    looking_ = false;
    available_ = false;
    known_ = true;
    tell();
    retry();
  }
  void retry() {
    if (retry_ != nullptr) return;
    timeval at{};
    pa_timeval_add(pa_gettimeofday(&at), static_cast<pa_usec_t>(kRetry / 1us));
    retry_ = api().time_new(&api(), &at, &Impl::on_time, this);
  }
  static void on_time(pa_mainloop_api* api, pa_time_event* event, const timeval*, void* of) {
    Impl& impl = self(of);
    api->time_free(event);
    impl.retry_ = nullptr;
    impl.ready() ? impl.look() : impl.connect();
  }
  void drop_all() {
    set_programs({});
    context_.reset();
  }
  bool ready() const {
    return context_ && pa_context_get_state(context_.get()) == PA_CONTEXT_READY;
  }
  static void forget(pa_operation* operation) {
    if (operation != nullptr) pa_operation_unref(operation);
  }

  // What there is, one kind after the other; once more where it changes meanwhile.
  void look() {
    if (!ready()) return;
    if (std::exchange(looking_, true)) {
      again_ = true;
      return;
    }
    again_ = false;
    monitored_ = false;
    clients_.clear();
    played_.clear();
    forget(pa_context_get_sink_info_list(
        context_.get(),
        [](pa_context*, const pa_sink_info* sink, int last, void* of) {
          self(of).on_output(last == 0 ? sink : nullptr);
        },
        this));
  }
  void on_output(const pa_sink_info* sink) {
    if (sink != nullptr) {
      monitored_ = monitored_ || sink->monitor_source != PA_INVALID_INDEX;
      return;
    }
    forget(pa_context_get_client_info_list(
        context_.get(),
        [](pa_context*, const pa_client_info* client, int last, void* of) {
          self(of).on_client(last == 0 ? client : nullptr);
        },
        this));
  }
  void on_client(const pa_client_info* client) {
    if (client != nullptr) {
      if (clients_.size() < kMostListed) {
        clients_.push_back({.index = client->index,
                            .process = property(client->proplist, PA_PROP_APPLICATION_PROCESS_ID)});
      }
      return;
    }
    forget(pa_context_get_sink_input_info_list(
        context_.get(),
        [](pa_context*, const pa_sink_input_info* input, int last, void* of) {
          self(of).on_played(last == 0 ? input : nullptr);
        },
        this));
  }
  void on_played(const pa_sink_input_info* input) {
    if (input != nullptr) {
      if (played_.size() == kMostListed) return;
      PlayedStream stream{.index = input->index,
                          .output = input->sink,
                          .process = property(input->proplist, PA_PROP_APPLICATION_PROCESS_ID),
                          .filter = !property(input->proplist, "node.link-group").empty()};
      if (input->client != PA_INVALID_INDEX) stream.client = input->client;
      return played_.push_back(std::move(stream));
    }
    looking_ = false;
    available_ = monitored_;
    known_ = true;
    tell();
    if (on_) share(shared_streams(played_, clients_, own_, kMostPrograms));
    if (again_) look();
  }

  // Those that go on as they are, go on.
  void share(const std::vector<PlayedStream>& streams) {
    std::vector<std::unique_ptr<SharedProgram>> programs;
    bool failed = false;
    for (const PlayedStream& stream : streams) {
      const auto same = std::ranges::find_if(programs_, [&](const auto& p) {
        return p && p->index == stream.index && p->output == stream.output && !p->ended();
      });
      auto program = same != programs_.end() ? std::move(*same) : opened(stream);
      failed = failed || !program;
      if (program) programs.push_back(std::move(program));
    }
    set_programs(std::move(programs));
    if (failed) retry();
  }
  std::unique_ptr<SharedProgram> opened(const PlayedStream& stream) {
    auto program = std::make_unique<SharedProgram>();
    program->index = stream.index;
    program->output = stream.output;
    program->port = std::make_shared<media::CapturePort>(media::kMostChannels);
    program->sound = std::make_shared<media::FollowedInput>(
        std::make_unique<media::RingInput>(program->port, "another program"));
    program->stream.reset(pa_stream_new(context_.get(), "shared in a call", &kSpec, nullptr));
    pa_stream* const s = program->stream.get();
    if (s == nullptr || pa_stream_set_monitor_stream(s, stream.index) < 0) return nullptr;
    pa_stream_set_read_callback(s, on_captured_part, program.get());
    // Ended by the server, as when what it plays moves: what there is then is looked at.
    pa_stream_set_state_callback(
        s,
        [](pa_stream* of, void* impl) {
          if (!PA_STREAM_IS_GOOD(pa_stream_get_state(of))) self(impl).retry();
        },
        this);
    const auto whatever = static_cast<std::uint32_t>(-1);
    const pa_buffer_attr buffer{.maxlength = whatever,
                                .tlength = whatever,
                                .prebuf = whatever,
                                .minreq = whatever,
                                .fragsize = kFragment};
    constexpr auto kFlags =
        static_cast<pa_stream_flags_t>(PA_STREAM_DONT_MOVE | PA_STREAM_ADJUST_LATENCY);
    if (pa_stream_connect_record(s, nullptr, &buffer, kFlags) < 0) return nullptr;
    return program;
  }
  void set_programs(std::vector<std::unique_ptr<SharedProgram>> programs) {
    programs_ = std::move(programs);
    const std::lock_guard lock(mutex_);
    heard_.clear();
    for (const auto& program : programs_) heard_.push_back(program->sound);
  }

  void tell() {
    if (!on_ || !known_) return;
    const bool was_used = told_ == State::kUsed || told_ == State::kLost;
    const State now = available_ ? State::kUsed : was_used ? State::kLost : State::kNone;
    if (std::exchange(told_, now) != now) on_state_(now);
  }

  const OnState on_state_;
  const std::string own_;
  std::atomic<bool> available_{false};

  std::unique_ptr<pa_threaded_mainloop, LoopFree> loop_;
  // Under the loop's lock.
  std::unique_ptr<pa_context, ContextFree> context_;
  pa_time_event* retry_ = nullptr;
  bool on_ = false;
  bool known_ = false;         // whether there is any
  std::optional<State> told_;  // since it is on
  bool looking_ = false;
  bool again_ = false;
  bool monitored_ = false;
  std::vector<SoundClient> clients_;
  std::vector<PlayedStream> played_;
  std::vector<std::unique_ptr<SharedProgram>> programs_;

  std::mutex mutex_;  // guards the next
  std::vector<std::shared_ptr<media::FollowedInput>> heard_;
  // The sound thread's.
  std::vector<std::shared_ptr<media::FollowedInput>> taken_;
  std::vector<float> part_;
};

ProgramSound::ProgramSound(OnState on_state) : impl_(std::make_unique<Impl>(std::move(on_state))) {}
ProgramSound::~ProgramSound() = default;

bool ProgramSound::available() const { return impl_->available(); }
void ProgramSound::set_on(bool on) { impl_->set_on(on); }
bool ProgramSound::pull(Timestamp captured, Timestamp now, std::span<float> stereo) {
  return impl_->pull(captured, now, stereo);
}

}  // namespace qvid::ui
