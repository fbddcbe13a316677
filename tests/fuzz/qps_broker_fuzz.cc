// A broker with clients that send anything in any order, and administer another room, beside one
// pair that behaves, on two tracks: they see nothing of it.
//
//   input := step*    step := what:u8 rest by `what`
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/byte_io.h"
#include "pubsub/broker/broker.h"

namespace {

using namespace qps;
using paceline::MessageArrived;

class QuietPort : public Port {
 public:
  Result<paceline::MessageId> send(paceline::StreamId stream, paceline::Message message) override {
    if (stream != paceline::kFirstStream) {
      ++items;
      under_way.push_back(paceline::MessageId(next_));
    } else if (!parse_from_broker(message.payload.text())) {
      std::abort();  // it says what no client understands
    }
    return paceline::MessageId(next_++);
  }
  void cancel(paceline::MessageId) override {}
  paceline::StreamId open_stream() override { return paceline::StreamId(streams_ += 2); }
  void close_stream(paceline::StreamId) override {}
  qvid::Duration round_trip() const override { return {}; }
  void let_in() override {}
  qvid::ByteCount waiting() const override { return {}; }
  void hold(qvid::Duration) override {}
  void close(const std::string&) override { closed = true; }

  std::vector<paceline::MessageId> under_way;
  std::size_t items = 0;
  bool closed = false;

 private:
  std::uint64_t next_ = 1;
  std::uint32_t streams_ = 1;
};

// One more than a member may publish.
std::string track_of(std::size_t which) {
  which %= kMaxTracks + 1;
  return which == 0 ? "" : "t" + std::to_string(which);
}

std::vector<std::string> known(unsigned how) {
  return (how & 16) != 0 ? std::vector<std::string>{kKnowsChat, kKnowsHands, kKnowsOrder}
                         : std::vector<std::string>();
}

struct Party {
  QuietPort port;
  Broker::Client* client = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  qvid::ByteReader in(std::as_bytes(std::span(data, size)));
  Timestamp now{std::chrono::seconds(1000)};
  // Ports outlive the broker.
  Party source;
  Party witness;
  std::vector<std::unique_ptr<Party>> parties;
  // Everybody administers the other room.
  BrokerOptions options;
  options.authorise = [](const Join&, const Origin&) -> Result<Rights> {
    return Rights{.admin = true, .admin_room = "q"};
  };
  Broker broker(options);
  const auto say = [&](Party& p, std::string_view text) {
    broker.on_message(p.client,
                      MessageArrived{.stream = paceline::kFirstStream,
                                     .importance = {},
                                     .position = {},
                                     .payload = Payload::copy_of(text)},
                      now);
  };
  const auto item = [&](Party& p, std::uint32_t stream, std::uint64_t position, Payload payload) {
    broker.on_message(p.client,
                      MessageArrived{.stream = paceline::StreamId(stream),
                                     .importance = {},
                                     .position = paceline::Position(position),
                                     .payload = std::move(payload)},
                      now);
  };
  source.client = broker.connect(source.port, "source");
  witness.client = broker.connect(witness.port, "witness");
  say(source, serialise(Join{.room = "r", .name = "source", .token = {}}));
  say(source, serialise(Publish{.stream = 2, .about = "", .track = {}, .losses = true}));
  say(source, serialise(Publish{.stream = 4, .about = "", .track = "t1"}));
  say(witness, serialise(Join{.room = "r", .name = "witness", .token = {}, .knows = {kKnowsChat}}));
  say(witness,
      serialise(Watch{.viewer = 1, .names = {"source"}, .best = {}, .seats = 1, .window = {}}));
  say(witness,
      serialise(Watch{
          .viewer = 2, .names = {"source"}, .best = {}, .seats = 1, .window = {}, .track = "t1"}));
  const Payload good = to_fragments({.begins = true}, Payload::copy_of(std::string_view("x")))[0];
  std::int64_t sent = 0;
  while (in.remaining() > 0 && sent < 1000) {
    const std::uint8_t what = in.u8();
    if (parties.size() < 4) {
      parties.push_back(std::make_unique<Party>());
      parties.back()->client = broker.connect(parties.back()->port, "party");
    }
    const std::size_t which = what / 8 % parties.size();
    Party& p = *parties[which];
    switch (what % 8) {
      case 0:
      case 1: {
        const auto text = in.bytes(std::min<std::size_t>(in.u8(), in.remaining()));
        say(p, {reinterpret_cast<const char*>(text.data()), text.size()});
        break;
      }
      case 2: {
        const std::uint8_t how = in.u8();
        const std::string name = "p" + std::to_string(how % 4);
        const std::string room = (how & 4) != 0 ? "q" : "r";
        if ((how & 8) != 0) {
          const auto action = static_cast<AdminAction>(how / 16 % 5);
          const bool about_room = !asks(action);
          say(p, serialise(Admin{.action = action,
                                 .token = {},
                                 .room = about_room || (how & 128) != 0 ? room : "",
                                 .name = name,
                                 .reason = {},
                                 .after = {},
                                 .track = track_of(how / 16),
                                 .on = (how & 128) != 0}));
        } else {
          say(p, serialise(Join{.room = room, .name = name, .token = {}, .knows = known(how)}));
        }
        break;
      }
      case 3: {
        const std::uint8_t how = in.u8();
        const std::string track = track_of(how / 8);
        if (how >= 0xe8 && how < 0xf0) {
          say(p, serialise(RaiseHand{(how & 1) != 0}));
        } else if (how >= 0xf0) {
          const std::size_t length = std::min<std::size_t>(in.u8() * 9U, kMaxChatText);
          say(p, serialise(Say{std::string(length, 'a'), (how & 1) != 0 ? "witness" : ""}));
        } else if ((how & 4) != 0) {
          say(p, serialise(Unpublish{track}));
        } else {
          say(p, serialise(Publish{.stream = 2U + 2U * (how % 4), .about = "x", .track = track}));
        }
        break;
      }
      case 4: {
        const std::uint8_t how = in.u8();
        Watch watch{.viewer = how % 3U,
                    .names = {"source", "p" + std::to_string(how / 16 % 4)},
                    .best = {},
                    .seats = 1,
                    .window = {},
                    .track = track_of(in.u8())};
        if ((how & 8) != 0) watch.names.clear();
        say(p, serialise(watch));
        break;
      }
      case 5: {
        const std::uint64_t position = in.varint();
        item(p, static_cast<std::uint32_t>(2 + 2 * (position % 4)), position,
             Payload::copy_of(in.bytes(std::min<std::size_t>(in.u8(), in.remaining()))));
        break;
      }
      case 6: {
        const bool delivered = (in.u8() & 1) != 0;
        for (const auto id : std::exchange(p.port.under_way, {})) {
          broker.on_ended(
              p.client,
              {.stream = {},
               .message = id,
               .outcome = delivered ? paceline::Outcome::kDelivered : paceline::Outcome::kCancelled,
               .sent = {},
               .size = {}},
              now);
        }
        break;
      }
      default:
        now += std::chrono::milliseconds(in.u8() * 4);
        broker.poll(now);
        break;
    }
    if (p.port.closed || what == 255) {
      broker.disconnect(p.client, "gone", now);
      std::erase_if(parties, [&](const auto& each) { return each.get() == &p; });
    }
    const std::uint64_t position = position_of({.part = {.item = sent++, .part = 0}});
    item(source, 2, position, good);
    item(source, 4, position, good);
    if (witness.port.items != 2 * static_cast<std::size_t>(sent) || witness.port.closed ||
        source.port.closed) {
      std::abort();
    }
  }
  return 0;
}
