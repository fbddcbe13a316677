#include "app/protocol/server_message.h"

#include "app/options/url.h"
#include "app/protocol/play_fields.h"
#include "pubsub/wire/control_fields.h"

namespace qvid::app {
namespace {

using nlohmann::json;
using qps::Flag;
using qps::message;
using qps::Number;
using qps::optional;
using qps::record;
using qps::required;
using qps::Shown;

static_assert(kMaxControlMessage == qps::kMaxControlMessage);
constexpr int kMostPixels = 1 << 20;
// Of the entries of a list: what is around them fits in the rest.
constexpr std::size_t kMaxFilesText = kMaxControlMessage - 256;

// Of stored video both; of live video none.
constexpr auto kStored =
    record<StoredPlace>(required("duration_ms", &StoredPlace::duration, kPlace),
                        required("at_ms", &StoredPlace::at, kPlace));
struct StoredOrLive {
  const char* read(const json& object, Playing& m) const {
    return object.contains("duration_ms") ? kStored.read(object, m.stored.emplace()) : nullptr;
  }
  void write(json& object, const Playing& m) const {
    if (m.stored) kStored.write(object, *m.stored);
  }
};

constexpr qps::Nested kListedFile{
    record<ListedFile>(required("name", &ListedFile::name, qps::Text{kMaxName}),
                       required("size", &ListedFile::size, Number<std::int64_t>{}),
                       required("duration_ms", &ListedFile::duration, kPlace),
                       required("width", &ListedFile::width, Number<int>{0, kMostPixels}),
                       required("height", &ListedFile::height, Number<int>{0, kMostPixels}),
                       required("prepared", &ListedFile::prepared, Flag{}))};
constexpr auto kAllFiles =
    record<Files>(required("files", &Files::files, qps::ListOf{kListedFile, 0, kMaxListed}),
                  required("more", &Files::more, Flag{}));
// As many of the first as fit a message.
struct FilesThatFit {
  const char* read(const json& object, Files& m) const { return kAllFiles.read(object, m); }
  void write(json& object, const Files& m) const {
    json list = json::array();
    std::size_t size = 0;
    bool more = m.more;
    for (const ListedFile& file : m.files) {
      json entry = kListedFile.write(file);
      size += qps::dump(entry).size() + 1;
      if (size > kMaxFilesText || list.size() == kMaxListed) {
        more = true;
        break;
      }
      list.push_back(std::move(entry));
    }
    object["files"] = std::move(list);
    object["more"] = more;
  }
};

// In the order of ServerMessage.
constexpr qps::MessageTable kServerMessages(
    "type",
    message<Playing>("playing", required("codec", &Playing::codec, Shown{}),
                     required("rate", &Playing::rate, Rate{}),
                     required("window", &Playing::window, kWindow),
                     required("stream", &Playing::stream, kStream),
                     optional("sound", &Playing::sound, kStream),
                     optional("previews", &Playing::previews, kStream), StoredOrLive{},
                     optional("layers", &Playing::layers, Flag{})),
    message<Moved>("moved", required("stream", &Moved::stream, kStream),
                   optional("sound", &Moved::sound, kStream), required("at_ms", &Moved::at, kPlace),
                   required("to_ms", &Moved::to, kPlace)),
    message<Refused>("refused", required("reason", &Refused::reason, Shown{})),
    message<Status>("status", required("ok", &Status::ok, Flag{}),
                    required("text", &Status::text, Shown{})),
    message<Limited>("limited", required("reason", &Limited::reason, Shown{})),
    message<Ended>("ended", required("reason", &Ended::reason, Shown{})),
    message<Files>("files", FilesThatFit{}), qps::kMeasuring);
static_assert(std::is_same_v<decltype(kServerMessages)::Message, ServerMessage>);

}  // namespace

std::string serialise(const ServerMessage& message) { return kServerMessages.serialise(message); }

Result<ServerMessage> parse_server_message(std::string_view text) {
  return kServerMessages.parse(text, "no valid answer of a server");
}

}  // namespace qvid::app
