// A client of a Broker, over a session that only notes, for the broker's tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/pubsub/fake_port.h"

namespace qps {

struct Party {
  Party(Broker& to, Timestamp& clock, const std::string& name, const std::string& room = "den",
        std::vector<std::string> knows = {})
      : broker(to), now(clock), client(broker.connect(port, name + "'s address")) {
    say(Join{.room = room, .name = name, .token = {}, .knows = std::move(knows)});
  }
  // Who says what it likes, to begin with.
  Party(Broker& to, Timestamp& clock)
      : broker(to), now(clock), client(broker.connect(port, "an address")) {}
  ~Party() {
    if (client != nullptr) leave("the test is over");
  }
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;
  void leave(const std::string& reason) {
    broker.disconnect(std::exchange(client, nullptr), reason, now);
  }
  void say(const ToBroker& message) { say_text(serialise(message)); }
  void say_text(std::string_view text) {
    broker.on_message(client,
                      {.stream = paceline::kFirstStream,
                       .importance = {},
                       .position = {},
                       .payload = Payload::copy_of(text)},
                      now);
  }
  void publish(std::uint32_t stream = 2, const std::string& track = "") {
    say(Publish{.stream = stream, .about = "numbers", .track = track});
  }
  void item(std::int64_t number, std::uint8_t part = 0, std::size_t bytes = 100,
            std::uint32_t stream = 2) {
    std::uint8_t fragment = 0;
    for (const Payload& payload :
         to_fragments(envelope_of(number, part), qvid::PayloadBuilder(bytes).take())) {
      arrive({.part = {.item = number, .part = part}, .fragment = fragment++}, payload, stream);
    }
  }
  void arrive(const FragmentId& id, const Payload& payload, std::uint32_t stream = 2) {
    broker.on_message(client,
                      {.stream = paceline::StreamId(stream),
                       .importance = {},
                       .position = paceline::Position(position_of(id)),
                       .payload = payload},
                      now);
  }
  void watch(std::vector<std::string> names, Duration window = std::chrono::milliseconds(100),
             const std::string& track = "", std::uint32_t viewer = 1) {
    say(Watch{.viewer = viewer,
              .names = std::move(names),
              .best = {},
              .seats = 1,
              .window = window,
              .track = track});
  }
  void end(const FakePort::Sent& sent, paceline::Outcome outcome) {
    broker.on_ended(
        client,
        {.stream = sent.stream,
         .message = sent.id,
         .outcome = outcome,
         .sent = outcome == paceline::Outcome::kDelivered ? sent.message.payload.byte_count()
                                                          : qvid::ByteCount(),
         .size = sent.message.payload.byte_count()},
        now);
  }
  void end_all(paceline::Outcome outcome = paceline::Outcome::kDelivered) {
    for (const auto& sent : std::exchange(port.sent, {})) end(sent, outcome);
  }
  // What it was told ends, as where it reads.
  void read_control() {
    for (const auto& told : std::exchange(port.control, {})) {
      end(told, paceline::Outcome::kDelivered);
    }
  }
  // Items and parts that were sent on that stream.
  std::vector<std::pair<std::int64_t, int>> got(paceline::StreamId stream) const {
    std::vector<std::pair<std::int64_t, int>> all;
    for (const auto& s : port.sent) {
      const auto id = fragment_at(s.message.position.value());
      if (s.stream == stream && id->fragment == 0) {
        all.emplace_back(id->part.item, id->part.part);
      }
    }
    return all;
  }
  paceline::StreamId seat_stream() const { return paceline::StreamId(port.last<Seat>()->stream); }

  Broker& broker;
  Timestamp& now;
  FakePort port;
  Broker::Client* client;
};

using Got = std::vector<std::pair<std::int64_t, int>>;

}  // namespace qps
