// Values from other threads to the thread of one io_context, in the order of each sender.
//
//   push, push_when_room --> [ waiting, under a mutex ] --one post a batch--> take(batch)
//
// The taker swaps the whole of what waits out, so a busy one is woken seldom and holds the mutex
// for a moment. Bound: push_when_room waits while it is full of values or of bytes (a batch that
// is being taken does not count); a single value goes in however large. push never waits: whoever
// uses it bounds what it sends. Only who never is waited for by the senders may take, or all stand
// still.
//
// Thread: push, push_when_room any; the rest the io_context's. The io_context outlives the mailbox.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/units.h"

namespace qps {

template <class T>
class Mailbox {
 public:
  struct Bound {  // of what waits; both positive
    std::size_t values = 0;
    qvid::ByteCount bytes;
  };
  // Gets what has come; may move from it.
  using Take = std::function<void(std::vector<T>&)>;

  Mailbox(boost::asio::io_context& io, Bound bound, Take take)
      : state_(std::make_shared<State>(io, bound, std::move(take))) {}
  ~Mailbox() { close(); }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void push(T value, qvid::ByteCount size = {}) {
    const std::lock_guard lock(state_->mutex);
    state_->add(std::move(value), size);
  }
  // Not on the io_context's thread, which it waits for.
  void push_when_room(T value, qvid::ByteCount size) {
    std::unique_lock lock(state_->mutex);
    state_->room.wait(lock, [this] { return state_->closed || !state_->full(); });
    state_->add(std::move(value), size);
  }
  // Nothing is taken from here on, what waits and what still comes is dropped, and nobody waits.
  void close() {
    std::vector<T> dropped;
    {
      const std::lock_guard lock(state_->mutex);
      state_->closed = true;
      dropped.swap(state_->waiting);
    }
    state_->room.notify_all();
  }

 private:
  // Outlives the mailbox until a post on the queue has been.
  struct State : std::enable_shared_from_this<State> {
    State(boost::asio::io_context& where, Bound most, Take then)
        : io(where), bound(most), take(std::move(then)) {}

    bool full() const { return waiting.size() >= bound.values || bytes >= bound.bytes; }
    // Under the mutex.
    void add(T&& value, qvid::ByteCount size) {
      if (closed) return;
      waiting.push_back(std::move(value));
      bytes += size;
      if (std::exchange(posted, true)) return;
      boost::asio::post(io, [self = this->shared_from_this()] { self->deliver(); });
    }
    void deliver() {
      {
        const std::lock_guard lock(mutex);
        posted = false;
        if (closed) return;
        batch.swap(waiting);
        bytes = {};
      }
      room.notify_all();
      take(batch);
      batch.clear();
    }

    boost::asio::io_context& io;
    const Bound bound;
    const Take take;
    std::mutex mutex;
    std::condition_variable room;
    std::vector<T> waiting;
    qvid::ByteCount bytes;
    bool posted = false;
    bool closed = false;
    std::vector<T> batch;  // the taker's; kept for its memory
  };
  const std::shared_ptr<State> state_;
};

}  // namespace qps
