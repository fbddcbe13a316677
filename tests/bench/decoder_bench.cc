// decoder_bench QVID: what decoding in a process of its own (QVID's) costs beside decoding here.
//
// Both decode each frame of the same video, in turns, at the pace of a live stream, so that both wake
// from waiting as they do in a call; what comes is copied by another thread, as a window does. Delay:
// from the frame at hand to the end of the copy. CPU: of both threads and of the decoder processes. Told
// are medians of kRounds rounds with decoders of their own, and the worst of what is added.
#include <unistd.h>
#include <ctime>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "media/codec/codec.h"
#include "media/codec/decoder.h"
#include "media/codec/encoder.h"
#include "media/codec/process/decoder_process.h"
#include "tests/bench/scene.h"
#include "tests/children_of.h"

namespace {

using namespace qvid;
using namespace qvid::media;

constexpr PictureSize kSize{1280, 720};
constexpr FrameRate kRate{30, 1};
constexpr int kCoded = 90;    // frames of the video, which is repeated
constexpr int kWarmUp = 60;   // frames that are not counted
constexpr int kFrames = 300;  // that are: 10 s
constexpr int kRounds = 5;
constexpr double kBitsPerPixel = 0.1;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "decoder_bench: %s\n", what.c_str());
  std::exit(1);
}

template <class T>
T need(Result<T> result) {
  if (!result) fail(result.error().message);
  return *std::move(result);
}

std::vector<CodedFrame> code(const std::string& codec) {
  EncoderOptions options;
  options.size = kSize;
  options.rate = kRate;
  options.bitrate = DataRate::from_bps(
      static_cast<std::int64_t>(kSize.width * kSize.height * kBitsPerPixel * kRate.per_second()));
  const auto encoder = need(make_encoder(codec, options));
  std::vector<CodedFrame> coded;
  for (const VideoFrame& picture : draw_scene(kSize, kCoded)) {
    const auto number = FrameNumber(static_cast<std::int64_t>(coded.size()));
    coded.push_back(need(encoder->encode(picture, number)));
  }
  return coded;
}

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double children_seconds() {
  double sum = 0;
  for (const int pid : children_of(getpid())) {
    clockid_t clock{};
    if (clock_getcpuclockid(pid, &clock) == 0) sum += seconds_of(clock);
  }
  return sum;
}

// As a window does it: rows of what is shown into memory of its own.
void copy_picture(const VideoFrame& picture, std::vector<std::uint8_t>& to) {
  std::size_t at = 0;
  for (std::size_t p = 0; p < picture.planes.size(); ++p) {
    const int width = p == 0 ? picture.size.width : picture.chroma_width();
    const int height = p == 0 ? picture.size.height : picture.chroma_height();
    for (int y = 0; y < height; ++y) {
      std::memcpy(to.data() + at, picture.planes[p].data + y * picture.planes[p].stride,
                  static_cast<std::size_t>(width));
      at += static_cast<std::size_t>(width);
    }
  }
}

// Copies a picture on a thread of its own.
class Window {
 public:
  ~Window() {
    thread_.request_stop();
    thread_.join();
  }
  // Until it is there; gives the thread's CPU seconds for it.
  double show(const VideoFrame& picture) {
    std::unique_lock lock(mutex_);
    picture_ = &picture;
    changed_.notify_all();
    changed_.wait(lock, [this] { return picture_ == nullptr; });
    return cpu_;
  }

 private:
  void run(const std::stop_token& stop) {
    std::vector<std::uint8_t> texture(static_cast<std::size_t>(kSize.width * kSize.height * 3 / 2));
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return picture_ != nullptr; })) {
      const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
      copy_picture(*picture_, texture);
      cpu_ = seconds_of(CLOCK_THREAD_CPUTIME_ID) - before;
      picture_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;  // guards all but the thread
  std::condition_variable_any changed_;
  const VideoFrame* picture_ = nullptr;  // to be copied
  double cpu_ = 0;
  std::jthread thread_{[this](const std::stop_token& stop) { run(stop); }};
};

struct Side {
  std::unique_ptr<Decoder> decoder;
  DecodedFrame seen{};           // until the next one, as a window has it
  double cpu = 0;                // seconds, of this thread
  std::vector<double> delays{};  // ms, by frame
};

