#include "lab/emulator/link_spec.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "lab/emulator/arc.h"
#include "lab/emulator/codel.h"
#include "lab/emulator/drop_tail.h"
#include "lab/emulator/fq_codel.h"
#include "lab/emulator/rate_trace.h"
#include "lab/emulator/rate_walk.h"
#include "lab/emulator/red.h"
#include "lab/emulator/sfg.h"
#include "lab/emulator/values.h"

namespace qvid::lab {
namespace {

constexpr std::size_t kMaxWords = 200;
constexpr Duration kDefaultQueue = 100ms;  // or two packets, where that is more

constexpr std::array<std::pair<std::string_view, Discipline>, 7> kDisciplines{{
    {"drop-tail", Discipline::kDropTail},
    {"red", Discipline::kRed},
    {"codel", Discipline::kCodel},
    {"fq-codel", Discipline::kFqCodel},
    {"arc", Discipline::kArc},
    {"sfg", Discipline::kSfg},
    {"sfa", Discipline::kSfa},
}};

// One direction while its words are read. A queue given as time needs the rate, which may follow.
struct Draft {
  DataRate rate = DataRate::from_kbps(100'000);
  bool traced = false;  // `rate` is a trace's mean, or a walk's
  std::vector<RateStep> steps;
  std::vector<Outage> outages;
  Duration period{};
  Duration delay{};
  std::optional<ByteCount> queue_bytes;
  std::optional<Duration> queue_time;
  Discipline discipline = Discipline::kDropTail;
  double loss = 0;
  DisorderSpec disorder;
  UdpSpec udp;
  std::optional<PolicerSpec> policer;
  Duration aggregate{};
  std::optional<DataRate> walk;
  std::uint64_t seed = 1;
};

using Failure = std::optional<Error>;

// Stores what `parsed` holds, or gives its error.
template <class T, class F>
Failure store(Result<T> parsed, F&& into) {
  if (!parsed) return parsed.error();
  into(*std::move(parsed));
  return std::nullopt;
}

Failure read_rate(Draft& draft, std::string_view value) {
  return store(parse_rate(value), [&](DataRate rate) {
    draft.rate = rate;
    draft.traced = false;
    draft.steps.clear();  // 'lte rate=5mbit' is a steady 5 Mbit/s
    draft.walk.reset();
  });
}

Failure read_rate_step(Draft& draft, std::string_view time, std::string_view value) {
  const auto at = parse_time(time);
  if (!at) return at.error();
  return store(parse_rate(value), [&](DataRate rate) { draft.steps.push_back({*at, rate}); });
}

Failure read_trace(Draft& draft, std::string_view path) {
  return store(load_trace(std::string(path)), [&](RateTrace trace) {
    draft.rate = trace.mean;
    draft.traced = true;
    draft.steps = std::move(trace.steps);
    draft.period = trace.period;
  });
}

Failure read_walk(Draft& draft, std::string_view value) {
  return store(parse_rate(value), [&](DataRate spread) { draft.walk = spread; });
}

// Without a burst: what the rate carries in 100 ms, as a line's queue.
Failure read_policer(Draft& draft, std::string_view value) {
  if (value == "none") return draft.policer.reset(), std::nullopt;
  const auto plus = value.find('+');
  const auto rate = parse_rate(value.substr(0, plus));
  if (!rate) return rate.error();
  ByteCount burst = std::max(rate->bytes_in(kDefaultQueue), kMinQueue * 2);
  if (plus != std::string_view::npos) {
    const auto bytes = parse_bytes(value.substr(plus + 1));
    if (!bytes) return bytes.error();
    if (*bytes < kMinQueue || *bytes > kMaxQueue) {
      return Error{"a policer's burst is at least one packet, 1500B, and at most 32MiB"};
    }
    burst = *bytes;
  }
  draft.policer = {*rate, burst};
  return std::nullopt;
}

Failure read_aggregate(Draft& draft, std::string_view value) {
  return store(parse_time(value), [&](Duration time) { draft.aggregate = time; });
}

Failure read_delay(Draft& draft, std::string_view value) {
  const auto delay = parse_time(value);
  if (!delay) return delay.error();
  if (*delay > kMaxDelay) return Error{"a delay is at most 10s"};
  draft.delay = *delay;
  return std::nullopt;
}

Failure read_queue(Draft& draft, std::string_view value) {
  if (const auto time = parse_time(value)) {
    draft.queue_time = *time;
    draft.queue_bytes.reset();
    return std::nullopt;
  }
  const auto bytes = parse_bytes(value);
  if (!bytes) {
    return Error{in_quotes(value) +
                 " is no queue limit: write a time (60ms, at the first rate) or a size (120kB)"};
  }
  draft.queue_bytes = *bytes;
  return std::nullopt;
}

Failure read_outage(std::vector<Outage>& outages, const std::string& key, std::string_view value) {
  if (value == "none") return outages.clear(), std::nullopt;
  const auto plus = value.find('+');
  if (plus == std::string_view::npos) {
    return Error{"write " + key + "=WHEN+LENGTH, as " + key + "=10s+500ms, or " + key + "=none"};
  }
  const auto at = parse_time(value.substr(0, plus));
  if (!at) return at.error();
  return store(parse_time(value.substr(plus + 1)), [&](Duration length) {
    outages.push_back({*at, length});
  });
}

Failure read_forget(Draft& draft, std::string_view value) {
  if (value == "none") return draft.udp.forgets.clear(), std::nullopt;
  return store(parse_time(value), [&](Duration at) { draft.udp.forgets.push_back(at); });
}

Failure read_reorder(Draft& draft, std::string_view value) {
  const auto plus = value.find('+');
  if (plus == std::string_view::npos) {
    return Error{"write reorder=SHARE+TIME, as reorder=2%+20ms: so many come so much later"};
  }
  const auto share = parse_share(value.substr(0, plus));
  if (!share) return share.error();
  const auto by = parse_time(value.substr(plus + 1));
  if (!by) return by.error();
  if (*by > kMaxDelay) return Error{"a packet comes at most 10s later"};
  draft.disorder.later = *share;
  draft.disorder.by = *by;
  return std::nullopt;
}

Failure read_discipline(Draft& draft, std::string_view value) {
  const auto* const found = std::find_if(kDisciplines.begin(), kDisciplines.end(),
                                         [&](const auto& d) { return d.first == value; });
  if (found == kDisciplines.end()) {
    return Error{
        in_quotes(value) +
        " is no queue discipline: there are drop-tail, red, codel, fq-codel, arc, sfg and sfa"};
  }
  draft.discipline = found->second;
  return std::nullopt;
}

Failure read_udp(Draft& draft, std::string_view value) {
  draft.udp.drop = value == "drop";
  draft.udp.most.reset();
  if (value == "drop" || value == "pass") return std::nullopt;
  const auto rate = parse_rate(value);
  if (!rate) {
    return Error{
        "write udp=drop, udp=pass, or the rate beyond which it is dropped, as udp=300kbit"};
  }
  draft.udp.most = *rate;
  return std::nullopt;
}

Failure read_word(Draft& draft, std::string_view key, std::string_view value) {
  if (key == "rate") return read_rate(draft, value);
  if (key.starts_with("rate@")) return read_rate_step(draft, key.substr(5), value);
  if (key == "trace") return read_trace(draft, value);
  if (key == "delay") return read_delay(draft, value);
  if (key == "queue") return read_queue(draft, value);
  if (key == "aqm") return read_discipline(draft, value);
  if (key == "outage") return read_outage(draft.outages, "outage", value);
  if (key == "walk") return read_walk(draft, value);
  if (key == "police") return read_policer(draft, value);
  if (key == "aggregate") return read_aggregate(draft, value);
  if (key == "udp") return read_udp(draft, value);
  if (key == "udp-outage") return read_outage(draft.udp.outages, "udp-outage", value);
  if (key == "udp-forget") return read_forget(draft, value);
  if (key == "reorder") return read_reorder(draft, value);
  if (key == "duplicate") {
    return store(parse_share(value), [&](double share) { draft.disorder.twice = share; });
  }
  if (key == "loss") {
    return store(parse_share(value), [&](double share) { draft.loss = share; });
  }
  if (key == "every") {
    return store(parse_time(value), [&](Duration period) { draft.period = period; });
  }
  if (key == "seed") {
    return store(parse_whole(value, std::numeric_limits<std::uint32_t>::max()),
                 [&](std::uint64_t seed) { draft.seed = seed; });
  }
  return Error{
      "there are rate, rate@TIME, walk, trace, delay, aggregate, queue, aqm, police, loss, reorder, "
      "duplicate, outage, every, udp, udp-outage, udp-forget and seed, each with =VALUE"};
}

std::string names() {
  std::string all;
  for (const NamedLink& link : named_links()) {
    all += (all.empty() ? "" : ", ") + std::string(link.name);
  }
  return all;
}

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<std::string_view> words;
  for (;;) {
    const auto begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const auto end = std::min(text.find_first_of(kSpace), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Failure read_words(Draft& up, Draft& down, std::string_view text) {
  const auto words = words_of(text);
  if (words.empty()) {
    return Error{"the link is empty: write words as rate=2mbit delay=20ms queue=1s, or one of " +
                 names()};
  }
  if (words.size() > kMaxWords) return Error{"a link has at most 200 words"};
  bool first = true;
  for (const std::string_view word : words) {
    const auto in_word = [&](const std::string& why) {
      return Error{"link: in " + in_quotes(word) + ": " + why};
    };
    const bool only_up = word.starts_with("up:");
    const bool only_down = word.starts_with("down:");
    const std::string_view rest = word.substr(only_up ? 3 : only_down ? 5 : 0);
    const auto equals = rest.find('=');
    if (equals == std::string_view::npos) {
      const auto named = std::ranges::find(named_links(), word, &NamedLink::name);
      if (named == named_links().end()) {
        return in_word("that is neither WORD=VALUE nor a named link; there are " + names());
      }
      if (!first) return in_word("a named link comes first, then what differs from it");
      if (auto failed = read_words(up, down, named->words)) return failed;
    } else {
      for (Draft* draft : {only_down ? nullptr : &up, only_up ? nullptr : &down}) {
        if (draft == nullptr) continue;
        if (auto failed = read_word(*draft, rest.substr(0, equals), rest.substr(equals + 1))) {
          return in_word(failed->message);
        }
      }
    }
    first = false;
  }
  return std::nullopt;
}

Result<DirectionSpec> finished(Draft draft, std::string_view direction) {
  const auto wrong = [&](const std::string& why) {
    return Error{"link, " + std::string(direction) + ": " + why};
  };
  if (draft.aggregate > kMaxDelay) return wrong("aggregate= is at most 10s");
  if (draft.walk) {
    if (*draft.walk > draft.rate) return wrong("walk= is at most the rate");
    if (!draft.steps.empty() || draft.period > Duration::zero()) {
      return wrong("walk= makes the steps itself: without rate@, trace= and every=");
    }
    draft.steps = walked(draft.rate, *draft.walk, draft.seed);
    draft.period = kWalk;
    draft.traced = true;
  }
  const bool has_schedule = !draft.steps.empty() || !draft.outages.empty();
  if (draft.period > Duration::zero()) {
    if (!has_schedule) return wrong("every= repeats rate@ and outage=, and there are none");
    for (const Outage& o : draft.outages) {
      if (o.at + o.length > draft.period) return wrong("an outage ends after every= has passed");
    }
    for (const RateStep& s : draft.steps) {
      if (s.at >= draft.period) return wrong("a rate@ comes after every= has passed");
    }
  }
  ByteCount queue = std::max(draft.rate.bytes_in(kDefaultQueue), kMinQueue * 2);
  if (draft.queue_time) queue = draft.rate.bytes_in(*draft.queue_time);
  if (draft.queue_bytes) queue = *draft.queue_bytes;
  if (queue < kMinQueue || queue > kMaxQueue) {
    return wrong("the queue would hold " + std::to_string(queue.value()) +
                 " bytes; it holds at least one packet, 1500B, and at most 32MiB");
  }
  DirectionSpec spec;
  spec.schedule =
      RateSchedule(draft.rate, std::move(draft.steps), std::move(draft.outages), draft.period);
  if (draft.traced) spec.schedule = spec.schedule.with_capacity(draft.rate);
  spec.delay = draft.delay;
  spec.queue_limit = queue;
  spec.discipline = draft.discipline;
  spec.loss = draft.loss;
  spec.disorder = draft.disorder;
  spec.udp = std::move(draft.udp);
  spec.policer = draft.policer;
  spec.aggregate = draft.aggregate;
  spec.seed = draft.seed;
  return spec;
}

}  // namespace

Result<LinkSpec> parse_link(std::string_view text) {
  Draft up;
  Draft down;
  if (auto failed = read_words(up, down, text)) return *std::move(failed);
  // Directions lose, and walk, independently, also with one seed for both.
  down.seed ^= 0x9e3779b97f4a7c15u;
  const auto up_spec = finished(std::move(up), "up");
  if (!up_spec) return up_spec.error();
  const auto down_spec = finished(std::move(down), "down");
  if (!down_spec) return down_spec.error();
  return LinkSpec{*up_spec, *down_spec};
}

std::unique_ptr<PacketQueue> make_queue(const DirectionSpec& spec) {
  const ByteCount limit = spec.queue_limit;
  const DataRate capacity = spec.schedule.capacity(Duration::zero());
  // Not the losses' numbers, and for a filter not those of the queue behind it.
  const std::uint64_t seed = spec.seed ^ 0xc2b2ae3d27d4eb4fu;
  const auto guarded = [&](std::unique_ptr<PacketQueue> inner) {
    return std::make_unique<Sfg>(std::move(inner), capacity, seed + 1,
                                 SfgParameters{.bins = sfg_bins(capacity)});
  };
  switch (spec.discipline) {
    case Discipline::kRed: return std::make_unique<Red>(limit, capacity, seed);
    case Discipline::kCodel: return std::make_unique<Codel>(limit);
    case Discipline::kFqCodel: return std::make_unique<FqCodel>(limit, seed);
    case Discipline::kArc: return std::make_unique<Arc>(limit, capacity, seed);
    case Discipline::kSfg: return guarded(std::make_unique<DropTail>(limit));
    case Discipline::kSfa: return guarded(std::make_unique<Arc>(limit, capacity, seed));
    case Discipline::kDropTail: break;
  }
  return std::make_unique<DropTail>(limit);
}

}  // namespace qvid::lab
