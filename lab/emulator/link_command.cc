#include "lab/emulator/link_command.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/text.h"
#include "lab/emulator/values.h"

namespace qvid::lab {
namespace {

using What = decltype(LinkCommand::what);

std::string_view next_word(std::string_view& line) {
  constexpr std::string_view kSpace = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(word.size());
  return word;
}

template <class T, class F>
Result<What> as(Result<T> value, F&& make) {
  if (!value) return value.error();
  return What(make(*value));
}

Result<What> parse_what(std::string_view name, std::string_view first, std::string_view second) {
  if (name == "rate") return as(parse_rate(first), [](DataRate r) { return SetRate{r}; });
  if (name == "loss") return as(parse_share(first), [](double s) { return SetLoss{s}; });
  if (name == "outage") return as(parse_time(first), [](Duration d) { return MakeOutage{d}; });
  if (name == "wait") return as(parse_time(first), [](Duration d) { return Wait{d}; });
  if (name == "delay") {
    const auto delay = parse_time(first);
    if (delay && *delay > kMaxDelay) return Error{"a delay is at most 10s"};
    return as(delay, [](Duration d) { return SetDelay{d}; });
  }
  if (name == "drop-flow") {
    const auto port = parse_whole(first, std::numeric_limits<std::uint16_t>::max());
    if (!port || *port == 0) return Error{"write drop-flow PORT DURATION, as drop-flow 7400 1s"};
    return as(parse_time(second), [&](Duration d) {
      return DropFlow{static_cast<std::uint16_t>(*port), d};
    });
  }
  return Error{"there are rate, delay, loss, outage, drop-flow PORT DURATION and wait"};
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 does not deduce it

}  // namespace

Result<std::optional<LinkCommand>> parse_command(std::string_view line) {
  const std::string_view whole = line;
  line = line.substr(0, line.find('#'));
  std::string_view name = next_word(line);
  if (name.empty()) return std::optional<LinkCommand>();
  LinkCommand command;
  if (name.starts_with("up:")) {
    command.way = Way::kUp;
    name.remove_prefix(3);
  } else if (name.starts_with("down:")) {
    command.way = Way::kDown;
    name.remove_prefix(5);
  }
  const auto in_line = [&](const std::string& why) {
    return Error{"in " + in_quotes(whole) + ": " + why};
  };
  const std::string_view first = next_word(line);
  const std::string_view second = name == "drop-flow" ? next_word(line) : std::string_view();
  auto what = parse_what(name, first, second);
  if (!what) return in_line(what.error().message);
  if (const auto more = next_word(line); !more.empty()) {
    return in_line(in_quotes(more) + " is one word too many");
  }
  command.what = *what;
  return std::optional(command);
}

void apply(const LinkCommand& command, Emulator& emulator) {
  const Way way = command.way;
  std::visit(Overloaded{[&](const SetRate& c) { emulator.set_rate(c.rate, way); },
                        [&](const SetDelay& c) { emulator.set_delay(c.delay, way); },
                        [&](const SetLoss& c) { emulator.set_loss(c.share, way); },
                        [&](const MakeOutage& c) { emulator.outage(c.length, way); },
                        [&](const DropFlow& c) { emulator.drop_flow(c.port, c.length, way); },
                        [](const Wait&) {}},
             command.what);
}

}  // namespace qvid::lab
