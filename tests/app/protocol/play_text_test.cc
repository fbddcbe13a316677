// Pins the exact text of every message between player and server: programs of other versions write
// and read it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/options/url.h"
#include "app/protocol/play_protocol.h"
#include "app/protocol/sound_about.h"
#include "app/protocol/video_about.h"

namespace qvid::app {
namespace {

struct ClientText {
  ClientMessage message;
  std::string text;
};
struct ServerText {
  ServerMessage message;
  std::string text;
};

std::vector<ClientText> client_texts() {
  using media::Preference;
  return {
      {PlayRequest{.name = "live"}, R"({"name":"live","type":"play","window":3})"},
      {PlayRequest{
           .name = "a b.mkv", .window = 300, .start = 61'234ms, .prefer = Preference::kDetail},
       R"({"name":"a b.mkv","prefer":"detail","start_ms":61234,"type":"play","window":300})"},
      {PlayRequest{.name = "live", .window = 3, .decodes = {"h264", "av1"}},
       R"({"decodes":["h264","av1"],"name":"live","type":"play","window":3})"},
      {PlayRequest{.name = "", .window = 1, .prefer = Preference::kBalanced},
       R"({"name":"","prefer":"balanced","type":"play","window":1})"},
      {ListRequest{""}, R"({"after":"","type":"list"})"},
      {ListRequest{"a/b.mkv"}, R"({"after":"a/b.mkv","type":"list"})"},
      {Pause{}, R"({"type":"pause"})"},
      {Resume{}, R"({"type":"resume"})"},
      {SetWindow{5}, R"({"type":"window","window":5})"},
      {SoundWanted{}, R"({"on":true,"type":"sound","window_ms":500})"},
      {SoundWanted{.on = false, .window = 10s}, R"({"on":false,"type":"sound","window_ms":10000})"},
      {Seek{61s}, R"({"to_ms":61000,"type":"seek"})"},
      {Seek{999us}, R"({"to_ms":0,"type":"seek"})"},
      {PlayerPosition{60'900ms, 4100ms, true},
       R"({"at_ms":60900,"buffered_ms":4100,"running":true,"type":"position"})"},
      {PlayerPosition{60'900ms, 4100ms, true, 1.5},
       R"({"at_ms":60900,"buffered_ms":4100,"running":true,"speed":150,"type":"position"})"},
      {qps::Measure{qps::Way::kDown, 0, "live", ""},
       R"({"name":"live","type":"measure","way":"down"})"},
      {JoinHere{}, R"({"type":"join"})"},
      {PreviewWanted{61s}, R"({"at_ms":61000,"type":"preview"})"},
      {LayersWanted{1}, R"({"most":1,"type":"layers"})"},
  };
}

std::vector<ServerText> server_texts() {
  return {
      {Playing{.codec = "h264", .rate = {30, 1}, .window = 3, .stream = 1},
       R"({"codec":"h264","rate":[30,1],"stream":1,"type":"playing","window":3})"},
      {Playing{.codec = "h264", .rate = {30, 1}, .window = 3, .stream = 1, .layers = true},
       R"({"codec":"h264","layers":true,"rate":[30,1],"stream":1,"type":"playing","window":3})"},
      {Playing{.codec = "h264",
               .rate = {30000, 1001},
               .window = 7,
               .stream = 1,
               .sound = 2,
               .stored = StoredPlace{.duration = 2h, .at = {}}},
       R"({"at_ms":0,"codec":"h264","duration_ms":7200000,"rate":[30000,1001],"sound":2,)"
       R"("stream":1,"type":"playing","window":7})"},
      {Playing{.codec = "h264",
               .rate = {30, 1},
               .stream = 1,
               .previews = 3,
               .stored = StoredPlace{.duration = 60s, .at = {}}},
       R"({"at_ms":0,"codec":"h264","duration_ms":60000,"previews":3,"rate":[30,1],"stream":1,)"
       R"("type":"playing","window":3})"},
      {Moved{.stream = 3, .sound = {}, .at = 60s, .to = 61s},
       R"({"at_ms":60000,"stream":3,"to_ms":61000,"type":"moved"})"},
      {Moved{.stream = 3, .sound = 4, .at = 60s, .to = 61s},
       R"({"at_ms":60000,"sound":4,"stream":3,"to_ms":61000,"type":"moved"})"},
      {Refused{"no such file"}, R"({"reason":"no such file","type":"refused"})"},
      {Status{.ok = false, .text = "unplugged"},
       R"({"ok":false,"text":"unplugged","type":"status"})"},
      {Limited{""}, R"({"reason":"","type":"limited"})"},
      {Ended{"the end"}, R"({"reason":"the end","type":"ended"})"},
      {Files{}, R"({"files":[],"more":false,"type":"files"})"},
      {qps::Measuring{}, R"({"bytes":0,"ms":0,"stream":0,"type":"measuring"})"},
      {Files{{{.name = "a.mkv",
               .size = std::int64_t{5} << 30,
               .duration = 2h,
               .width = 1280,
               .height = 720,
               .prepared = true}},
             true},
       R"({"files":[{"duration_ms":7200000,"height":720,"name":"a.mkv","prepared":true,)"
       R"("size":5368709120,"width":1280}],"more":true,"type":"files"})"},
  };
}

TEST(PlayText, OfWhatAPlayerSays) {
  for (const auto& [message, text] : client_texts()) {
    EXPECT_EQ(serialise(message), text);
    const auto read = parse_client_message(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->index(), message.index()) << text;
    EXPECT_EQ(serialise(*read), text);
  }
}

TEST(PlayText, OfWhatAServerSays) {
  for (const auto& [message, text] : server_texts()) {
    EXPECT_EQ(serialise(message), text);
    const auto read = parse_server_message(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->index(), message.index()) << text;
    EXPECT_EQ(serialise(*read), text);
  }
}

TEST(PlayText, EveryKindOfMessageIsPinned) {
  for (std::size_t i = 0; i < std::variant_size_v<ClientMessage>; ++i) {
    EXPECT_TRUE(std::ranges::any_of(client_texts(), [i](const auto& t) {
      return t.message.index() == i;
    })) << i;
  }
  for (std::size_t i = 0; i < std::variant_size_v<ServerMessage>; ++i) {
    EXPECT_TRUE(std::ranges::any_of(server_texts(), [i](const auto& t) {
      return t.message.index() == i;
    })) << i;
  }
}

// Texts for a person are cut so that what comes of bytes that are no UTF-8 still fits, and are read
// without control characters.
TEST(PlayText, OfLongAndStrangeReasons) {
  const std::string cut(1365, 'a');
  EXPECT_EQ(serialise(ServerMessage(Ended{cut + "b"})),
            R"({"reason":")" + cut + R"(","type":"ended"})");
  EXPECT_EQ(serialise(ServerMessage(Status{.ok = true, .text = cut + "b"})),
            R"({"ok":true,"text":")" + cut + R"(","type":"status"})");
  EXPECT_EQ(
      std::get<Limited>(*parse_server_message(R"({"type":"limited","reason":"a\n\u001b"})")).reason,
      "a??");
  EXPECT_EQ(
      std::get<PlayRequest>(*parse_client_message(R"({"type":"play","name":"a\nb","window":3})"))
          .name,
      "a\nb");
}

// The bounds of each kind of field: the last that is taken and the first that is not.
TEST(PlayText, IsTakenUpToItsBounds) {
  const auto string = [](std::size_t size) { return '"' + std::string(size, 'a') + '"'; };
  const auto client = [](const std::string& text) { return bool(parse_client_message(text)); };
  const auto server = [](const std::string& text) { return bool(parse_server_message(text)); };
  const auto list = [&](std::size_t size) {
    return client(R"({"type":"list","after":)" + string(size) + "}");
  };
  EXPECT_TRUE(list(kMaxName));
  EXPECT_FALSE(list(kMaxName + 1));
  EXPECT_TRUE(client(R"({"type":"seek","to_ms":31622400000})"));
  EXPECT_FALSE(client(R"({"type":"seek","to_ms":31622400001})"));
  EXPECT_TRUE(client(R"({"type":"sound","on":true,"window_ms":10000})"));
  EXPECT_FALSE(client(R"({"type":"sound","on":true,"window_ms":10001})"));
  const auto playing = [&](const std::string& fields) {
    return server(R"({"type":"playing","codec":"h264","rate":[30,1],"window":3,)" + fields + "}");
  };
  EXPECT_TRUE(playing(R"("stream":4294967295,"sound":4294967295)"));
  EXPECT_FALSE(playing(R"("stream":1,"sound":4294967296)"));
  EXPECT_FALSE(playing(R"("stream":1,"sound":null)"));
  // Where it begins means nothing of live video.
  EXPECT_TRUE(playing(R"("stream":1,"at_ms":"x")"));
  const auto file = [&](const std::string& fields) {
    return server(R"({"type":"files","more":false,"files":[{"name":"a","duration_ms":0,)"
                  R"("prepared":true,)" +
                  fields + "}]}");
  };
  EXPECT_TRUE(file(R"("width":1048576,"height":1048576,"size":9223372036854775807)"));
  EXPECT_FALSE(file(R"("width":1048577,"height":1,"size":1)"));
  EXPECT_FALSE(file(R"("width":1,"height":1048577,"size":1)"));
  EXPECT_FALSE(file(R"("width":1,"height":1,"size":9223372036854775808)"));
}

TEST(PlayText, OfWhatSubscribersMustKnowOfATrack) {
  const VideoAbout video{.codec = "h264", .rate = {30000, 1001}};
  const std::string text = R"({"codec":"h264","kind":"video","rate":[30000,1001]})";
  EXPECT_EQ(serialise(video), text);
  const auto read = parse_video_about(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->codec, "h264");
  EXPECT_EQ(read->rate, (FrameRate{30000, 1001}));
  EXPECT_FALSE(read->apart);
  const auto apart =
      parse_video_about(serialise(VideoAbout{.codec = "h264", .rate = {30, 1}, .apart = true}));
  ASSERT_TRUE(apart);
  EXPECT_TRUE(apart->apart);
  for (const char* bad : {"", "[]", "{}", R"({"kind":"sound","codec":"h264","rate":[30,1]})",
                          R"({"kind":"video","rate":[30,1]})", R"({"kind":"video","codec":"h264"})",
                          R"({"kind":"video","codec":"h264","rate":[0,1]})"}) {
    ASSERT_FALSE(parse_video_about(bad)) << bad;
    EXPECT_TRUE(parse_video_about(bad).error().message.starts_with(
        "what it publishes is no video that is known here: "));
  }
  EXPECT_EQ(serialise(SoundAbout{}), R"({"codec":"opus","kind":"sound"})");
  EXPECT_EQ(parse_sound_about("{}").error().message,
            "its track 'sound' is no sound that is known here: 'kind' is missing or no text");
  EXPECT_EQ(parse_sound_about(R"({"kind":"sound","codec":"mp3"})").error().message,
            "its sound is of a codec that is not known here");
}

}  // namespace
}  // namespace qvid::app
