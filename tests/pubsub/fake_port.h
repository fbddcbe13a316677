// A client's session for the broker's tests: what is sent is noted, and ends when the test says so.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pubsub/broker/broker.h"

namespace qps {

inline constexpr Timestamp kBegin{std::chrono::seconds(1000)};

class FakePort : public Port {
 public:
  struct Sent {
    paceline::MessageId id;
    paceline::StreamId stream;
    paceline::Message message;
  };

  Result<paceline::MessageId> send(paceline::StreamId stream, paceline::Message message) override {
    if (full) return Error{"the queue is full"};
    const paceline::MessageId id(next_id_++);
    if (stream == paceline::kFirstStream) {
      auto said = parse_from_broker(message.payload.text());
      const auto* members = said ? std::get_if<Members>(&*said) : nullptr;
      if (members != nullptr) {
        told.insert(told.end(), members->of.begin(), members->of.end());
      } else if (said) {
        told.push_back(*std::move(said));
      }
      control.push_back({id, stream, std::move(message)});
    } else {
      sent.push_back({id, stream, std::move(message)});
    }
    return id;
  }
  void cancel(paceline::MessageId message) override { cancelled.push_back(message); }
  paceline::StreamId open_stream() override { return paceline::StreamId(next_stream_ += 2); }
  void close_stream(paceline::StreamId stream) override { closed_streams.push_back(stream); }
  qvid::Duration round_trip() const override { return path; }
  void let_in() override { is_let_in = true; }
  qvid::ByteCount waiting() const override { return unsent; }
  void hold(qvid::Duration) override { ++holds; }
  void close(const std::string& reason) override { closed = reason; }

  // What the broker told last of that kind.
  template <class T>
  std::optional<T> last() const {
    for (auto it = told.rbegin(); it != told.rend(); ++it) {
      if (const auto* found = std::get_if<T>(&*it)) return *found;
    }
    return std::nullopt;
  }
  template <class T>
  std::size_t count() const {
    std::size_t n = 0;
    for (const auto& message : told) n += std::holds_alternative<T>(message) ? 1 : 0;
    return n;
  }

  std::vector<FromBroker> told;  // a Members as so many Member
  std::vector<Sent> control;     // as it was sent
  std::vector<Sent> sent;        // of items
  std::vector<paceline::MessageId> cancelled;
  std::vector<paceline::StreamId> closed_streams;
  int holds = 0;
  std::optional<std::string> closed;
  qvid::Duration path{};
  bool full = false;
  bool is_let_in = false;
  qvid::ByteCount unsent;

 private:
  std::uint64_t next_id_ = 1;
  std::uint32_t next_stream_ = 1;
};

// Items of two parts as video has them: part 0 vital and small, part 1 large; the first of every
// ten begins, the others need the one before.
inline Envelope envelope_of(std::int64_t item, std::uint8_t part) {
  const bool begins = item % 10 == 0;
  Envelope e{.begins = begins && part == 0,
             .vital = part == 0,
             .importance = static_cast<std::uint8_t>(200 - 10 * part),
             .due = Timestamp(std::chrono::milliseconds(100 * item)),
             .useful_for = std::chrono::milliseconds(100 * (9 - item % 10)),
             .depends_on = {}};
  if (!begins) e.depends_on.push_back({.items_back = 1, .part = part});
  if (part > 0) e.depends_on.push_back({.items_back = 0, .part = 0});
  return e;
}

}  // namespace qps
