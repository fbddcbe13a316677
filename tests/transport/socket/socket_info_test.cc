// What the kernel tells of a socket, against its own older way of telling it.
#include "transport/socket/socket_info.h"

#include <gtest/gtest.h>

#if defined(__linux__)
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <vector>

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

TEST(SampleSocket, TellsWhatIsNotAcknowledged) {
  asio::io_context io;
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  tcp::socket near(io);
  near.connect(acceptor.local_endpoint());
  tcp::socket far = acceptor.accept();
  for (tcp::socket* from : {&near, &far}) {
    tcp::socket& to = from == &near ? far : near;
    // What is read is acknowledged.
    std::vector<char> bytes(10'000);
    asio::write(*from, asio::buffer(bytes));
    asio::read(to, asio::buffer(bytes));
    from->non_blocking(true);
    boost::system::error_code full;
    while (!full) from->write_some(asio::buffer(bytes), full);
    // Nobody reads: when nothing moves any more, both say the same.
    int before = -1;
    int queued = 0;
    for (int same = 0; same < 1000; same = queued == before ? same + 1 : 0) {
      before = queued;
      ASSERT_EQ(ioctl(from->native_handle(), SIOCOUTQ, &queued), 0);
    }
    const auto sample = sample_socket(from->native_handle());
    ASSERT_TRUE(sample);
    EXPECT_GT(queued, 10'000);
    EXPECT_NEAR(static_cast<double>(sample->unacked.value()), queued, 1);
    EXPECT_LE(sample->unsent, sample->unacked);
    EXPECT_GT(sample->cwnd, 0u);
  }
}

// Linux's reno has no HyStart; where cubic may not be had, nothing is to be chosen.
TEST(PrepareSocket, SlowStartIsRenosAndThenCubicsTurn) {
  asio::io_context io;
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  tcp::socket socket(io);
  socket.connect(acceptor.local_endpoint());
  const int fd = socket.native_handle();
  if (prepare_socket(fd, false) != "cubic") GTEST_SKIP() << "no cubic here";
  EXPECT_EQ(choose_congestion_control(fd, true), "reno");
  EXPECT_EQ(choose_congestion_control(fd, false), "cubic");
}

}  // namespace
}  // namespace paceline
#endif
