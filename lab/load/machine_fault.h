// What happens to the machine of a broker, or to those of its clients, while a room of it goes on:
//
//   kHaltedViewers 200 viewers stand still (SIGSTOP): their sockets take what the kernel has room for
//   kHalt          the broker stands still for five seconds
//   kNoFiles       it may open no further file or socket for five seconds, while 200 come each second
//   kNoMemory      it may have no more than kSpareMemory beside what it has, and 200 viewers come who then
//                  stand still, so that what is sent to them waits
//   kGone          200 clients are gone without a word: nothing comes any more, no FIN, no RST
//   kClock         its wall clock is an hour ahead, then an hour behind
//   kCertificates  each second its certificate is replaced, while 200 come each second
//   kFullDisk      who records another room of it has no room for its file
//
// A network of its own is made for it: broker and room at one end of a link, and who is to be lost at
// the other. Thread: that of `run`.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lab/bed/program_folder.h"
#include "lab/bed/run_spec.h"
#include "lab/emulator/sites.h"
#include "lab/load/broker_program.h"
#include "transport/socket/timer.h"
#include "transport/tls/tls.h"

namespace qvid::lab {

class MachineFault {
 public:
  static constexpr std::size_t kClients = 200;
  static constexpr std::size_t kSpareMemory = 64 << 20;  // bytes
  static constexpr Duration kLength = std::chrono::seconds(5);

  static bool has(BrokerTrouble kind);
  // Precondition: has(kind). `io` outlives it. Throws std::runtime_error where that
  // is not to be had here.
  static std::unique_ptr<MachineFault> make(BrokerTrouble kind, boost::asio::io_context& io);
  // Of one of its kinds.
  explicit MachineFault(boost::asio::io_context& io);
  virtual ~MachineFault() = default;

  // Where the broker is; calls `f` on a thread there, which all other calls come from.
  void run(const std::function<void()>& f) const { sites_.site(0).run(f); }
  ProgramPlace place() const {
    return {.where = nullptr, .host = sites_.address(0), .environment = environment()};
  }
  // Of the broker, beside what a trial gives it.
  virtual std::vector<std::string> arguments() const { return {}; }

  // The room is there; so is what is given until its end. It happens after that time.
  void begin(BrokerProgram& broker, const paceline::TrustOptions& trust, Duration until_strike);
  // The room is at its end. Throws std::runtime_error where it was not seen to have happened.
  virtual void end(const std::stop_token&) {}
  // Who came in meanwhile, or how often it happened.
  virtual double done() const { return 1; }
  // From when it happened until the broker was done with it; nothing: it was not, or there is no such
  // time.
  virtual std::optional<Duration> over_after() const { return std::nullopt; }

 protected:
  virtual void prepare() {}
  virtual void strike() = 0;
  virtual std::vector<std::string> environment() const { return {}; }

  paceline::Timer& timer() { return timer_; }
  BrokerProgram& broker() const { return *broker_; }
  const paceline::TrustOptions& trust() const { return *trust_; }
  const ProgramFolder& folder() const { return folder_; }
  Sites& sites() { return sites_; }
  std::string url(const std::string& room) const;

 private:
  paceline::Timer timer_;
  BrokerProgram* broker_ = nullptr;
  const paceline::TrustOptions* trust_ = nullptr;
  ProgramFolder folder_;
  Sites sites_;
};

}  // namespace qvid::lab
