#include "lab/emulator/tun_device.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace qvid::lab {
namespace {

// Packets that may wait for our thread to run. The link's queue is ours; this one only bridges a
// late wake-up (at 100 Mbit/s: half a second) and must not drop.
constexpr int kTransmitRing = 5000;

void control(int fd, unsigned long request, void* argument, const char* what) {
  if (ioctl(fd, request, argument) != 0) {
    throw std::system_error(errno, std::generic_category(), what);
  }
}

ifreq named(const std::string& device) {
  ifreq request{};
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

void set_address(int socket, const std::string& device, unsigned long what,
                 const std::string& value) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, value.c_str(), &address.sin_addr);
  ifreq request = named(device);
  std::memcpy(&request.ifr_addr, &address, sizeof address);
  control(socket, what, &request, "addressing the TUN device");
}

void configure(const std::string& device, const std::string& address) {
  const UniqueFd udp(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  // Without it the kernel's own router solicitations and the like would cross the link and be
  // counted. Where there is no IPv6 there is nothing to switch off.
  std::ofstream("/proc/sys/net/ipv6/conf/" + device + "/disable_ipv6") << '1';
  ifreq request = named(device);
  request.ifr_mtu = kMtu;
  control(udp.get(), SIOCSIFMTU, &request, "setting the MTU");
  request = named(device);
  request.ifr_qlen = kTransmitRing;
  control(udp.get(), SIOCSIFTXQLEN, &request, "setting the TUN device's ring");
  set_address(udp.get(), device, SIOCSIFADDR, address);
  set_address(udp.get(), device, SIOCSIFNETMASK, "255.255.255.252");
  request = named(device);
  control(udp.get(), SIOCGIFFLAGS, &request, "reading the TUN device's flags");
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  control(udp.get(), SIOCSIFFLAGS, &request, "bringing the TUN device up");
}

}  // namespace

TunDevice::TunDevice(const NetNamespace& where, const std::string& device,
                     const std::string& address) {
  where.run([&] {
    fd_ = UniqueFd(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!fd_) throw std::system_error(errno, std::generic_category(), "/dev/net/tun");
    ifreq request = named(device);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    control(fd_.get(), TUNSETIFF, &request, "a TUN device");
    configure(device, address);
  });
}

std::optional<std::vector<std::byte>> TunDevice::read() {
  std::array<std::byte, kMtu> buffer;
  const ssize_t size = ::read(fd_.get(), buffer.data(), buffer.size());
  if (size <= 0) return std::nullopt;
  return std::vector<std::byte>(buffer.begin(), buffer.begin() + size);
}

bool TunDevice::write(std::span<const std::byte> packet) {
  return ::write(fd_.get(), packet.data(), packet.size()) == static_cast<ssize_t>(packet.size());
}

}  // namespace qvid::lab
