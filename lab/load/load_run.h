// One load test: all join, the warm-up passes, it is measured, what is under way arrives, all
// leave.
//
// Joins are kMostJoining at a time: a broker bounds those who have not greeted. A busy one turns
// away who has waited longest, since the standbys of those that have joined greet it as well: where
// somebody has joined, the others come again until they have, are refused, or kJoinLimit is over.
// With churn, others come and go from then on (load_churn.h), and the broker's memory is looked at
// kMemoryLooks times while it is measured.
// A session that ends later is counted, and does not come again; the test goes on with the others.
//
// Thread: the io_context's; it runs until the test is over.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "lab/load/load_churn.h"
#include "lab/load/load_members.h"
#include "lab/load/load_plan.h"
#include "lab/load/load_report.h"

namespace qvid::lab {

struct LoadRunOptions {
  LoadOptions each;
  LoadPlan plan;
  std::string room;  // with a number behind it where there are several
  Duration warm_up = std::chrono::seconds(2);
  Duration measure = std::chrono::seconds(10);
  std::optional<int> broker_pid;
  double churn = 0;  // members a second who come and go beside; 0: none
  std::function<void(const std::string&)> progress = [](const std::string&) {};  // once a second
  std::function<void()> all_joined = [] {};  // those that could; the warm-up begins
};

class LoadRun {
 public:
  LoadRun(boost::asio::io_context& io, LoadRunOptions options);
  ~LoadRun();
  LoadRun(const LoadRun&) = delete;
  LoadRun& operator=(const LoadRun&) = delete;

  void start();
  // Ends it as it stands; again: at once.
  void stop();
  // All have left; then the report is whole.
  bool over() const {
    return phase_ == Phase::kOver && gone_ == begun_ && (!churn_ || churn_->over());
  }
  LoadReport report() const;
  // Somebody was refused, as opposed to not reached.
  bool refused() const { return refused_; }

 private:
  static constexpr std::size_t kMostJoining = 8;
  static constexpr int kMemoryLooks = 240;
  enum class Phase { kJoining, kWarmUp, kMeasuring, kArriving, kOver };

  void join_more();
  void join(std::size_t index);
  void on_joined();
  void on_ended(std::size_t index, bool had_joined, const std::string& reason, bool refused);
  void join_again();
  void on_part(std::size_t viewer, std::size_t layer, Timestamp sent, ByteCount size);
  void warm_up();
  void measure();
  void end_measuring();
  void finish();
  void tell_progress();
  void begin_churn();
  void look_at_memory();
  std::string room_of(std::size_t room) const;
  std::optional<ProcessUsage> broker_usage() const;

  boost::asio::io_context& io_;
  LoadRunOptions options_;
  Phase phase_ = Phase::kJoining;
  paceline::Timer phase_timer_;
  paceline::Timer progress_timer_;
  paceline::Timer again_timer_;
  std::vector<std::unique_ptr<LoadPublisher>> publishers_;
  std::vector<std::unique_ptr<LoadSubscriber>> subscribers_;
  std::size_t begun_ = 0;                 // of all members
  std::size_t settled_ = 0;               // have joined, or will not
  std::vector<std::size_t> turned_away_;  // come again at again_timer_
  std::size_t joined_ = 0;
  std::size_t gone_ = 0;
  std::size_t lost_sessions_ = 0;
  std::string first_loss_;
  bool refused_ = false;
  std::optional<LoadChurn> churn_;  // once all have joined
  paceline::Timer memory_timer_;
  std::vector<LoadReport::Memory> memory_;  // while it is measured
  LoadStatistics statistics_;
  DurationHistogram second_;  // base parts, of this second
  ByteCount second_bytes_;
  Timestamp second_began_{};

  Timestamp began_{};
  Timestamp all_joined_{};
  struct Mark {
    Timestamp at{};
    Duration own{};
    std::optional<ProcessUsage> broker;
  };
  Mark mark() const;
  Mark before_;  // anybody has joined
  Mark begin_;   // of what is measured
  Mark end_;
};

}  // namespace qvid::lab
