#include "media/sound/sound_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace qvid::media {
namespace {

constexpr int kFrameBytes = 4;  // two samples of 16 bits
constexpr std::int64_t kWavHeaderBytes = 44;

void put(std::vector<unsigned char>& bytes, const char* tag) {
  bytes.insert(bytes.end(), tag, tag + 4);
}
void put(std::vector<unsigned char>& bytes, std::int64_t value, int size) {
  for (int i = 0; i < size; ++i) {
    bytes.push_back(static_cast<unsigned char>((value >> (8 * i)) & 0xff));
  }
}

// All of it is little-endian: "RIFF" size "WAVE", the chunk "fmt ", the chunk "data".
std::vector<unsigned char> wav_header(std::int64_t frames) {
  std::vector<unsigned char> h;
  const std::int64_t data = frames * kFrameBytes;
  put(h, "RIFF");
  put(h, data + kWavHeaderBytes - 8, 4);
  put(h, "WAVE");
  put(h, "fmt ");
  put(h, 16, 4);                        // bytes that follow
  put(h, 1, 2);                         // integers
  put(h, 2, 2);                         // channels
  put(h, kSoundRate, 4);                // frames a second
  put(h, kSoundRate * kFrameBytes, 4);  // bytes a second
  put(h, kFrameBytes, 2);
  put(h, 16, 2);  // bits a sample
  put(h, "data");
  put(h, data, 4);
  return h;
}

std::int16_t pcm(float sample) {
  if (!std::isfinite(sample)) return 0;
  return static_cast<std::int16_t>(std::lround(std::clamp(sample, -1.0f, 1.0f) * 32767.0f));
}

}  // namespace

Result<std::unique_ptr<WavOutput>> WavOutput::make(const std::string& path,
                                                   std::function<void(Timestamp)> on_begin) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return Error{"cannot write the sound file " + path + ": " + std::strerror(errno)};
  return std::unique_ptr<WavOutput>(new WavOutput(path, std::move(file), std::move(on_begin)));
}

WavOutput::WavOutput(std::string path, File file, std::function<void(Timestamp)> on_begin)
    : path_(std::move(path)), file_(std::move(file)), on_begin_(std::move(on_begin)) {
  write_header();
}

WavOutput::~WavOutput() { write_header(); }

std::size_t WavOutput::wanted(Timestamp now) {
  const bool first = !pace_.started();
  const std::size_t due = pace_.due(now + ClockOutput::kAhead);
  if (first) on_begin_(pace_.next());
  return due;
}

Timestamp WavOutput::heard(Timestamp now) {
  return pace_.started() ? pace_.next() : now + ClockOutput::kAhead;
}

void WavOutput::write(std::span<const float> stereo) {
  const std::int64_t at = pace_.position();
  const auto frames = static_cast<std::int64_t>(stereo.size() / 2);
  pace_.take(stereo.size() / 2);
  full_ = full_ || (at + frames) * kFrameBytes > kMostBytes;
  if (full_) return;
  // What was skipped is a hole in the file, which reads as silence.
  if (at > in_file_) {
    std::fseek(file_.get(), static_cast<long>(kWavHeaderBytes + at * kFrameBytes), SEEK_SET);
  }
  bytes_.clear();
  for (const float sample : stereo) put(bytes_, pcm(sample), 2);
  full_ = std::fwrite(bytes_.data(), 1, bytes_.size(), file_.get()) != bytes_.size();
  in_file_ = at + frames;
  if (in_file_ - header_says_ >= kHeaderEvery) write_header();
}

void WavOutput::write_header() {
  const auto header = wav_header(in_file_);
  std::fseek(file_.get(), 0, SEEK_SET);
  std::fwrite(header.data(), 1, header.size(), file_.get());
  std::fseek(file_.get(), static_cast<long>(kWavHeaderBytes + in_file_ * kFrameBytes), SEEK_SET);
  std::fflush(file_.get());
  header_says_ = in_file_;
}

}  // namespace qvid::media
