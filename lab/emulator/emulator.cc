#include "lab/emulator/emulator.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/clock.h"

namespace qvid::lab {
namespace {

constexpr int kBatch = 32;  // packets read from a device before the other gets its turn
constexpr const char* kDevice = "lab0";

// Above everything that is measured, so that a busy machine does not make the link late. The
// kernel's real-time throttling still leaves others their share.
bool become_realtime() {
  sched_param parameters{};
  parameters.sched_priority = 10;
  return sched_setscheduler(0, SCHED_RR, &parameters) == 0;
}

std::atomic<unsigned> namespaces{0};

// 10.77.0.X in that subnet.
std::string address_of(unsigned subnet, const std::string& address) {
  return "10.77." + std::to_string(subnet) + address.substr(address.rfind('.'));
}

}  // namespace

std::string missing_for_emulator() {
  if (geteuid() != 0) {
    return "an emulated link needs root, for network namespaces and TUN devices: run it with sudo";
  }
  const UniqueFd tun(open("/dev/net/tun", O_RDWR | O_CLOEXEC));
  if (!tun) {
    return "an emulated link needs TUN devices, and /dev/net/tun does not open here (" +
           std::generic_category().message(errno) +
           "): load the kernel's module with 'modprobe tun', or give the container that device";
  }
  bool allowed = false;
  std::jthread([&] { allowed = unshare(CLONE_NEWNET) == 0; }).join();
  if (!allowed) {
    return "an emulated link needs network namespaces, and this system does not allow them: a "
           "container needs the capabilities SYS_ADMIN and NET_ADMIN";
  }
  return {};
}

std::unique_ptr<Emulator> Emulator::open(const LinkSpec& spec) { return open(spec, make_far(), 0); }

std::unique_ptr<Emulator> Emulator::open(const LinkSpec& spec, std::shared_ptr<NetNamespace> far,
                                         unsigned subnet) {
  return std::unique_ptr<Emulator>(new Emulator(spec, std::move(far), subnet));
}

std::shared_ptr<NetNamespace> Emulator::make_far() {
  if (const std::string missing = missing_for_emulator(); !missing.empty()) {
    throw std::runtime_error(missing);
  }
  remove_stale_namespaces();
  return std::make_shared<NetNamespace>(namespace_name(namespaces++, "far"));
}

Emulator::Emulator(const LinkSpec& spec, std::shared_ptr<NetNamespace> far, unsigned subnet)
    : spec_(spec),
      near_address_(address_of(subnet, kNearAddress)),
      far_address_(address_of(subnet, kFarAddress)),
      near_(namespace_name(namespaces++, "near")),
      far_(std::move(far)),
      near_device_(near_, kDevice, near_address_),
      far_device_(*far_, "lab" + std::to_string(subnet), far_address_),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      near_nat_(spec.up.udp.forgets),
      far_nat_(spec.down.udp.forgets) {
  if (!wake_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Emulator::~Emulator() { stop(); }

void Emulator::lengthen_up(std::uint16_t port, Duration by) {
  if (by > Duration::zero()) spec_.up.longer_ways[port] = by;
}

void Emulator::start() {
  const std::lock_guard lock(mutex_);
  started_ = counted_from_ = steady_now();
  up_ = std::make_unique<Link>(spec_.up, started_);
  down_ = std::make_unique<Link>(spec_.down, started_);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Emulator::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  const std::lock_guard lock(mutex_);
  stopped_ = steady_now();
}

void Emulator::wake() const { eventfd_write(wake_.get(), 1); }

void Emulator::run(const std::stop_token& stop) {
  const std::stop_callback wake_to_stop(stop, [this] { wake(); });
  prctl(PR_SET_TIMERSLACK, 1);  // ns; 50 us is the default without real-time priority
  {
    const std::lock_guard lock(mutex_);
    realtime_ = become_realtime();
  }
  std::array<pollfd, 3> polled{
      {{near_device_.fd(), POLLIN, 0}, {far_device_.fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
  while (!stop.stop_requested()) {
    const Timestamp next =
        turn((polled[0].revents & POLLIN) != 0, (polled[1].revents & POLLIN) != 0);
    const auto left =
        std::max(Duration::zero(), next == kNever ? Duration(1h) : next - steady_now());
    const timespec timeout{.tv_sec = left.count() / std::nano::den,
                           .tv_nsec = left.count() % std::nano::den};
    for (pollfd& p : polled) p.revents = 0;
    ppoll(polled.data(), polled.size(), &timeout, nullptr);
    if (polled[2].revents != 0) {
      eventfd_t ignored = 0;
      eventfd_read(wake_.get(), &ignored);
    }
  }
}

Timestamp Emulator::turn(bool near_readable, bool far_readable) {
  const std::lock_guard lock(mutex_);
  if (near_readable) read_into(near_device_, near_nat_, *up_);
  if (far_readable) read_into(far_device_, far_nat_, *down_);
  write_due(*up_, far_nat_, far_device_);
  write_due(*down_, near_nat_, near_device_);
  return std::min(up_->next_event(), down_->next_event());
}

void Emulator::read_into(TunDevice& device, UdpNat& nat, Link& link) {
  for (int i = 0; i < kBatch; ++i) {
    auto packet = device.read();
    if (!packet) return;
    // Not the turn's time: packets come while we read, and each enters the link when it is read.
    const Timestamp now = steady_now();
    nat.send(*packet, now - started_);
    link.push(*std::move(packet), now);
  }
}

void Emulator::write_due(Link& link, UdpNat& nat, TunDevice& device) {
  const Timestamp now = steady_now();
  while (auto packet = link.pop(now)) {
    if (!nat.receive(packet->bytes, now - started_)) {
      ++nat_drops_;
    } else if (!device.write(packet->bytes)) {
      ++refused_by_kernel_;
    }
  }
}

template <class F>
void Emulator::change(Way way, F&& f) {
  {
    const std::lock_guard lock(mutex_);
    if (!up_) return;
    const Timestamp now = steady_now();
    if (way != Way::kDown) f(*up_, now);
    if (way != Way::kUp) f(*down_, now);
  }
  wake();
}

void Emulator::set_rate(DataRate rate, Way way) {
  change(way, [&](Link& link, Timestamp now) { link.set_rate(rate, now); });
}
void Emulator::set_delay(Duration delay, Way way) {
  change(way, [&](Link& link, Timestamp now) { link.set_delay(delay, now); });
}
void Emulator::set_loss(double share, Way way) {
  change(way, [&](Link& link, Timestamp now) { link.set_loss(share, now); });
}
void Emulator::outage(Duration length, Way way) {
  change(way, [&](Link& link, Timestamp now) { link.outage(length, now); });
}
void Emulator::drop_flow(std::uint16_t port, Duration length, Way way) {
  change(way, [&](Link& link, Timestamp now) { link.drop_flow(port, length, now); });
}

Timestamp Emulator::end() const { return stopped_ > started_ ? stopped_ : steady_now(); }

void Emulator::reset_stats() {
  const std::lock_guard lock(mutex_);
  if (!up_) return;
  counted_from_ = end();
  up_->reset_stats(counted_from_);
  down_->reset_stats(counted_from_);
  refused_by_kernel_ = nat_drops_ = 0;
}

LinkReport Emulator::report() const {
  const std::lock_guard lock(mutex_);
  LinkReport report;
  if (!up_) return report;
  report.up = up_->stats();
  report.down = down_->stats();
  report.running = end() - counted_from_;
  report.refused_by_kernel = refused_by_kernel_;
  report.nat_drops = nat_drops_;
  report.realtime = realtime_;
  return report;
}

}  // namespace qvid::lab
