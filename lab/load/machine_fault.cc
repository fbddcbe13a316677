#include "lab/load/machine_fault.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "lab/bed/fake_clock.h"
#include "lab/emulator/link_spec.h"
#include "lab/load/adversary.h"
#include "lab/load/broker_metrics.h"
#include "transport/tls/tls.h"

namespace qvid::lab {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kFaultLink = "rate=1gbit delay=2ms queue=100ms";
constexpr Duration kForGood = 1h;
constexpr Duration kPoll = 250ms;

// Throws where the broker does not say.
double clients_now() {
  const std::string page = read_metrics();
  if (page.empty()) throw std::runtime_error("the broker says nothing of itself");
  return metric(page, "qvid_broker_clients");
}

// The soft limit of a process; it is its own user's to raise again.
void set_limit(int pid, __rlimit_resource which, rlim_t to) {
  rlimit limit{};
  if (prlimit(pid, which, nullptr, &limit) == 0) {
    limit.rlim_cur = std::min(to, limit.rlim_max);
    if (prlimit(pid, which, &limit, nullptr) == 0) return;
  }
  throw std::runtime_error("the broker's limits cannot be changed");
}

// What RLIMIT_DATA bounds: bytes.
rlim_t data_of(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    rlim_t kib = 0;
    if (word == "VmData:" && status >> kib) return kib * 1024;
  }
  throw std::runtime_error("the broker's memory cannot be read");
}

class Halt final : public MachineFault {
 public:
  using MachineFault::MachineFault;
  void strike() override {
    broker().signal(SIGSTOP);
    timer().after(kLength, [this] { broker().signal(SIGCONT); });
  }
};

// 200 handshakes a second beside it; they are what is done.
class WithNewcomers : public MachineFault {
 public:
  using MachineFault::MachineFault;
  void prepare() override {
    newcomers_.emplace(AdversaryOptions{.kind = BrokerTrouble::kHandshakes,
                                        .broker = broker().url().address,
                                        .trust = trust(),
                                        .room = {}});
  }
  double done() const override { return newcomers_ ? static_cast<double>(newcomers_->done()) : 0; }

 private:
  std::optional<Adversary> newcomers_;
};

class NoFiles final : public WithNewcomers {
 public:
  using WithNewcomers::WithNewcomers;
  void strike() override {
    rlimit before{};
    if (prlimit(broker().pid(), RLIMIT_NOFILE, nullptr, &before) != 0) {
      throw std::runtime_error("the broker's limits cannot be read");
    }
    set_limit(broker().pid(), RLIMIT_NOFILE, 1);
    timer().after(kLength,
                  [this, before] { set_limit(broker().pid(), RLIMIT_NOFILE, before.rlim_cur); });
  }
  void end(const std::stop_token& stop) override {
    broker().await_in_log("cannot accept a connection", stop);
  }
};

// kClients of another room beside it; of them, how many were there is what is done.
class WithViewers : public MachineFault {
 public:
  using MachineFault::MachineFault;
  double done() const override { return came_; }

 protected:
  // In a process of their own at that site.
  void launch_viewers(std::size_t site) {
    before_ = clients_now();
    viewers_ = folder().launch(
        "viewers",
        {fs::read_symlink("/proc/self/exe").string(), "load", url("others"), "--subscribers",
         std::to_string(kClients), "--rate", "500kbit", "--time", "3600"},
        sites().site(site));
  }
  void signal_viewers(int number) {
    came_ = clients_now() - before_;
    viewers_.signal(number);
  }
  void expect_most_came() const {
    if (came_ < kClients / 2.0) throw std::runtime_error("most of the viewers did not come");
  }
  double clients_before() const { return before_; }

 private:
  ChildProcess viewers_;
  double before_ = 0;
  double came_ = 0;
};

class HaltedViewers final : public WithViewers {
 public:
  using WithViewers::WithViewers;
  void prepare() override { launch_viewers(0); }
  void strike() override { signal_viewers(SIGSTOP); }
  void end(const std::stop_token&) override { expect_most_came(); }
};

class NoMemory final : public WithViewers {
 public:
  using WithViewers::WithViewers;
  void strike() override {
    set_limit(broker().pid(), RLIMIT_DATA, data_of(broker().pid()) + kSpareMemory);
    launch_viewers(1);
    timer().after(kLength, [this] { signal_viewers(SIGSTOP); });
  }
  void end(const std::stop_token&) override {
    if (done() <= 0 || done() >= kClients) throw std::runtime_error("memory was not short");
  }
};

