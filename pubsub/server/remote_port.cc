#include "pubsub/server/remote_port.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace qps {

using paceline::MessageId;
using paceline::StreamId;

Result<MessageId> RemotePort::send(StreamId stream, paceline::Message message) {
  if (closed_) return qvid::Error{"the session is over"};
  const bool control = stream == paceline::kFirstStream;
  const ByteCount size = message.payload.byte_count();
  const auto most = control ? kMaxWaiting : kMaxWaiting - kForControl;
  if (waiting_ + size > most) return queue_full(most);
  const std::size_t most_messages = control ? kMaxMessages : kMaxMessages - kMessagesForControl;
  if (taken_.size() >= most_messages) {
    return qvid::Error{"send queue full (" + std::to_string(most_messages) + " messages)"};
  }
  const MessageId id(next_++);
  taken_[id] = {.stream = stream, .size = size};
  waiting_ += size;
  hand_over_(PortSend{.id = id, .stream = stream, .message = std::move(message)});
  return id;
}

void RemotePort::cancel(MessageId message) {
  const auto it = taken_.find(message);
  if (it == taken_.end() || std::exchange(it->second.cancelled, true)) return;
  hand_over_(PortCancel{message});
}

StreamId RemotePort::open_stream() {
  const StreamId stream = streams_.take();
  if (closed_) return stream;
  if (opening_ < kMaxOpening) {
    ++opening_;
    hand_over_(PortOpen{stream});
  } else {
    close("it takes no new streams");
  }
  return stream;
}

void RemotePort::close_stream(StreamId stream) {
  if (!closed_) hand_over_(PortCloseStream{stream});
}

void RemotePort::let_in() {
  if (!closed_) hand_over_(PortLetIn{});
}

void RemotePort::hold(Duration time) {
  if (!closed_) hand_over_(PortHold{time});
}

void RemotePort::close(const std::string& reason) {
  if (closed_ || std::exchange(closing_, true)) return;
  hand_over_(PortClose{reason});
}

void RemotePort::on_event(PortEvent&& event, const Tell& tell) {
  if (closed_) return;
  if (auto* arrived = std::get_if<paceline::MessageArrived>(&event)) {
    tell(std::move(*arrived));
  } else if (const auto* ended = std::get_if<paceline::MessageEnded>(&event)) {
    const auto it = taken_.find(ended->message);
    if (it == taken_.end()) return;
    waiting_ -= it->second.size;
    taken_.erase(it);
    tell(*ended);
  } else if (std::holds_alternative<PortOpened>(event)) {
    --opening_;
  } else if (const auto* path = std::get_if<PortPath>(&event)) {
    round_trip_ = path->round_trip;
  } else if (const auto* rate = std::get_if<paceline::PathRate>(&event)) {
    tell(*rate);
  } else {
    closed_ = true;
    end_all(tell);
    tell(std::get<paceline::SessionClosed>(std::move(event)));
  }
}

// What was on its way to the session when that closed.
void RemotePort::end_all(const Tell& tell) {
  waiting_ = {};
  const auto taken = std::exchange(taken_, {});
  std::vector<MessageId> ids;
  for (const auto& [id, message] : taken) ids.push_back(id);
  std::ranges::sort(ids);
  for (const MessageId id : ids) {
    const Taken& message = taken.at(id);
    tell(paceline::MessageEnded{.stream = message.stream,
                                .message = id,
                                .outcome = paceline::Outcome::kLost,
                                .sent = {},
                                .size = message.size});
  }
}

void RemoteSession::carry_out(PortCommand&& command) {
  if (closed_) return;
  if (auto* sent = std::get_if<PortSend>(&command)) {
    send(std::move(*sent));
  } else if (const auto* cancelled = std::get_if<PortCancel>(&command)) {
    const auto it = here_.find(cancelled->id);
    if (it != here_.end()) session_.cancel(it->second);
  } else if (const auto* open = std::get_if<PortOpen>(&command)) {
    const StreamId stream = session_.open_stream();
    if (stream != open->expected) {
      return session_.close("internal error: stream " + std::to_string(stream.value()) + " where " +
                            std::to_string(open->expected.value()) + " was expected");
    }
    tell_(PortOpened{});
  } else if (const auto* stream = std::get_if<PortCloseStream>(&command)) {
    session_.close_stream(stream->stream);
  } else if (std::holds_alternative<PortLetIn>(command)) {
    session_.let_in();
  } else if (const auto* hold = std::get_if<PortHold>(&command)) {
    session_.hold(hold->time);
  } else {
    session_.close(std::get<PortClose>(command).reason);
  }
}

void RemoteSession::send(PortSend&& send) {
  const ByteCount size = send.message.payload.byte_count();
  const auto id = session_.send(send.stream, std::move(send.message));
  if (id) {
    here_[send.id] = *id;
    there_[*id] = send.id;
    return;
  }
  tell_(paceline::MessageEnded{.stream = send.stream,
                               .message = send.id,
                               .outcome = paceline::Outcome::kCancelled,
                               .sent = {},
                               .size = size});
  // It would no longer know what it sees.
  if (send.stream == paceline::kFirstStream) {
    session_.close("it takes no messages: " + id.error().message);
  }
}

void RemoteSession::on_event(paceline::SessionEvent&& event) {
  if (auto* arrived = std::get_if<paceline::MessageArrived>(&event)) {
    tell_(std::move(*arrived));
  } else if (auto* ended = std::get_if<paceline::MessageEnded>(&event)) {
    const auto it = there_.find(ended->message);
    if (it == there_.end()) return;
    if (--until_path_ == 0) tell_path();
    ended->message = it->second;
    here_.erase(it->second);
    there_.erase(it);
    tell_(*ended);
  } else if (const auto* rate = std::get_if<paceline::PathRate>(&event)) {
    tell_(*rate);
  } else if (auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    closed_ = true;
    tell_(std::move(*closed));
  }
}

void RemoteSession::tell_path() {
  until_path_ = kPathEvery;
  const Duration round_trip = session_.round_trip();
  if (std::exchange(round_trip_, round_trip) != round_trip) tell_(PortPath{round_trip});
}

}  // namespace qps
