// A link between two network namespaces: two TUN devices, and one thread that carries packets from
// one to the other through two `Link`s.
//
//   [near: 10.77.0.1, device lab0] -- up --> [far: 10.77.0.2, device lab0]
//                                  <- down --
//
// Several may share their far end, as parties behind links of their own share a broker: then each
// has a subnet, 10.77.N.1 and 10.77.N.2, and a device labN there.
//
// Thread: open, start, stop and the destructor on one thread; the rest on any. The links are
// guarded by a mutex that the emulator's thread holds for the length of a turn, never while it
// waits.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "lab/emulator/link.h"
#include "lab/emulator/link_spec.h"
#include "lab/emulator/net_namespace.h"
#include "lab/emulator/tun_device.h"
#include "lab/emulator/udp_nat.h"
#include "lab/emulator/unique_fd.h"

namespace qvid::lab {

inline constexpr const char* kNearAddress = "10.77.0.1";
inline constexpr const char* kFarAddress = "10.77.0.2";

// Empty where an emulator can be opened here; else what is missing, in a sentence.
std::string missing_for_emulator();

enum class Way { kBoth, kUp, kDown };

struct LinkReport {
  LinkStats up;
  LinkStats down;
  Duration running{};
  std::uint64_t refused_by_kernel = 0;  // delivered packets that a device did not take
  std::uint64_t nat_drops = 0;          // to ports that a NAT has forgotten
  bool realtime = false;                // the thread has real-time priority
};

class Emulator {
 public:
  static constexpr unsigned kMostSubnet = 254;

  // Nothing passes before start(). Throws std::runtime_error that says what is missing.
  static std::unique_ptr<Emulator> open(const LinkSpec& spec);
  // Its far end is `far`, in which no other has this subnet, 0..kMostSubnet.
  static std::unique_ptr<Emulator> open(const LinkSpec& spec, std::shared_ptr<NetNamespace> far,
                                        unsigned subnet);
  // For several to share. Throws as open does.
  static std::shared_ptr<NetNamespace> make_far();
  // Stops, kills what runs in the namespaces, and removes them.
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  // Before start(): what goes up to this port has a way that is so much longer (DirectionSpec).
  void lengthen_up(std::uint16_t port, Duration by);

  // The link's time begins, and with it its schedule. Once.
  void start();
  void stop();

  const NetNamespace& near() const { return near_; }
  const NetNamespace& far() const { return *far_; }
  const std::string& near_address() const { return near_address_; }
  const std::string& far_address() const { return far_address_; }

  void set_rate(DataRate rate, Way way = Way::kBoth);
  void set_delay(Duration delay, Way way = Way::kBoth);
  void set_loss(double share, Way way = Way::kBoth);
  void outage(Duration length, Way way = Way::kBoth);
  void drop_flow(std::uint16_t port, Duration length, Way way = Way::kBoth);

  // Since start(), or since the last reset_stats().
  LinkReport report() const;
  // The report, and its `running`, count anew.
  void reset_stats();

 private:
  Emulator(const LinkSpec& spec, std::shared_ptr<NetNamespace> far, unsigned subnet);

  void run(const std::stop_token& stop);
  // Reads, transmits and writes what there is; until when there is nothing to do.
  Timestamp turn(bool near_readable, bool far_readable);
  void read_into(TunDevice& device, UdpNat& nat, Link& link);
  void write_due(Link& link, UdpNat& nat, TunDevice& device);
  Timestamp end() const;  // now, or when it was stopped
  void wake() const;
  template <class F>
  void change(Way way, F&& f);

  LinkSpec spec_;
  std::string near_address_;
  std::string far_address_;
  NetNamespace near_;
  std::shared_ptr<NetNamespace> far_;
  TunDevice near_device_;
  TunDevice far_device_;
  UniqueFd wake_;

  mutable std::mutex mutex_;  // guards all below
  std::unique_ptr<Link> up_;
  std::unique_ptr<Link> down_;
  Timestamp started_;
  Timestamp stopped_;
  Timestamp counted_from_;
  UdpNat near_nat_;
  UdpNat far_nat_;
  std::uint64_t refused_by_kernel_ = 0;
  std::uint64_t nat_drops_ = 0;
  bool realtime_ = false;

  std::jthread thread_;
};

}  // namespace qvid::lab
