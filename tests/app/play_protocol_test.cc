// Shows that messages of player and server come back as they were sent, and that whatever else may
// come is an Error.
#include "app/play_protocol.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <variant>

#include "app/url.h"

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

TEST(PlayProtocol, RequestsComeBack) {
  for (const std::string& name : {std::string("live"), std::string("a \"b\"\\\n\x01/\xc3\xa4"),
                                  std::string(), std::string(kMaxName, 'a')}) {
    for (const int window : {1, 3, 300}) {
      const auto parsed = parse_play_request(serialise(PlayRequest{name, window}));
      ASSERT_TRUE(parsed);
      EXPECT_EQ(parsed->name, name);
      EXPECT_EQ(parsed->window, window);
    }
  }
}

TEST(PlayProtocol, AnswersComeBack) {
  const auto playing = round_trip(Playing{.codec = "h264",
                                          .rate = {30000, 1001},
                                          .window = 5,
                                          .stream = std::numeric_limits<std::uint32_t>::max()});
  EXPECT_EQ(playing.codec, "h264");
  EXPECT_EQ(playing.rate, (FrameRate{30000, 1001}));
  EXPECT_EQ(playing.window, 5);
  EXPECT_EQ(playing.stream, std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(round_trip(Refused{"no such file"}).reason, "no such file");
  EXPECT_EQ(round_trip(Ended{"the end"}).reason, "the end");
  const auto status = round_trip(Status{.ok = false, .text = "unplugged"});
  EXPECT_FALSE(status.ok);
  EXPECT_EQ(status.text, "unplugged");
}

TEST(PlayProtocol, TextThatIsNoUtf8IsMended) {
  EXPECT_EQ(round_trip(Refused{"a\xff"}).reason, "a\xef\xbf\xbd");
}

TEST(PlayProtocol, UnknownFieldsAreLeftAside) {
  EXPECT_TRUE(parse_play_request(R"({"type":"play","name":"live","window":3,"more":[1,{}]})"));
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
  };
  for (const std::string& text : cases) EXPECT_FALSE(parse_play_request(text)) << text;
  EXPECT_FALSE(parse_play_request(serialise(PlayRequest{std::string(kMaxName + 1, 'a'), 3})));
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
  };
  for (const std::string& text : cases) EXPECT_FALSE(parse_server_message(text)) << text;
}

TEST(PlayProtocol, DeepNestingIsHarmless) {
  const std::size_t depth = kMaxControlMessage / 2 - 64;
  for (const std::string& text :
       {nested("[", "]", depth), std::string(kMaxControlMessage, '['),
        nested("{\"a\":[", "]}", 2000),
        R"({"type":"play","name":"live","window":)" + nested("[", "]", depth) + "}"}) {
    EXPECT_FALSE(parse_play_request(text));
    EXPECT_FALSE(parse_server_message(text));
  }
  // In a field that nobody reads.
  EXPECT_TRUE(parse_play_request(R"({"type":"play","name":"live","window":3,"x":)" +
                                 nested("[", "]", depth) + "}"));
}

TEST(PlayProtocol, HugeMessagesAreRefused) {
  const std::string request = serialise(PlayRequest{"live", 3});
  const auto padded = [&](std::size_t size) {
    return request + std::string(size - request.size(), ' ');
  };
  EXPECT_TRUE(parse_play_request(padded(kMaxControlMessage)));
  EXPECT_FALSE(parse_play_request(padded(kMaxControlMessage + 1)));
  EXPECT_FALSE(
      parse_server_message(R"({"type":"ended","reason":")" + std::string(4097, 'a') + R"("})"));
}

}  // namespace
}  // namespace qvid::app