void decode(Side& side, const CodedFrame& coded, std::int64_t number, bool counts, Window& window) {
  const Timestamp began = steady_now();
  const double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  auto got = need(side.decoder->decode({FrameNumber(number), coded.header, coded.units}));
  if (!got) fail("a whole frame gives no picture");
  const double copying = window.show(got->picture);
  side.seen = *std::move(got);
  if (!counts) return;
  side.cpu += seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu + copying;
  side.delays.push_back(to_ms(steady_now() - began));
}

double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

// Of a round: ms, and parts of what decoding here takes.
struct Round {
  struct Cost {
    double p50 = 0;
    double p99 = 0;
    double cpu = 0;  // of a frame
  };
  std::array<Cost, 2> sides{};  // here, in a process
  Cost added{};                 // of the same frame; cpu: 0..1 of that here
  double of_core = 0;           // that is added, 0..1
};

Round measure(const std::string& codec, const std::vector<CodedFrame>& coded,
              DecoderProcesses& processes) {
  std::array<Side, 2> sides{Side{.decoder = need(make_decoder(codec))},
                            Side{.decoder = need(processes.make(codec))}};
  Window window;
  double children = 0;
  const Timestamp start = steady_now();
  for (int n = 0; n < kWarmUp + kFrames; ++n) {
    std::this_thread::sleep_until(start + n * kRate.frame_time());
    if (n == kWarmUp) children = children_seconds();
    const CodedFrame& frame = coded[static_cast<std::size_t>(n % kCoded)];
    for (int turn = 0; turn < 2; ++turn) {
      decode(sides[static_cast<std::size_t>((n + turn) % 2)], frame, n, n >= kWarmUp, window);
    }
  }
  sides[1].cpu += children_seconds() - children;
  std::vector<double> added;
  for (std::size_t n = 0; n < sides[0].delays.size(); ++n) {
    added.push_back(sides[1].delays[n] - sides[0].delays[n]);
  }
  Round round;
  for (std::size_t s = 0; s < sides.size(); ++s) {
    round.sides[s] = {percentile(sides[s].delays, 0.5), percentile(sides[s].delays, 0.99),
                      sides[s].cpu * 1000 / kFrames};
  }
  const double more = sides[1].cpu - sides[0].cpu;
  round.added = {percentile(added, 0.5), percentile(added, 0.99), more / sides[0].cpu};
  round.of_core = more / kFrames * kRate.per_second();
  return round;
}

void compare(const std::string& codec, DecoderProcesses& processes) {
  const auto coded = code(codec);
  std::vector<Round> rounds;
  for (int n = 0; n < kRounds; ++n) rounds.push_back(measure(codec, coded, processes));
  const auto of = [&rounds](double part, auto value) {
    std::vector<double> values;
    for (const Round& round : rounds) values.push_back(value(round));
    return percentile(values, part);
  };
  const char* const names[] = {"here", "a process"};
  for (std::size_t s = 0; s < std::size(names); ++s) {
    std::printf("  %-6s %-12s %8.2f %8.2f %10.3f\n", codec.c_str(), names[s],
                of(0.5, [s](const Round& r) { return r.sides[s].p50; }),
                of(0.5, [s](const Round& r) { return r.sides[s].p99; }),
                of(0.5, [s](const Round& r) { return r.sides[s].cpu; }));
  }
  for (const auto& [name, part] : {std::pair("median", 0.5), std::pair("worst", 1.0)}) {
    std::printf("  added, %-6s  delay p50 %.2f ms, p99 %.2f ms; CPU %+.1f%%, %+.2f%% of a core\n",
                name, of(part, [](const Round& r) { return r.added.p50; }),
                of(part, [](const Round& r) { return r.added.p99; }),
                100 * of(part, [](const Round& r) { return r.added.cpu; }),
                100 * of(part, [](const Round& r) { return r.of_core; }));
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: decoder_bench QVID");
  DecoderProcessOptions options;
  options.program = argv[1];
  options.on_notice = [](const std::string& notice) { fail(notice); };
  DecoderProcesses processes(std::move(options));
  std::printf("1280x720 at 30 frames/s, %d rounds of %d frames\n  %-6s %-12s %8s %8s %10s\n",
              kRounds, kFrames, "", "", "p50 ms", "p99 ms", "CPU ms");
  for (const std::string& codec : codec_names()) compare(codec, processes);
  return 0;
}
