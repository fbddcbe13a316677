// A socket of a host that has not greeted. For the files of Host alone.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transport/session/host.h"
#include "transport/wire/greeter.h"

namespace paceline {

struct Host::Guest {
  Guest(boost::asio::io_context& io, Address from, std::string its_group,
        GreetingPlaces::Guest where)
      : address(std::move(from)), group(std::move(its_group)), place(where), timer(io) {}

  static constexpr std::size_t kReadSize = 1024;

  Address address;
  std::string group;
  GreetingPlaces::Guest place;
  boost::asio::steady_timer timer;
  std::unique_ptr<HandshakeThread::UnderWay> handshake;
  std::unique_ptr<Connection> connection;
  Greeter greeter;
  std::optional<HttpVisit> visit;  // of one that does not greet
  std::vector<std::byte> input = std::vector<std::byte>(kReadSize);
  std::vector<std::byte> output;
  std::span<const std::byte> asset;  // behind it
  bool heard = false;                // has sent something
  bool reading = false;
  bool reads_page = false;            // has a place of the readers instead of `place`
  std::optional<TurnedAway> refused;  // it may read why
  bool elsewhere = false;             // its socket is with the session that it wants to join
  bool gone = false;                  // a completion that is on the queue already finds it so
  std::shared_ptr<int> life = std::make_shared<int>();
};

}  // namespace paceline