class Gone final : public WithViewers {
 public:
  using WithViewers::WithViewers;
  void prepare() override { launch_viewers(1); }
  void strike() override {
    sites().cut(1, kForGood);
    signal_viewers(SIGKILL);  // what its kernel says of that is lost, too
    at_ = steady_now();
    look();
  }
  void end(const std::stop_token&) override { expect_most_came(); }
  std::optional<Duration> over_after() const override { return noticed_; }

 private:
  void look() {
    if (clients_now() <= clients_before()) {
      noticed_ = steady_now() - at_;
      return;
    }
    timer().after(kPoll, [this] { look(); });
  }

  Timestamp at_{};
  std::optional<Duration> noticed_;
};

class Clock final : public MachineFault {
 public:
  explicit Clock(boost::asio::io_context& io) : MachineFault(io) {
    if (!FakeClock::is_installed()) throw std::runtime_error("libfaketime is not installed");
  }
  std::vector<std::string> environment() const override { return clock_.environment(); }
  void strike() override {
    put("+1h");
    timer().after(kLength, [this] { put("-1h"); });
  }
  double done() const override { return put_; }

 private:
  void put(const char* difference) {
    clock_.set(difference);
    ++put_;
  }

  double put_ = 0;
  const FakeClock clock_{folder().file("")};
};

class Certificates final : public WithNewcomers {
 public:
  explicit Certificates(boost::asio::io_context& io) : WithNewcomers(io) { make(); }
  std::vector<std::string> arguments() const override {
    return {"--certificate", file("certificate.pem"), "--key", file("key.pem")};
  }
  void strike() override { replace(); }
  void end(const std::stop_token& stop) override {
    broker().await_in_log("the configuration was read again", stop);
  }

 private:
  std::string file(const char* name) const { return folder().file(name).string(); }
  // Another one of the same key, which is what clients know it by.
  void make() const {
    fs::remove(file("certificate.pem"));
    const auto made = paceline::Identity::load_or_generate(folder().file(""));
    if (!made) throw std::runtime_error(made.error().message);
  }
  void replace() {
    make();
    broker().signal(SIGHUP);
    timer().after(1s, [this] { replace(); });
  }
};

class FullDisk final : public MachineFault {
 public:
  using MachineFault::MachineFault;
  void prepare() override {
    fs::create_directory(folder().file("disk"));
    source_ = folder().launch(
        "source", {product_program(), "publish", "test", url("recorded"), "--name", "source",
                   "--size", "320x240", "--rate", "15", "--bitrate", "3M"});
  }
  void strike() override {
    const std::string disk = folder().file("disk").string();
    recorder_ =
        folder().launch("recorder", {"unshare", "--mount", "sh", "-c",
                                     "mount -t tmpfs -o size=256k tmpfs \"$0\" && exec \"$@\"",
                                     disk, product_program(), "record", url("recorded"), "source",
                                     "-o", disk + "/recording.mkv"});
  }
  void end(const std::stop_token&) override {
    recorder_.ends_within(kLength);
    if (folder().text_of("recorder.log").find("No space left") == std::string::npos) {
      throw std::runtime_error("the recorder's disk was not full: " +
                               folder().last_words("recorder"));
    }
  }

 private:
  ChildProcess source_;
  ChildProcess recorder_;
};

}  // namespace

bool MachineFault::has(BrokerTrouble kind) { return kind >= BrokerTrouble::kHaltedViewers; }

std::unique_ptr<MachineFault> MachineFault::make(BrokerTrouble kind, boost::asio::io_context& io) {
  switch (kind) {
    case BrokerTrouble::kHaltedViewers: return std::make_unique<HaltedViewers>(io);
    case BrokerTrouble::kHalt: return std::make_unique<Halt>(io);
    case BrokerTrouble::kNoFiles: return std::make_unique<NoFiles>(io);
    case BrokerTrouble::kNoMemory: return std::make_unique<NoMemory>(io);
    case BrokerTrouble::kGone: return std::make_unique<Gone>(io);
    case BrokerTrouble::kClock: return std::make_unique<Clock>(io);
    case BrokerTrouble::kCertificates: return std::make_unique<Certificates>(io);
    default: return std::make_unique<FullDisk>(io);
  }
}

MachineFault::MachineFault(boost::asio::io_context& io)
    : timer_(io), sites_(*parse_link(kFaultLink), 2) {}

void MachineFault::begin(BrokerProgram& broker, const paceline::TrustOptions& trust,
                         Duration until_strike) {
  broker_ = &broker;
  trust_ = &trust;
  prepare();
  timer_.after(until_strike, [this] { strike(); });
}

std::string MachineFault::url(const std::string& room) const {
  paceline::Url url = broker_->url();
  url.name = room;
  return url.text();
}

}  // namespace qvid::lab
