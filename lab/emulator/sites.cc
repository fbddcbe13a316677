#include "lab/emulator/sites.h"

#include <arpa/inet.h>
#include <net/route.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace qvid::lab {
namespace {

void set_address(sockaddr& to, const std::string& value) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, value.c_str(), &address.sin_addr);
  std::memcpy(&to, &address, sizeof to);
}

// Of the namespace of this thread.
void reach_all_by(const std::string& gateway) {
  const UniqueFd udp(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  rtentry route{};
  set_address(route.rt_dst, "0.0.0.0");
  set_address(route.rt_genmask, "0.0.0.0");
  set_address(route.rt_gateway, gateway);
  route.rt_flags = RTF_UP | RTF_GATEWAY;
  if (ioctl(udp.get(), SIOCADDRT, &route) != 0) {
    throw std::system_error(errno, std::generic_category(), "a route to the other sites");
  }
}

void hand_packets_on() {
  std::ofstream file("/proc/sys/net/ipv4/ip_forward");
  if (!(file << '1').flush()) throw std::runtime_error("the sites' router may not hand packets on");
}

}  // namespace

Sites::Sites(const LinkSpec& link, std::size_t count) : middle_(Emulator::make_far()) {
  middle_->run(hand_packets_on);
  for (unsigned number = 0; number < count; ++number) {
    links_.push_back(Emulator::open(link, middle_, number));
    const std::string gateway = links_.back()->far_address();
    links_.back()->near().run([&] { reach_all_by(gateway); });
    links_.back()->start();
  }
}

}  // namespace qvid::lab
