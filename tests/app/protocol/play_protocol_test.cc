// Shows that messages of player and server come back as they were sent, and that whatever else may
// come is an Error.
#include "app/protocol/play_protocol.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <variant>

#include "app/options/url.h"

namespace qvid::app {
namespace {

std::string nested(const std::string& open, const std::string& close, std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

template <class T>
T round_trip(const T& message) {
  const auto parsed = parse_server_message(serialise(ServerMessage(message)));
  if (!parsed || !std::holds_alternative<T>(*parsed)) {
    ADD_FAILURE() << "came back as something else";
    return {};
  }
  return std::get<T>(*parsed);
}

template <class T>
T round_trip_of_client(const T& message) {
  const auto parsed = parse_client_message(serialise(ClientMessage(message)));
  if (!parsed || !std::holds_alternative<T>(*parsed)) {
    ADD_FAILURE() << "came back as something else";
    return {};
  }
  return std::get<T>(*parsed);
}

TEST(PlayProtocol, RequestsComeBack) {
  for (const std::string& name : {std::string("live"), std::string("a \"b\"\\\n\x01/\xc3\xa4"),
                                  std::string(), std::string(kMaxName, 'a')}) {
    for (const int window : {1, 3, 300}) {
      const auto request =
          round_trip_of_client(PlayRequest{.name = name, .window = window, .start = 61ms});
      EXPECT_EQ(request.name, name);
      EXPECT_EQ(request.window, window);
      EXPECT_EQ(request.start, 61ms);
      EXPECT_EQ(request.prefer, media::Preference::kMotion);
    }
  }
  EXPECT_EQ(round_trip_of_client(PlayRequest{.name = "live"}).decodes,
            (std::vector<std::string>{"h264"}))
      << "of who does not say";
  const std::vector<std::string> both = {"h264", "av1"};
  EXPECT_EQ(round_trip_of_client(PlayRequest{.name = "live", .decodes = both}).decodes, both);
  EXPECT_EQ(round_trip_of_client(PlayRequest{.name = "live", .layers = 2}).layers, 2);
  const PlayRequest detailed{.name = "live", .prefer = media::Preference::kDetail};
  EXPECT_EQ(round_trip_of_client(detailed).prefer, media::Preference::kDetail);
  EXPECT_EQ(round_trip_of_client(ListRequest{"a/b.mkv"}).after, "a/b.mkv");
  round_trip_of_client(Pause{});
  round_trip_of_client(Resume{});
  EXPECT_EQ(round_trip_of_client(SetWindow{12}).window, 12);
  EXPECT_EQ(round_trip_of_client(Seek{2h}).to, 2h);
  EXPECT_EQ(round_trip_of_client(PreviewWanted{2h}).at, 2h);
  EXPECT_EQ(round_trip_of_client(LayersWanted{kAllLayers}).most, kAllLayers);
  for (const char* most : {"0", "9", "-1", "1.5", "\"1\"", "null"}) {
    EXPECT_FALSE(parse_client_message(R"({"type":"layers","most":)" + std::string(most) + "}"))
        << most;
  }
  const auto sound = round_trip_of_client(SoundWanted{.on = false, .window = kMaxSoundWindow});
  EXPECT_FALSE(sound.on);
  EXPECT_EQ(sound.window, kMaxSoundWindow);
  const auto position = round_trip_of_client(PlayerPosition{90min, 4s, false});
  EXPECT_EQ(position.at, 90min);
  EXPECT_EQ(position.buffered, 4s);
  EXPECT_FALSE(position.running);
  EXPECT_EQ(position.speed, 1);
  EXPECT_EQ(round_trip_of_client(PlayerPosition{1s, 1s, true, 1.25}).speed, 1.25);
  EXPECT_EQ(round_trip_of_client(qps::Measure{.name = "live", .token = "t"}).token, "t");
}

TEST(PlayProtocol, AnswersComeBack) {
  const auto playing = round_trip(Playing{.codec = "h264",
                                          .rate = {30000, 1001},
                                          .window = 5,
                                          .stream = std::numeric_limits<std::uint32_t>::max(),
                                          .stored = {}});
  EXPECT_EQ(playing.codec, "h264");
  EXPECT_EQ(playing.rate, (FrameRate{30000, 1001}));
  EXPECT_EQ(playing.window, 5);
  EXPECT_EQ(playing.stream, std::numeric_limits<std::uint32_t>::max());
  EXPECT_FALSE(playing.stored);
  EXPECT_FALSE(playing.sound);
  EXPECT_EQ(round_trip(Playing{.codec = "h264", .rate = {}, .sound = 7}).sound, 7u);
  const auto stored = round_trip(
      Playing{.codec = "h264", .rate = {}, .stored = StoredPlace{.duration = 2h, .at = 61s}});
  ASSERT_TRUE(stored.stored);
  EXPECT_EQ(stored.stored->duration, 2h);
  EXPECT_EQ(stored.stored->at, 61s);
  const auto moved = round_trip(Moved{.stream = 5, .at = 60s, .to = 61s});
  EXPECT_EQ(moved.stream, 5u);
  EXPECT_EQ(moved.at, 60s);
  EXPECT_EQ(moved.to, 61s);
  EXPECT_FALSE(moved.sound);
  EXPECT_EQ(round_trip(Moved{.stream = 5, .sound = 6, .at = 60s, .to = 61s}).sound, 6u);
  EXPECT_EQ(round_trip(Refused{"no such file"}).reason, "no such file");
  EXPECT_EQ(round_trip(Limited{"too slow"}).reason, "too slow");
  EXPECT_EQ(round_trip(Ended{"the end"}).reason, "the end");
  const auto status = round_trip(Status{.ok = false, .text = "unplugged"});
  EXPECT_FALSE(status.ok);
  EXPECT_EQ(status.text, "unplugged");
}

TEST(PlayProtocol, ListsComeBack) {
  const ListedFile file{.name = "talks/\xc3\xa4.mkv",
                        .size = std::int64_t{5} << 30,
                        .duration = 2h,
                        .width = 1280,
                        .height = 720,
                        .prepared = true};
  const auto files = round_trip(Files{{file, ListedFile{}}, true});
  ASSERT_EQ(files.files.size(), 2u);
  EXPECT_TRUE(files.more);
  EXPECT_EQ(files.files[0].name, file.name);
  EXPECT_EQ(files.files[0].size, file.size);
  EXPECT_EQ(files.files[0].duration, file.duration);
  EXPECT_EQ(files.files[0].width, 1280);
  EXPECT_EQ(files.files[0].height, 720);
  EXPECT_TRUE(files.files[0].prepared);
  EXPECT_FALSE(files.files[1].prepared);
  EXPECT_FALSE(round_trip(Files{}).more);
}

TEST(PlayProtocol, AListIsCutWhereAMessageIsFull) {
  Files all;
  for (int i = 0; i < 200; ++i) all.files.push_back({.name = std::string(300, 'a')});
  EXPECT_LE(serialise(ServerMessage(all)).size(), kMaxControlMessage);
  const auto some = round_trip(all);
  EXPECT_GT(some.files.size(), 30u);
  EXPECT_LT(some.files.size(), 60u);
  EXPECT_TRUE(some.more);
  all.files.assign(200, {.name = "a"});
  EXPECT_EQ(round_trip(all).files.size(), kMaxListed);
}

TEST(PlayProtocol, TextThatIsNoUtf8IsMended) {
  EXPECT_EQ(round_trip(Refused{"a\xff"}).reason, "a\xef\xbf\xbd");
}

TEST(PlayProtocol, UnknownFieldsAreLeftAside) {
  EXPECT_TRUE(parse_client_message(R"({"type":"play","name":"live","window":3,"more":[1,{}]})"));
  EXPECT_TRUE(parse_server_message(R"({"type":"ended","reason":"x","more":null})"));
}

TEST(PlayProtocol, RefusesWrongRequests) {
  const std::string cases[] = {
      "",
      "{",
      "[]",
      "null",
      "3",
      "\"play\"",
      "{}",
      R"({"type":"play"})",
      R"({"type":"play","name":"live"})",
      R"({"type":"play","window":3})",
      R"({"type":"stop","name":"live","window":3})",
      R"({"type":3,"name":"live","window":3})",
      R"({"type":"play","name":7,"window":3})",
      R"({"type":"play","name":null,"window":3})",
      R"({"type":"play","name":"live","window":"3"})",
      R"({"type":"play","name":"live","window":3.0})",
      R"({"type":"play","name":"live","window":true})",
      R"({"type":"play","name":"live","window":0})",
      R"({"type":"play","name":"live","window":-1})",
      R"({"type":"play","name":"live","window":301})",
      R"({"type":"play","name":"live","window":4294967299})",
      R"({"type":"play","name":"live","window":18446744073709551615})",
      R"({"type":"play","name":"live","window":-9223372036854775808})",
      R"({"type":"play","name":"live","window":1e999})",
      R"({"type":"play","name":"live","window":3}x)",
      R"({"type":"play","name":"live","window":3)",
      "{\"type\":\"play\",\"name\":\"\xff\",\"window\":3}",
      R"({"type":"play","name":"a","window":3,"start_ms":-1})",
      R"({"type":"play","name":"a","window":3,"start_ms":"1"})",
      R"({"type":"play","name":"a","window":3,"start_ms":31622400001})",
      R"({"type":"play","name":"a","window":3,"prefer":"speed"})",
      R"({"type":"play","name":"a","window":3,"prefer":1})",
      R"({"type":"play","name":"a","window":3,"decodes":"av1"})",
      R"({"type":"play","name":"a","window":3,"decodes":[]})",
      R"({"type":"play","name":"a","window":3,"decodes":[1]})",
      R"({"type":"play","name":"a","window":3,"decodes":["a name of far too many letters"]})",
      R"({"type":"window"})",
      R"({"type":"window","window":0})",
      R"({"type":"preview"})",
      R"({"type":"preview","at_ms":-1})",
      R"({"type":"preview","at_ms":31622400001})",
      R"({"type":"seek"})",
      R"({"type":"seek","to_ms":1.5})",
      R"({"type":"seek","to_ms":-1})",
      R"({"type":"list"})",
      R"({"type":"list","after":null})",
      R"({"type":"position","at_ms":1,"buffered_ms":1})",
      R"({"type":"position","at_ms":1,"running":true})",
      R"({"type":"position","buffered_ms":1,"running":true})",
      R"({"type":"position","at_ms":1,"buffered_ms":1,"running":1})",
      R"({"type":"position","at_ms":1,"buffered_ms":1,"running":true,"speed":49})",
      R"({"type":"position","at_ms":1,"buffered_ms":1,"running":true,"speed":201})",
  };
  for (const std::string& text : cases) EXPECT_FALSE(parse_client_message(text)) << text;
  EXPECT_FALSE(parse_client_message(
      serialise(ClientMessage(PlayRequest{.name = std::string(kMaxName + 1, 'a')}))));
}

TEST(PlayProtocol, RefusesWrongAnswers) {
  const std::string cases[] = {
      "",
      "{}",
      R"({"type":"play","name":"live","window":3})",
      R"({"type":"playing"})",
      R"({"type":"playing","codec":"h264","rate":[30],"window":3,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":[30,1,1],"window":3,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":30,"window":3,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":[30,0],"window":3,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":[0,1],"window":3,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":[-30,-1],"window":3,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":[241,1],"window":3,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":[1,11],"window":3,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":[30.0,1],"window":3,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":[1000001,1000001],"window":3,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":[30,1],"window":0,"stream":1})",
      R"({"type":"playing","codec":"h264","rate":[30,1],"window":3,"stream":-1})",
      R"({"type":"playing","codec":"h264","rate":[30,1],"window":3,"stream":4294967296})",
      R"({"type":"playing","codec":4,"rate":[30,1],"window":3,"stream":1})",
      R"({"type":"refused"})",
      R"({"type":"refused","reason":[]})",
      R"({"type":"status","ok":1,"text":""})",
      R"({"type":"status","ok":true})",
      R"({"type":"ended","reason":null})",
      R"({"type":"limited"})",
      R"({"type":"moved","stream":1,"at_ms":1})",
      R"({"type":"moved","at_ms":1,"to_ms":1})",
      R"({"type":"moved","stream":1,"sound":"2","at_ms":1,"to_ms":1})",
      R"({"type":"playing","codec":"h264","rate":[30,1],"window":3,"stream":1,"duration_ms":5})",
      R"({"type":"playing","codec":"h264","rate":[30,1],"window":3,"stream":1,"duration_ms":-1,"at_ms":0})",
      R"({"type":"files","files":[]})",
      R"({"type":"files","more":false})",
      R"({"type":"files","files":{},"more":false})",
      R"({"type":"files","files":[3],"more":false})",
      R"({"type":"files","files":[{"name":"a"}],"more":false})",
      R"({"type":"files","files":[{"name":"a","size":-1,"duration_ms":0,"width":1,"height":1,"prepared":true}],"more":false})",
  };
  for (const std::string& text : cases) EXPECT_FALSE(parse_server_message(text)) << text;
}

TEST(PlayProtocol, DeepNestingIsHarmless) {
  const std::size_t depth = kMaxControlMessage / 2 - 64;
  for (const std::string& text :
       {nested("[", "]", depth), std::string(kMaxControlMessage, '['),
        nested("{\"a\":[", "]}", 2000),
        R"({"type":"play","name":"live","window":)" + nested("[", "]", depth) + "}"}) {
    EXPECT_FALSE(parse_client_message(text));
    EXPECT_FALSE(parse_server_message(text));
  }
  // In a field that nobody reads.
  EXPECT_TRUE(parse_client_message(R"({"type":"play","name":"live","window":3,"x":)" +
                                   nested("[", "]", depth) + "}"));
}

TEST(PlayProtocol, HugeMessagesAreRefused) {
  const std::string request = serialise(ClientMessage(PlayRequest{.name = "live"}));
  const auto padded = [&](std::size_t size) {
    return request + std::string(size - request.size(), ' ');
  };
  EXPECT_TRUE(parse_client_message(padded(kMaxControlMessage)));
  EXPECT_FALSE(parse_client_message(padded(kMaxControlMessage + 1)));
  EXPECT_FALSE(
      parse_server_message(R"({"type":"ended","reason":")" + std::string(4097, 'a') + R"("})"));
}

}  // namespace
}  // namespace qvid::app
