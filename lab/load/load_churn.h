// Beside a load test: members who come, watch for a while and go, so many a second, in its rooms in turn. What
// a broker keeps of those who have gone shows in its memory.
//
// Bound: kMostAtOnce of them at a time; where a broker lets them in no faster, the next come later, and `late`
// says how many.
//
// Ownership: the run's. Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "lab/load/load_members.h"
#include "transport/socket/timer.h"

namespace qvid::lab {

struct ChurnCounts {
  std::int64_t joined = 0;
  std::int64_t lost = 0;  // refused, not let in, or ended before they left
  std::int64_t late = 0;
  std::string first_loss;
};

class LoadChurn {
 public:
  static constexpr Duration kStay = std::chrono::seconds(1);
  static constexpr std::size_t kMostAtOnce = 500;

  struct Place {
    std::string room;
    std::string watches;  // a member
  };
  // Precondition: a_second > 0, and there is a place. `options` outlives it.
  LoadChurn(boost::asio::io_context& io, const LoadOptions& options, double a_second,
            std::vector<Place> places);
  LoadChurn(const LoadChurn&) = delete;
  LoadChurn& operator=(const LoadChurn&) = delete;

  void start();
  // Nobody comes any more; those who are there go.
  void stop();
  // All have gone.
  bool over() const { return stopped_ && members_.empty(); }
  const ChurnCounts& counts() const { return counts_; }

 private:
  struct Member {
    std::unique_ptr<LoadSubscriber> client;
    std::unique_ptr<paceline::Timer> leaves;
    bool leaving = false;
  };
  using Members = std::list<Member>;
  void tick();
  void come();
  void ended(Members::iterator member, const std::string& reason);

  boost::asio::io_context& io_;
  const LoadOptions& options_;
  const Duration period_;
  const std::vector<Place> places_;
  paceline::Timer timer_;
  Timestamp next_{};
  std::size_t number_ = 0;
  bool stopped_ = false;
  Members members_;
  ChurnCounts counts_;
};

}  // namespace qvid::lab
