// Cursors on a shared board through Qvid's broker, which knows nothing of cursors: everybody
// publishes where the own one is, twenty times a second, and sees those of the others.
//
//   qvid broker --insecure &   cursors 127.0.0.1:7400 board Ann 5 &   cursors 127.0.0.1:7400 board
//   Bob 5
#include <boost/asio/steady_timer.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/clock.h"
#include "pubsub/client/room_client.h"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
  const auto address = argc > 3 ? paceline::parse_address(argv[1], 7400) : qvid::Error{"too few"};
  if (!address) return std::fprintf(stderr, "cursors HOST:PORT ROOM NAME [SECONDS]\n"), 2;
  boost::asio::io_context io(1);
  boost::asio::steady_timer tick(io);
  std::map<int, std::string> who;  // by seat
  std::int64_t moves = 0;
  std::int64_t seen = 0;
  int left = (argc > 4 ? std::atoi(argv[4]) : 5) * 20;
  int code = 1;
  qps::RoomClient* room = nullptr;
  bool wanted = false;

  std::function<void()> move = [&] {
    if (left-- == 0) return room->close("enough");
    // Each position stands for itself, and is of no use when the next but one is there.
    const double angle = static_cast<double>(moves) / 10;
    const std::string text = std::to_string(std::lround(100 * std::cos(angle))) + " " +
                             std::to_string(std::lround(100 * std::sin(angle)));
    const qvid::Timestamp now = qvid::steady_now();
    if (wanted) {
      room->send({.item = moves, .part = 0},
                 {.begins = true, .vital = true, .importance = 100, .due = now},
                 qvid::Payload::copy_of(text), now + 100ms);
    }
    ++moves;
    tick.expires_after(50ms);
    tick.async_wait([&](const boost::system::error_code& error) {
      if (!error) move();
    });
  };

  qps::RoomClient client(
      io, {.address = *address, .trust = {}}, {}, {.room = argv[2], .name = argv[3], .token = {}},
      {.joined =
           [&] {
             room->publish("cursor");
             room->watch({.viewer = 1, .names = {}, .best = "", .seats = 8, .window = 100ms});
             move();
           },
       .seat = [&](const qps::Seat& seat) { who[seat.seat] = seat.name; },
       .part =
           [&](std::uint32_t, int seat, qps::Part&& part) {
             ++seen;
             std::printf("%s is at %s\n", who[seat].c_str(), std::string(part.data.text()).c_str());
           },
       .wanted = [&](const std::string&, bool on) { wanted = on; },
       .ended =
           [&](const std::string& reason, bool) {
             tick.cancel();
             std::fprintf(stderr, "%s; %lld positions of others\n", reason.c_str(),
                          static_cast<long long>(seen));
             code = seen > 0 ? 0 : 1;
           }});
  room = &client;
  io.run();
  return code;
}
