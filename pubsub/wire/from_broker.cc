#include "pubsub/wire/from_broker.h"

#include <algorithm>

#include "pubsub/wire/control_fields.h"
#include "pubsub/wire/criterion_text.h"

namespace qps {
namespace {

using nlohmann::json;

// The tracks, each once; whether there are any is told beside them, and all that is told by who
// knows of no tracks.
constexpr auto kTracks =
    record<Member>(optional("tracks", &Member::tracks, ListOf{kTrack, 0, kMaxTracks}));
struct WhatItPublishes {
  const char* read(const json& object, Member& m) const {
    const auto publishes = flag_field(object, "publishes");
    if (!publishes) return "publishes";
    if (*publishes) m.tracks.emplace_back();
    if (const char* wrong = kTracks.read(object, m)) return wrong;
    for (auto track = m.tracks.begin(); track != m.tracks.end(); ++track) {
      if (std::find(m.tracks.begin(), track, *track) != track) return "tracks";
    }
    return m.publishes() == *publishes ? nullptr : "tracks";
  }
  void write(json& object, const Member& m) const {
    object["publishes"] = m.publishes();
    object["tracks"] = m.tracks;
  }
};

// The error, or what there is to tell.
constexpr Opaque kData{
    [](const json& value) { return value.is_object() && within_depth(value, kMaxAttributeDepth); }};
constexpr auto kError = record<Answer>(required(
    "error", &Answer::error, Shown{kMaxText, [](std::string_view text) { return !text.empty(); }}));
constexpr auto kTold = record<Answer>(required("data", &Answer::data, kData));
struct ErrorOrData {
  const char* read(const json& object, Answer& m) const {
    return object.contains("error") ? kError.read(object, m) : kTold.read(object, m);
  }
  void write(json& object, const Answer& m) const {
    m.error.empty() ? kTold.write(object, m) : kError.write(object, m);
  }
};

constexpr auto kPart =
    record<PartId>(required("item", &PartId::item, Number<std::int64_t>{0, kMaxItem}),
                   required("part", &PartId::part, Number<std::uint8_t>{0, kMaxParts - 1}));
struct WhichPart {
  const char* read(const json& object, Lost& m) const { return kPart.read(object, m.id); }
  void write(json& object, const Lost& m) const { kPart.write(object, m.id); }
};

constexpr auto kMember =
    record<Member>(required("name", &Member::name, kName),
                   required("attributes", &Member::attributes, kAttributes), WhatItPublishes{},
                   optional("hand", &Member::hand, Number<std::int64_t>{}),
                   optional("held", &Member::held, ListOf{kTrack, 0, kMaxTracks}),
                   optional("other", &Member::other, Flag{}),
                   optional("abouts", &Member::abouts, ListOf{kAbout, 0, kMaxTracks}),
                   optional("self", &Member::self, Text{kMaxSelf + 8}),
                   optional("claim", &Member::claim, Number<std::int64_t>{}));
constexpr Nested kEntry{kMember};
constexpr std::size_t kMostEntries = 512;  // more than fit

bool is_name_or_nobody(std::string_view text) { return text.empty() || is_name(text); }

// In the order of FromBroker.
constexpr MessageTable kFromBroker(
    "type",
    message<Joined>("joined", required("room", &Joined::room, kName),
                    required("name", &Joined::name, kName),
                    optional("knows", &Joined::knows, kKnown),
                    optional("admin", &Joined::admin, Flag{}),
                    optional("nodes", &Joined::nodes, ListOf{kNodeAddress, 0, kMaxNodesTold})),
    message<Member>("member", kMember), message<Listed>("listed"),
    message<Left>("left", required("name", &Left::name, kName),
                  required("reason", &Left::reason, Shown{})),
    message<Seat>("seat", required("viewer", &Seat::viewer, kViewer),
                  required("seat", &Seat::seat, Number<int>{0, kMaxSeats - 1}),
                  required("name", &Seat::name, Name{is_name_or_nobody}),
                  required("stream", &Seat::stream, kStream),
                  required("about", &Seat::about, kAbout)),
    message<NotWatched>("not_watched", required("viewer", &NotWatched::viewer, kViewer),
                        required("reason", &NotWatched::reason, Shown{})),
    message<Wanted>("wanted", required("on", &Wanted::on, Flag{}), track_field<Wanted>(),
                    optional("losses", &Wanted::losses, Flag{})),
    message<Begin>("begin", track_field<Begin>()),
    message<Demand>("demand", required("most", &Demand::most, BitsPerSecond{}),
                    required("least", &Demand::least, BitsPerSecond{}), track_field<Demand>(),
                    optional("contended", &Demand::contended, Flag{})),
    message<Lost>("lost", WhichPart{}, track_field<Lost>()),
    message<JoinRefused>("refused", required("reason", &JoinRefused::reason, Shown{})),
    message<Moving>("moving", required("reason", &Moving::reason, Shown{})),
    message<Removed>("removed", required("reason", &Removed::reason, Shown{})),
    message<Answer>("answer", required("do", &Answer::action, kAction), ErrorOrData{}), kMeasuring,
    message<Said>("said", required("from", &Said::from, kName),
                  required("text", &Said::text, Text{kMaxChatText}),
                  required("number", &Said::number, Number<std::int64_t>{}),
                  required("ago_ms", &Said::ago, Milliseconds{kMaxAgo}),
                  optional("to", &Said::to, kName)),
    message<NotSaid>("not_said", required("reason", &NotSaid::reason, Shown{})),
    message<Hand>("hand", required("number", &Hand::number, Number<std::int64_t>{})),
    message<Held>("held", track_field<Held>(), required("on", &Held::on, Flag{})),
    message<Locked>("locked", required("on", &Locked::on, Flag{})),
    message<Members>("members", required("of", &Members::of, ListOf{kEntry, 0, kMostEntries})),
    message<Nodes>("nodes", required("of", &Nodes::of, ListOf{kNodeAddress, 0, kMaxNodesTold})),
    message<Linked>("linked"));
static_assert(std::is_same_v<decltype(kFromBroker)::Message, FromBroker>);

}  // namespace

std::string serialise(const FromBroker& message) { return kFromBroker.serialise(message); }

std::string entry_of(const Member& member) { return dump(kEntry.write(member)); }

// As serialise(Members) writes it.
std::vector<std::string> messages_of(std::span<const std::string_view> entries) {
  constexpr std::string_view kBefore = R"({"of":[)";
  constexpr std::string_view kBehind = R"(],"type":"members"})";
  std::vector<std::string> messages;
  for (const std::string_view entry : entries) {
    if (messages.empty() ||
        messages.back().size() + 1 + entry.size() + kBehind.size() > kMaxControlMessage) {
      messages.emplace_back(kBefore);
    } else {
      messages.back() += ',';
    }
    messages.back() += entry;
  }
  for (std::string& message : messages) message += kBehind;
  return messages;
}

qvid::Result<FromBroker> parse_from_broker(std::string_view text) {
  return kFromBroker.parse(text, "no valid answer of a broker");
}

}  // namespace qps
