#include "app/command/network_check.h"

#include <algorithm>
#include <utility>

#include "app/command/party_arguments.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

// ITU-T G.114: 150 ms one way; beyond it people begin to talk into each other's words.
constexpr double kSlowRoundTripMs = 300;

}  // namespace

NetworkView network_view(const std::vector<CheckStep>& steps) {
  std::optional<double> least;
  for (const CheckStep& step : steps) {
    const bool connects = step.name == "tcp" || step.name == "proxy";
    if (!connects || step.state != CheckStep::State::ok) continue;
    least = std::min(least.value_or(to_ms(step.took)), to_ms(step.took));
  }
  if (least) {
    const bool slow = *least >= kSlowRoundTripMs;
    return {.text = ui::filled(slow ? ui::tr("The network is slow: {:.0f} ms there and back.")
                                    : ui::tr("The network works: {:.0f} ms there and back."),
                               *least),
            .trouble = slow};
  }
  const auto failed = std::ranges::find(steps, CheckStep::State::failed, &CheckStep::state);
  if (failed == steps.end()) return {};
  const std::string advice = failed->advice.empty() ? "" : "; " + failed->advice;
  return {.text = ui::filled(ui::tr("Not reached: {}"), failed->text + advice), .trouble = true};
}

NetworkCheck::NetworkCheck(const std::string& link, const std::string& proxy,
                           std::function<void()> wake)
    : wake_(std::move(wake)),
      view_{.text = ui::tr("Trying the network...")},
      thread_([this, link, proxy] { look(link, proxy); }) {}

NetworkCheck::~NetworkCheck() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (run_) run_->stop();
}

void NetworkCheck::look(const std::string& link, const std::string& proxy) {
  ClientArguments client;
  client.proxy = proxy;
  auto to = destination_of(link, {}, client, kCallRoom);  // may ask the desktop
  if (!to) {  // what is wrong with it is said when it is joined
    {
      const std::lock_guard lock(mutex_);
      view_ = {};
    }
    return wake_();
  }
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    run_.emplace(*std::move(to), "", CheckRun::Extent::kQuick);
  }
  run_->run();
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    view_ = network_view(run_->steps());
  }
  wake_();
}

NetworkView NetworkCheck::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

}  // namespace qvid::app
