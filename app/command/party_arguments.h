// The command line of who joins a room: `qvid call`, `publish`, `watch`, `record`.
#pragma once

#include <string>
#include <vector>

#include "app/options/cli.h"
#include "app/options/decoder_option.h"
#include "app/options/sound_options.h"
#include "app/options/source_options.h"
#include "app/options/token_option.h"
#include "app/options/transport_options.h"
#include "app/room/room_party.h"

namespace qvid::app {

// The room of a URL without a path: that of a call without a broker.
inline constexpr std::string_view kCallRoom = "call";

inline constexpr const char* kRoomUrl =
    "qvid://broker[:port]/room, or qvid://host[:port] of a call without a broker; behind it, "
    "#sha256:... names the one key to trust";

// As --best: criteria come from standard input.
inline constexpr std::string_view kFromInput = "-";

struct PartyArguments {
  std::string url;
  std::string source;
  std::string name;
  CredentialArguments token;
  std::string best;
  std::string share;
  bool share_sound =
      false;  // to begin with: what other programs play goes along with what is shared
  std::vector<std::string> names;
  int seats = 9;
  int window = 3;
  media::PlayoutMode playout = media::PlayoutMode::kEarly;
  DecoderArguments decoder;
  const CLI::Option* window_option = nullptr;  // to know whether it was given
  double duration = 0;
  bool headless = false;
  bool no_retry = false;
  bool no_camera = false;
  bool chat = false;  // lines of standard input are messages
  std::string screenshot;
  float scale = 0;            // of the window; 0: the display's
  bool notifications = true;  // while nobody looks at it
  bool push_to_talk = false;
  SourceArguments live;
  SoundArguments sound;
  std::string output_log;
  TransportArguments transport;
  ClientArguments client;
};

struct Role {
  bool publishes = false;
  bool watches = false;
};

// Who one is without --name.
std::string default_name();
void add_party_options(CLI::App& command, PartyArguments& arguments);
// What is shared, of what `spec` says; at its own size, whatever the camera's is to be.
Result<media::LiveInOptions> share_source(const std::string& spec, const PartyArguments& arguments);
// The party that goes there. The error says what is wrong with the command line.
Result<PartyOptions> party_options(const PartyArguments& arguments, Role role,
                                   const Destination& to);
// Its sound, where it sends or hears any; changes where the source's own goes.
Result<std::optional<RoomSoundOptions>> party_sound(const PartyArguments& arguments, Role role,
                                                    bool source_first, PartyOptions& options,
                                                    SoundDevices& devices);
// Where the URL leads.
Result<Destination> room_of(const PartyArguments& arguments);

}  // namespace qvid::app
