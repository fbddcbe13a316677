#include "lab/bed/bed.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "lab/bed/end_programs.h"
#include "lab/bed/flow_ends.h"
#include "lab/emulator/emulator.h"
#include "lab/emulator/link_spec.h"
#include "lab/stagger.h"

namespace qvid::lab {
namespace {

using boost::asio::io_context;
using boost::asio::steady_timer;

// Every run of this process has its own ports: libsrt takes a port for one socket, whatever the
// namespace.
constexpr unsigned kFirstPort = 20'000;
constexpr unsigned kPortsEach = 500;
constexpr unsigned kPortRanges = 80;
// Whether clocks are off changes nothing else of a seed's run.
constexpr std::uint64_t kClocks = 0x94d049bb133111ebu;
constexpr Duration kLinger = Duration(300'000'000);  // after the end, for sessions to say goodbye

// One of the two sides: a thread inside its namespace that runs an event loop. What lives on the
// loop outlives the side; a loop that fails stops the run.
class Side {
 public:
  Side(const NetNamespace& where, io_context& io, std::stop_source& run)
      : where_(where), io_(io), run_(run) {}
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  ~Side() {
    io_.stop();
    join();
  }

  // `set_up` is run on the side's thread before the loop. Gives back when it is through; throws
  // what it threw.
  template <class SetUp>
  void start(SetUp set_up) {
    thread_ = std::thread([this, set_up] {
      try {
        where_.run([&] {
          std::exception_ptr trouble;
          try {
            set_up();
          } catch (...) {
            trouble = std::current_exception();
          }
          signal(trouble);
          if (!trouble) {
            try {
              io_.run();
            } catch (...) {
              trouble_ = std::current_exception();
              run_.request_stop();
            }
          }
        });
      } catch (...) {
        signal(std::current_exception());  // no thread could be had there
      }
    });
    std::unique_lock lock(mutex_);
    ready_condition_.wait(lock, [this] { return ready_; });
    if (set_up_trouble_) std::rethrow_exception(set_up_trouble_);
  }

  // Waits for the loop's end; throws what ended it early.
  void finish() {
    join();
    if (trouble_) std::rethrow_exception(trouble_);
  }

 private:
  void signal(const std::exception_ptr& trouble) {
    const std::lock_guard lock(mutex_);
    if (ready_) return;
    ready_ = true;
    set_up_trouble_ = trouble;
    ready_condition_.notify_all();
  }
  void join() {
    if (!thread_.joinable()) return;
    thread_.join();
  }

  const NetNamespace& where_;
  io_context& io_;
  std::stop_source& run_;
  std::mutex mutex_;
  std::condition_variable ready_condition_;
  bool ready_ = false;                 // guarded by mutex_
  std::exception_ptr set_up_trouble_;  // guarded by mutex_
  std::exception_ptr trouble_;         // of the loop; read after it
  std::thread thread_;
};

std::vector<FlowSetting> settings_of(const RunSpec& spec, const RunClock& clock) {
  static std::atomic<unsigned> runs = 0;
  const unsigned first = kFirstPort + runs++ % kPortRanges * kPortsEach;
  std::vector<FlowSetting> settings;
  std::mt19937_64 random(spec.seed);
  std::mt19937_64 clocks(spec.seed ^ kClocks);
  unsigned ports = 0;
  for (const FlowSpec& flow : spec.flows) {
    for (std::size_t i = 0; i < flow.count; ++i) {
      FlowSetting setting{.spec = flow, .clock = clock, .seed = random()};
      setting.port = static_cast<std::uint16_t>(first + ports++);
      if (flow.workload == Workload::kGoddard) {
        setting.control_port = static_cast<std::uint16_t>(first + ports++);
      }
      const Duration later = staggered(kStagger, random);
      setting.spec.start += later;
      if (setting.spec.stop < spec.duration) setting.spec.stop += later;
      if (flow.clock_error > Duration::zero()) {
        setting.clock_ahead =
            from_seconds(std::normal_distribution(0.0, 1.0)(clocks) * to_seconds(flow.clock_error));
      }
      settings.push_back(std::move(setting));
    }
  }
  if (ports > kPortsEach) {
    throw std::invalid_argument("a run has at most " + std::to_string(kPortsEach) +
                                " flows, Goddard's counting twice");
  }
  return settings;
}

// TCP's settings are a namespace's own; the file shows those of the thread that opens it.
void allow_ecn() {
  std::ofstream file("/proc/sys/net/ipv4/tcp_ecn");
  if (!(file << 1 << std::flush)) throw std::runtime_error("ECN cannot be switched on here");
}

// What one side does in the course of a run. Its timers hold it: it lives longer than its loop.
template <class End>
class Cast {
 public:
  explicit Cast(io_context& io) : io_(io), end_timer_(io) {}

