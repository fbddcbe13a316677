// Shows that Linux's table of sockets is read.
#include "lab/emulator/listening_port.h"

#include <gtest/gtest.h>

#include <string>

namespace qvid::lab {
namespace {

TEST(ListeningPort, FindsTheSocketThatListens) {
  const std::string text =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 0100007F:1CE8 0100007F:9000 01 00000000:00000000 00:00000000 00000000  1000        0 "
      "41 1\n"
      "   1: 0100007F:1CE8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
      "42 1\n";
  EXPECT_EQ(parse_listening_inode(text, 7400), 42u);
  EXPECT_EQ(parse_listening_inode(text, 7401), std::nullopt);
  EXPECT_EQ(parse_listening_inode("x\n 0A 0A 0A 0A\n", 10), std::nullopt);
}

}  // namespace
}  // namespace qvid::lab
