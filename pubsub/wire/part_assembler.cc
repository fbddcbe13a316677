#include "pubsub/wire/part_assembler.h"

#include <utility>

namespace qps {

Result<std::optional<Part>> PartAssembler::on_message(std::uint64_t position,
                                                      const Payload& payload) {
  const auto id = fragment_at(position);
  if (!id) return Error{"an absurd item number"};
  const auto [it, fresh] = parts_.try_emplace(id->part);
  Incomplete& part = it->second;
  if (part.there.size() <= id->fragment) {
    part.there.resize(id->fragment + std::size_t{1});
    part.fragments.resize(part.there.size());
  }
  if (part.there[id->fragment]) return std::optional<Part>();  // again
  Payload data = payload;
  if (id->fragment == 0) {
    auto first = parse_first_fragment(payload);
    if (!first) {
      if (fresh) parts_.erase(it);
      return first.error();
    }
    part.envelope = std::move(first->envelope);
    data = std::move(first->data);
  }
  part.there[id->fragment] = true;
  ++part.count;
  part.bytes += data.byte_count();
  bytes_ += data.byte_count();
  part.fragments[id->fragment] = std::move(data);
  if (!part.envelope || part.count < part.envelope->fragments) {
    while (parts_.size() > kMaxIncomplete || bytes_ > kMaxBytes) forget(parts_.begin());
    return std::optional<Part>();
  }
  Part whole{.id = id->part, .envelope = std::move(*part.envelope), .data = {}};
  const bool sound =
      part.there.size() == whole.envelope.fragments && part.bytes <= ByteCount::of(kMaxPart);
  if (sound && part.fragments.size() == 1) {
    whole.data = std::move(part.fragments.front());
  } else if (sound) {
    qvid::PayloadBuilder builder(static_cast<std::size_t>(part.bytes.value()));
    for (const Payload& fragment : part.fragments) builder.append(fragment.bytes());
    whole.data = std::move(builder).take();
  }
  forget(it);
  if (!sound) return Error{"a part of more fragments than it says, or too large"};
  return std::optional<Part>(std::move(whole));
}

void PartAssembler::forget(std::map<PartId, Incomplete>::iterator which) {
  bytes_ -= which->second.bytes;
  parts_.erase(which);
}

void PartAssembler::clear() {
  parts_.clear();
  bytes_ = {};
}

}  // namespace qps