  std::vector<std::unique_ptr<End>> ends;

  // At `end` everything ends, and a little later the loop.
  void end_at(Timestamp end) {
    end_timer_.expires_at(end);
    end_timer_.async_wait([this](const boost::system::error_code&) { finish(); });
  }
  // From any thread: now.
  void stop() {
    boost::asio::post(io_, [this] { end_timer_.cancel(); });
  }

 private:
  void finish() {
    for (const auto& end : ends) end->end();
    end_timer_.expires_after(kLinger);
    end_timer_.async_wait([this](const boost::system::error_code&) { io_.stop(); });
  }

  io_context& io_;
  steady_timer end_timer_;
};

// Begins, samples and ends the senders at their times.
class Director {
 public:
  Director(io_context& io, std::vector<FlowSetting> settings, Cast<NearEnd>& cast)
      : io_(io), settings_(std::move(settings)), cast_(cast), sampler_(io) {}

  void direct() {
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      NearEnd& end = *cast_.ends[i];
      const FlowSetting& setting = settings_[i];
      at(setting.clock.begin + setting.spec.start, [&end] { end.begin(); });
      if (setting.spec.stop < setting.clock.duration) {
        at(setting.clock.begin + setting.spec.stop, [&end] { end.end(); });
      }
    }
    next_ = RunClock::now();
    sample();
  }

 private:
  template <class F>
  void at(Timestamp when, F f) {
    steady_timer& timer = *timers_.emplace_back(std::make_unique<steady_timer>(io_, when));
    timer.async_wait([f](const boost::system::error_code& error) {
      if (!error) f();
    });
  }
  void sample() {
    const Timestamp now = RunClock::now();
    for (const auto& end : cast_.ends) end->sample(now);
    next_ = std::max(next_ + kSampleEvery, now);
    sampler_.expires_at(next_);
    sampler_.async_wait([this](const boost::system::error_code& error) {
      if (!error) sample();
    });
  }

