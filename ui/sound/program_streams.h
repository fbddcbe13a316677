// Which of the streams that a sound server plays are shared: those of other programs, themselves and not
// in what passes them on.
//
// Pure. Thread: any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qvid::ui {

// As the server lists it.
struct PlayedStream {
  std::uint32_t index = 0;
  std::uint32_t output = 0;               // the loudspeaker's index
  std::optional<std::uint32_t> client{};  // empty: a module of the server has made it
  std::string process{};                  // of the stream, as its program says; empty: it does not
  bool filter = false;                    // one end of something that passes sound on
};

struct SoundClient {
  std::uint32_t index = 0;
  std::string process{};
};

// At most `most` of them, in the order given; `own`: this process.
inline std::vector<PlayedStream> shared_streams(const std::vector<PlayedStream>& played,
                                                const std::vector<SoundClient>& clients,
                                                const std::string& own, std::size_t most) {
  std::vector<PlayedStream> shared;
  for (const PlayedStream& stream : played) {
    if (shared.size() == most) break;
    if (!stream.client || stream.filter || stream.process == own) continue;
    const auto client = std::ranges::find(clients, *stream.client, &SoundClient::index);
    // One that is gone is gone with its streams: whose they were nobody knows.
    if (client == clients.end() || client->process == own) continue;
    shared.push_back(stream);
  }
  return shared;
}

}  // namespace qvid::ui
