#include "transport/session/channel_set.h"

#include <algorithm>
#include <utility>

namespace paceline {

Channel& ChannelSet::add(ChannelId id, std::uint32_t segment, Record greeting, bool open,
                         Timestamp now) {
  Channel channel;
  channel.id = id;
  if (side_ == Side::kServer) channel.parser = RecordParser::behind_preamble();  // see Greeter
  channel.segment = segment;
  channel.greeting = std::move(greeting);
  channel.open = open;
  channel.since = channel.last_heard = channel.last_probe = now;
  channels_.push_back(std::move(channel));
  return channels_.back();
}

void ChannelSet::remove(ChannelId channel, bool abort) {
  std::erase_if(channels_, [&](const Channel& c) { return c.id == channel; });
  ended_.push_back({channel, abort});
  if (active_ == channel) active_.reset();
  if (receiving_ == channel) receiving_.reset();
}

void ChannelSet::end_all() {
  for (const Channel& c : channels_) ended_.push_back({c.id, false});
}

void ChannelSet::take_ended(std::vector<Ended>& into) {
  into.clear();
  into.swap(ended_);
}

Channel* ChannelSet::find(ChannelId channel) {
  return const_cast<Channel*>(std::as_const(*this).find(channel));
}

const Channel* ChannelSet::find(ChannelId channel) const {
  const auto it = std::ranges::find(channels_, channel, &Channel::id);
  return it == channels_.end() ? nullptr : &*it;
}

std::size_t ChannelSet::open() const {
  return static_cast<std::size_t>(std::ranges::count_if(channels_, &Channel::open));
}

std::size_t ChannelSet::count(bool small) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      channels_, [&](const Channel& c) { return c.small() == small && !c.abandoned; }));
}

Timestamp ChannelSet::gives_up_at(const Channel& c) const {
  return c.open ? c.last_heard + config_.silence_timeout : c.since + config_.greeting_timeout;
}

Timestamp ChannelSet::probes_at(const Channel& c) const {
  return c.open ? std::max(c.last_heard, c.last_probe) + config_.probe_interval : qvid::kNever;
}

Timestamp ChannelSet::next_check() const {
  Timestamp next = qvid::kNever;
  for (const Channel& c : channels_) next = std::min({next, gives_up_at(c), probes_at(c)});
  return next;
}

std::vector<ChannelId> ChannelSet::check(Timestamp now) {
  std::vector<ChannelId> silent;
  for (Channel& c : channels_) {
    if (now >= gives_up_at(c)) {
      silent.push_back(c.id);
    } else if (now >= probes_at(c)) {
      c.probe_due = true;
      c.last_probe = now;
    }
  }
  return silent;
}

}  // namespace paceline