  io_context& io_;
  std::vector<FlowSetting> settings_;
  Cast<NearEnd>& cast_;
  steady_timer sampler_;
  std::vector<std::unique_ptr<steady_timer>> timers_;
  Timestamp next_{};
};

// Waits until then; false where it was stopped before.
bool wait_until(Timestamp when, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any condition;
  std::unique_lock lock(mutex);
  condition.wait_until(lock, stop, when, [] { return false; });
  return !stop.stop_requested();
}

// Sees programs through the measured time, and notes what the link carries meanwhile. Gives back
// early where there is nothing left to measure.
void direct(EndPrograms& programs, Emulator& emulator, const RunClock& clock,
            const std::stop_token& stop, RunResult& result) {
  const Timestamp end = clock.begin + clock.duration;
  Timestamp slot_ends = clock.begin + kSlot;
  std::uint64_t before = 0;
  bool measured = false;
  programs.begin(clock.begin);
  for (Timestamp now = RunClock::now(); now < end; now = RunClock::now()) {
    const Timestamp due = programs.turn(now);
    for (; slot_ends <= now; slot_ends += kSlot) {
      const std::uint64_t carried = emulator.report().up.delivered_bytes;
      result.carried.push_back(static_cast<std::int64_t>(carried - std::exchange(before, carried)));
    }
    if (!measured && clock.measured(now)) {
      measured = true;
      emulator.reset_stats();
      before = 0;
      programs.begin_measured();
    }
    if (!wait_until(std::min({due, slot_ends, end}), stop) || programs.over()) return;
  }
}

void run(const RunSpec& spec, const std::stop_token& stop, RunResult& result) {
  Result<LinkSpec> link = parse_link(spec.link);
  if (!link) throw std::invalid_argument(link.error().message);
  link->up.seed = spec.seed;
  link->down.seed = spec.seed + 1;
  if (stop.stop_requested()) {
    result.error = "stopped before its begin";
    return;
  }
  const std::unique_ptr<Emulator> emulator = Emulator::open(*link);
  const std::unique_ptr<EndPrograms> programs = make_end_programs(spec, *emulator, stop);

  RunClock clock{.begin = {}, .warm_up = spec.warm_up, .duration = spec.duration};
  clock.begin = RunClock::now() + 200ms;  // by then both sides are set up
  result.begin = clock.begin;
  const std::vector<FlowSetting> settings = settings_of(spec, clock);
  for (const FlowSetting& setting : settings) {
    emulator->lengthen_up(setting.port, setting.spec.farther);
  }

  std::stop_source abort;
  const std::stop_callback asked(stop, [&abort] { abort.request_stop(); });
  io_context far_io;
  io_context near_io;
  Cast<FarEnd> receivers(far_io);
  Cast<NearEnd> senders(near_io);
  Director director(near_io, settings, senders);
  Side far(emulator->far(), far_io, abort);
  Side near(emulator->near(), near_io, abort);
  const Timestamp end = clock.begin + spec.duration;

  // Ends are made and begun inside of their namespace. They have closed their sockets when the
  // loops end, and are destroyed here.
  far.start([&] {
    if (spec.ecn) allow_ecn();
    for (const FlowSetting& setting : settings) {
      receivers.ends.push_back(make_far_end(far_io, setting));
    }
    receivers.end_at(end + kLinger);  // after the senders
  });
  near.start([&] {
    if (spec.ecn) allow_ecn();
    for (const FlowSetting& setting : settings) {
      senders.ends.push_back(make_near_end(near_io, setting));
    }
    senders.end_at(end);
    director.direct();
  });

  // The link's schedule counts from the run's begin; before it, nothing passes.
  const std::stop_token until = abort.get_token();
  if (wait_until(clock.begin, until)) {
    emulator->start();
    if (programs) {
      direct(*programs, *emulator, clock, until, result);
    } else if (wait_until(clock.begin + spec.warm_up, until)) {
      emulator->reset_stats();
      wait_until(end, until);
    }
  }
  result.link = emulator->report();
  result.measured = spec.duration - spec.warm_up;
  if (until.stop_requested()) {
    senders.stop();
    receivers.stop();
    result.error = "stopped before its end";
  } else if (RunClock::now() < end) {  // there is nobody left to play
    senders.stop();
    receivers.stop();
  }
  near.finish();
  far.finish();
  if (programs && result.error.empty()) programs->finish(result);

  for (std::size_t i = 0; i < settings.size(); ++i) {
    FlowResult& flow = result.flows.emplace_back();
    const FlowSpec& of = settings[i].spec;
    flow.group = of.group.empty() ? of.sender : of.group;
    flow.sender = of.sender;
    flow.workload = of.workload;
    flow.start = Timestamp(of.start);
    flow.stop = of.stop < spec.duration ? Timestamp(of.stop) : kNever;
    flow.slots.resize(clock.slots());
    senders.ends[i]->fill(flow);
    receivers.ends[i]->fill(flow, senders.ends[i]->frames());
  }
}

}  // namespace

RunResult run_on_bed(const RunSpec& spec, const std::stop_token& stop) {
  RunResult result;
  result.spec = spec;
  try {
    run(spec, stop, result);
  } catch (const NotInstalled& e) {
    result.not_installed = e.what();
  } catch (const std::exception& e) {
    result.error = e.what();
  }
  return result;
}

}  // namespace qvid::lab
