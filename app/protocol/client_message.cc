#include "app/protocol/client_message.h"

#include "app/options/url.h"
#include "app/protocol/play_fields.h"
#include "pubsub/wire/control_fields.h"

namespace qvid::app {
namespace {

using qps::Flag;
using qps::message;
using qps::Milliseconds;
using qps::optional;
using qps::required;
using qps::Text;

constexpr Text kUrlName{kMaxName};
constexpr qps::Number<int> kLayers{1, kAllLayers};
constexpr Text kToken{qps::kMaxToken};
constexpr qps::Word<media::Preference> kPrefer{.name = media::name_of,
                                               .parse = media::parse_preference};

// In the order of ClientMessage.
constexpr qps::MessageTable kClientMessages(
    "type",
    message<PlayRequest>("play", required("name", &PlayRequest::name, kUrlName),
                         required("window", &PlayRequest::window, kWindow),
                         optional("start_ms", &PlayRequest::start, kPlace),
                         optional("prefer", &PlayRequest::prefer, kPrefer),
                         optional("layers", &PlayRequest::layers, kLayers),
                         optional("decodes", &PlayRequest::decodes, kCodecNames),
                         optional("token", &PlayRequest::token, kToken)),
    message<ListRequest>("list", required("after", &ListRequest::after, kUrlName),
                         optional("token", &ListRequest::token, kToken)),
    message<Pause>("pause"), message<Resume>("resume"),
    message<SetWindow>("window", required("window", &SetWindow::window, kWindow)),
    message<SoundWanted>("sound", required("on", &SoundWanted::on, Flag{}),
                         required("window_ms", &SoundWanted::window,
                                  Milliseconds{kMaxSoundWindow})),
    message<Seek>("seek", required("to_ms", &Seek::to, kPlace)),
    message<PlayerPosition>("position", required("at_ms", &PlayerPosition::at, kPlace),
                            required("buffered_ms", &PlayerPosition::buffered, kPlace),
                            required("running", &PlayerPosition::running, Flag{}),
                            optional("speed", &PlayerPosition::speed, Speed{})),
    qps::kMeasure, message<JoinHere>("join"),
    message<PreviewWanted>("preview", required("at_ms", &PreviewWanted::at, kPlace)),
    message<LayersWanted>("layers", required("most", &LayersWanted::most, kLayers)));
static_assert(std::is_same_v<decltype(kClientMessages)::Message, ClientMessage>);

}  // namespace

std::string serialise(const ClientMessage& message) { return kClientMessages.serialise(message); }

Result<ClientMessage> parse_client_message(std::string_view text) {
  return kClientMessages.parse(text, "no valid request of a player");
}

}  // namespace qvid::app
