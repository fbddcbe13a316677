#include "media/stored/file_in.h"

#include <utility>
#include <variant>

namespace qvid::media {

FileIn::FileIn(std::filesystem::path path, StoredOptions options, Callbacks callbacks)
    : path_(std::move(path)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

FileIn::~FileIn() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  interrupt_.request_stop();
}  // the thread is joined by its destructor, without the lock

void FileIn::read_until(Duration position) {
  const std::lock_guard lock(mutex_);
  limit_ = position;
  changed_.notify_all();
}

void FileIn::read_one() {
  const std::lock_guard lock(mutex_);
  one_ = true;
  changed_.notify_all();
}

void FileIn::seek(Duration to, std::uint64_t generation) {
  const std::lock_guard lock(mutex_);
  wanted_ = Seek{to, generation};
  limit_.reset();
  one_ = false;
  interrupt_.request_stop();
  changed_.notify_all();
}

void FileIn::run(const std::stop_token& stop) {
  auto source = open_stored_source(path_, options_, stop);
  if (stop.stop_requested()) return;
  if (!source) return callbacks_.failed(source.error());
  const StoredInfo info = (*source)->info();
  rate_ = info.rate;
  callbacks_.opened(info);
  while (const Task task = next_task(stop)) {
    const auto* seek = std::get_if<Seek>(&*task);
    if (!(seek != nullptr ? go(**source, *seek) : read(**source))) return;
  }
}

FileIn::Task FileIn::next_task(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [this] {
    return wanted_ || (!at_end_ && (one_ || (limit_ && position_ <= *limit_)));
  });
  if (stop.stop_requested()) return std::nullopt;
  interrupt_ = {};
  interrupted_ = interrupt_.get_token();
  if (wanted_) return *std::exchange(wanted_, std::nullopt);
  one_ = false;
  return Read{};
}

bool FileIn::overtaken() const { return interrupted_.stop_requested(); }

bool FileIn::go(StoredSource& source, const Seek& seek) {
  const auto at = source.seek(seek.to, interrupted_);
  if (overtaken()) return true;
  if (!at) return callbacks_.failed(at.error()), false;
  position_ = *at;
  generation_ = seek.generation;
  at_end_ = false;
  return true;
}

bool FileIn::read(StoredSource& source) {
  auto got = source.next(interrupted_);
  if (overtaken()) return true;
  if (!got) return callbacks_.failed(got.error()), false;
  if (auto* frame = std::get_if<CodedFrame>(&*got)) {
    position_ = frame->due.time_since_epoch() + rate_.frame_time();
    callbacks_.frame(std::make_shared<const WireFrame>(serialise(std::move(*frame))), generation_);
    tell_sound(source);
  } else {
    at_end_ = true;
    tell_sound(source);
    callbacks_.ended(generation_);
  }
  return true;
}

void FileIn::tell_sound(StoredSource& source) {
  std::vector<StoredSoundMessage> messages;
  for (const SoundPacket& packet : source.take_sound()) {
    messages.push_back({.place = packet.captured.time_since_epoch(),
                        .duration = packet.duration,
                        .payload = serialise(packet)});
  }
  if (!messages.empty()) callbacks_.sound(std::move(messages), generation_);
}

}  // namespace qvid::media
