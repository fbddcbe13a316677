#include "lab/bed/quic_messages.h"

#include <algorithm>
#include <utility>

namespace qvid::lab {
namespace {

// Streams in stock for the units of one datagram; one of more units than these is sent less full.
constexpr std::size_t kSpareStreams = 16;

}  // namespace

QuicSender::QuicSender(const FlowSpec& spec, const RunClock& clock, std::uint64_t seed)
    : source_(spec, clock, seed), window_(spec.window), unacked_(clock) {}

void QuicSender::capture(Timestamp now) {
  source_.capture(now);
  while (const std::optional<Adu> adu = source_.next(now)) add(*adu);
}

void QuicSender::add(const Adu& adu) {
  const Timestamp deadline = source_.greedy() ? kNever : adu.produced + window_;
  next_deadline_ = std::min(next_deadline_, deadline);
  waiting_.emplace(Rank{.layer = adu.layer, .frame = adu.frame, .number = number_++},
                   Waiting{.deadline = deadline, .bytes = adu.encode()});
}

void QuicSender::sample(Timestamp now) {
  Timestamp oldest = now;
  for (const auto& [stream, begun] : begun_) {
    if (!begun.unacked.empty()) oldest = std::min(oldest, begun.unacked.front().at);
  }
  if (oldest < now) unacked_.note(now - oldest, now);
}

void QuicSender::prepare(QuicEngine& engine, Timestamp now) {
  expire(engine, now);
  while (spare_streams_.size() < kSpareStreams) {
    const std::optional<std::int64_t> stream = engine.open_stream();
    if (!stream) break;
    spare_streams_.insert(*stream);
  }
}

void QuicSender::expire(QuicEngine& engine, Timestamp now) {
  if (now < next_deadline_) return;
  next_deadline_ = kNever;
  // What was not begun costs nothing. What was is cancelled below.
  std::erase_if(waiting_, [&](const auto& entry) {
    const Waiting& waiting = entry.second;
    if (waiting.deadline > now) {
      next_deadline_ = std::min(next_deadline_, waiting.deadline);
      return false;
    }
    if (waiting.stream < 0) ++cancelled_;
    return true;
  });
  for (auto& [stream, begun] : begun_) {
    if (begun.reset) continue;
    if (begun.deadline > now) {
      next_deadline_ = std::min(next_deadline_, begun.deadline);
      continue;
    }
    // Also where all is written: what was lost of it would come too late.
    engine.reset_stream(stream);
    begun.reset = true;
    begun.unacked.clear();
    ++cancelled_;
  }
}

std::optional<QuicChunk> QuicSender::next(Timestamp now) {
  if (waiting_.empty() && source_.greedy()) add(*source_.next(now));
  if (waiting_.empty()) return std::nullopt;
  auto& [rank, first] = *waiting_.begin();
  if (first.stream >= 0) {
    const Begun& begun = begun_.at(first.stream);
    return QuicChunk{.stream = first.stream,
                     .bytes = std::span(begun.bytes).subspan(begun.written),
                     .last = true};
  }
  if (spare_streams_.empty()) return std::nullopt;
  return QuicChunk{.stream = *spare_streams_.begin(), .bytes = first.bytes, .last = true};
}

void QuicSender::on_written(std::int64_t stream, std::size_t bytes, Timestamp now) {
  const auto first = waiting_.begin();
  if (spare_streams_.erase(stream) > 0) {
    first->second.stream = stream;
    begun_.emplace(
        stream, Begun{.deadline = first->second.deadline, .bytes = std::move(first->second.bytes)});
  }
  Begun& begun = begun_.at(stream);
  begun.written += bytes;
  begun.unacked.push_back({.end = begun.written, .at = now});
  if (begun.written == begun.bytes.size()) waiting_.erase(first);
}

void QuicSender::on_acked(std::int64_t stream, std::uint64_t total, Timestamp now) {
  const auto found = begun_.find(stream);
  if (found == begun_.end()) return;
  std::deque<Written>& unacked = found->second.unacked;
  while (!unacked.empty() && unacked.front().end <= total) {
    unacked_.note(now - unacked.front().at, now);
    unacked.pop_front();
  }
}

void QuicSender::on_closed(std::int64_t stream) { begun_.erase(stream); }

void QuicReceiver::on_data(std::int64_t stream, std::span<const std::byte> bytes, bool last,
                           Timestamp now) {
  ledger_.on_bytes(static_cast<std::int64_t>(bytes.size()), now);
  Begun& begun = begun_[stream];
  const std::size_t missing = Adu::kHeader - begun.header.size();
  begun.header.insert(begun.header.end(), bytes.begin(),
                      bytes.begin() + static_cast<std::ptrdiff_t>(std::min(missing, bytes.size())));
  begun.bytes += bytes.size();
  if (!last) return;
  const std::optional<Adu> adu = Adu::parse(begun.header);
  if (adu && adu->bytes == begun.bytes) ledger_.on_adu(*adu, now);
}

}  // namespace qvid::lab
