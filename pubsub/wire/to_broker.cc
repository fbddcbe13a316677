#include "pubsub/wire/to_broker.h"

#include "pubsub/wire/control_fields.h"

namespace qps {
namespace {

using nlohmann::json;

// Names, a seat each; or criteria and how many seats.
constexpr auto kNamed =
    record<Watch>(required("names", &Watch::names, ListOf{kName, 1, kMaxSeats}));
constexpr auto kBest = record<Watch>(required("best", &Watch::best, Text{kMaxCriterion}),
                                     required("seats", &Watch::seats, Number<int>{1, kMaxSeats}));
struct NamedOrBest {
  const char* read(const json& object, Watch& m) const {
    if (object.contains("names") == object.contains("best")) return "names";
    if (object.contains("best")) return kBest.read(object, m);
    const char* wrong = kNamed.read(object, m);
    m.seats = static_cast<int>(m.names.size());
    return wrong;
  }
  void write(json& object, const Watch& m) const {
    m.names.empty() ? kBest.write(object, m) : kNamed.write(object, m);
  }
};

// Of whom or what is asked: what is no name of anybody finds nobody.
constexpr Name kAnyName{[](std::string_view) { return true; }};

// What is done to a room, or to a member, names it.
struct WhoIsMeant {
  const char* read(const json&, const Admin& m) const {
    if (asks(m.action)) return nullptr;
    if (!is_name(m.room)) return "room";
    return m.action == AdminAction::kLock || is_name(m.name) ? nullptr : "name";
  }
  void write(json&, const Admin&) const {}
};

// In the order of ToBroker.
constexpr MessageTable kToBroker(
    "type",
    message<Join>("join", required("room", &Join::room, kName),
                  required("name", &Join::name, kName),
                  optional("token", &Join::token, Text{kMaxToken}),
                  required("attributes", &Join::attributes, kAttributes),
                  optional("knows", &Join::knows, kKnown),
                  optional("self", &Join::self, Text{kMaxSelf})),
    message<SetAttributes>("attributes", required("set", &SetAttributes::set, kAttributes)),
    message<Publish>("publish", required("stream", &Publish::stream, kStream),
                     required("about", &Publish::about, kAbout), track_field<Publish>(),
                     optional("losses", &Publish::losses, Flag{})),
    message<Unpublish>("unpublish", track_field<Unpublish>()),
    message<Watch>("watch", required("viewer", &Watch::viewer, kViewer),
                   required("window_ms", &Watch::window, Milliseconds{kMaxWindow}),
                   track_field<Watch>(), NamedOrBest{}),
    message<PauseViewer>("pause", required("viewer", &PauseViewer::viewer, kViewer)),
    message<ResumeViewer>("resume", required("viewer", &ResumeViewer::viewer, kViewer)),
    message<Unwatch>("unwatch", required("viewer", &Unwatch::viewer, kViewer)),
    message<Admin>("admin", required("do", &Admin::action, kAction),
                   optional("token", &Admin::token, Text{kMaxToken}),
                   optional("room", &Admin::room, kAnyName),
                   optional("name", &Admin::name, kAnyName),
                   optional("reason", &Admin::reason, Shown{kMaxReason}),
                   optional("after", &Admin::after, kAnyName), track_field<Admin>(),
                   optional("on", &Admin::on, Flag{}), WhoIsMeant{}),
    kMeasure, message<PlayHere>("play"),
    message<Say>("say", required("text", &Say::text, Text{kMaxChatText}),
                 optional("to", &Say::to, kName)),
    message<RaiseHand>("hand", required("up", &RaiseHand::up, Flag{})),
    message<Link>("link", required("node", &Link::node, Text{kMaxName, is_name}),
                  required("token", &Link::token, Text{kMaxLinkToken})),
    message<AskBegin>("ask", required("viewer", &AskBegin::viewer, kViewer)),
    message<Take>("take", required("viewer", &Take::viewer, kViewer),
                  required("most", &Take::most, BitsPerSecond{}),
                  required("least", &Take::least, BitsPerSecond{}),
                  optional("contended", &Take::contended, Flag{})),
    message<LeavePlace>("leave"));
static_assert(std::is_same_v<decltype(kToBroker)::Message, ToBroker>);

}  // namespace

std::string serialise(const ToBroker& message) { return kToBroker.serialise(message); }

qvid::Result<ToBroker> parse_to_broker(std::string_view text) {
  return kToBroker.parse(text, "no valid request to a broker");
}

}  // namespace qps
