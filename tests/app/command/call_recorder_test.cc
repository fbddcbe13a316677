// As what a call's own recorder joins.
#include "app/command/call_recorder.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

TEST(CallRecorder, IsAMemberOfItsOwnThatOnlyRecords) {
  PartyOptions call;
  call.name = "Ann";
  call.token = "secret";
  call.source.emplace();
  call.share.emplace();
  call.names = {"Bob"};
  call.seats = 9;
  const PartyOptions recorder = recorder_options(call);
  EXPECT_EQ(recorder.name, "Ann (recording)");
  EXPECT_EQ(recorder.token, "secret") << "of the same rights";
  EXPECT_TRUE(recorder.records && recorder.watches);
  EXPECT_FALSE(recorder.source || recorder.share);
  EXPECT_TRUE(recorder.names.empty()) << "everybody";
  EXPECT_EQ(recorder.seats, 64);
  call.name = std::string(64, 'x');
  EXPECT_EQ(recorder_options(call).name, "recording") << "a name has 64 bytes at most";
}

}  // namespace
}  // namespace qvid::app
