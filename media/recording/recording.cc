#include "media/recording/recording.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "media/unit/unit_wire.h"

namespace qvid::media {
namespace {

constexpr double kHold = 2;              // seconds: more than a recorder's transmit window
constexpr std::int64_t kMostHold = 240;  // frames; an assembler keeps more

}  // namespace

Recording::Recording(RecordingOptions options)
    : writer_(std::move(options)), thread_([this] { write(); }) {}

Recording::~Recording() { finish(); }

void Recording::begin(FrameRate rate, bool sound) {
  take_until(FrameNumber(kMaxFrameNumber));
  assembler_ = std::make_unique<FrameAssembler>();
  hold_ = std::clamp<std::int64_t>(std::llround(kHold * rate.per_second()), 1, kMostHold);
  begun_ = true;
  put(Begin{rate, sound}, {});
}

void Recording::on_sound(SoundPacket packet) {
  const ByteCount size = packet.opus.byte_count();
  put(std::move(packet), size);
}

void Recording::on_message(std::uint64_t position, const Payload& payload) {
  if (!begun_) return;
  auto message = parse_frame_message(position, payload);
  if (!message) {
    const std::lock_guard lock(mutex_);
    ++stats_.bad_messages;
    return;
  }
  if (auto* unit = std::get_if<UnitMessage>(&*message)) {
    return assembler_->on_unit(std::move(*unit));
  }
  auto& header = std::get<FrameHeaderMessage>(*message);
  take_until(FrameNumber(header.number.value() - hold_));
  assembler_->on_header(std::move(header));
}

// Frames up to that one can wait no longer.
void Recording::take_until(FrameNumber number) {
  for (const FrameHeaderMessage* next = assembler_->next_header();
       next != nullptr && next->number <= number; next = assembler_->next_header()) {
    for (ReceivedFrame& frame : assembler_->take(next->number)) {
      const FrameHeaderMessage* header = assembler_->header(frame.number);
      if (header == nullptr) continue;
      for (CodedUnit& unit : frame.units) {
        const ByteCount size = unit.data.byte_count();
        put(RecordedUnit{.number = frame.number,
                         .captured = header->captured,
                         .due = header->due,
                         .codec_header = frame.header,
                         .unit = std::move(unit)},
            size);
      }
    }
  }
}

void Recording::put(Task task, ByteCount size) {
  {
    const std::lock_guard lock(mutex_);
    // A beginning is never dropped; of two with nothing between the later counts.
    const bool begins = std::holds_alternative<Begin>(task);
    if (begins && !waiting_.empty() && std::holds_alternative<Begin>(waiting_.back().first)) {
      waiting_.pop_back();
    }
    if (!begins && (bytes_ + size > kMostWaiting || waiting_.size() >= kMostUnits)) {
      ++stats_.dropped;
      return;
    }
    bytes_ += size;
    waiting_.emplace_back(std::move(task), size);
  }
  changed_.notify_one();
}

void Recording::finish() {
  if (!thread_.joinable()) return;
  take_until(FrameNumber(kMaxFrameNumber));
  begun_ = false;
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Recording::Stats Recording::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void Recording::write() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !waiting_.empty() || finished_; });
    if (waiting_.empty()) break;
    auto [task, size] = std::move(waiting_.front());
    waiting_.pop_front();
    bytes_ -= size;
    lock.unlock();
    if (const auto* begin = std::get_if<Begin>(&task)) {
      writer_.begin(begin->rate, begin->sound);
    } else if (auto* sound = std::get_if<SoundPacket>(&task)) {
      writer_.add_sound(std::move(*sound));
    } else {
      writer_.add(std::get<RecordedUnit>(task));
    }
    lock.lock();
    static_cast<RecordingStats&>(stats_) = writer_.stats();
  }
  lock.unlock();
  writer_.finish();
  lock.lock();
  static_cast<RecordingStats&>(stats_) = writer_.stats();
}

}  // namespace qvid::media
