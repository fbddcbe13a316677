// Values from other threads to the thread of one io_context, in the order of each sender.
//
//   push --> [ waiting, under a mutex ] --one post a batch--> take(batch)
//
// The taker swaps the whole of what waits out, so a busy one is woken seldom and holds the mutex
// for a moment. Bound: none here, and push never waits: whoever uses it bounds what it sends.
//
// Thread: push any; the rest the io_context's. The io_context outlives the mailbox.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace qps {

template <class T>
class Mailbox {
 public:
  // Gets what has come; may move from it.
  using Take = std::function<void(std::vector<T>&)>;

  Mailbox(boost::asio::io_context& io, Take take)
      : state_(std::make_shared<State>(io, std::move(take))) {}
  ~Mailbox() { close(); }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void push(T value) {
    if (state_->add([&](std::vector<T>& to) { to.push_back(std::move(value)); })) state_->wake();
  }
  // The same of several, in their order. Nothing of use is left in `values`.
  void push_all(std::vector<T>& values) {
    if (values.empty()) return;
    const auto add = [&](std::vector<T>& to) {
      if (to.empty()) return to.swap(values);
      to.insert(to.end(), std::make_move_iterator(values.begin()),
                std::make_move_iterator(values.end()));
    };
    if (state_->add(add)) state_->wake();
  }
  // Nothing is taken from here on; what waits and what still comes is dropped.
  void close() {
    std::vector<T> dropped;
    {
      const std::lock_guard lock(state_->mutex);
      state_->closed = true;
      dropped.swap(state_->waiting);
    }
  }

 private:
  // Outlives the mailbox until a post on the queue has been.
  struct State : std::enable_shared_from_this<State> {
    State(boost::asio::io_context& where, Take then) : io(where), take(std::move(then)) {}

    // True: the taker is to be woken. Not under the mutex, which it wants first of all.
    template <class Add>
    bool add(Add add) {
      const std::lock_guard lock(mutex);
      if (closed) return false;
      add(waiting);
      return !std::exchange(posted, true);
    }
    void wake() {
      boost::asio::post(io, [self = this->shared_from_this()] { self->deliver(); });
    }
    void deliver() {
      {
        const std::lock_guard lock(mutex);
        posted = false;
        if (closed) return;
        batch.swap(waiting);
      }
      take(batch);
      batch.clear();
    }

    boost::asio::io_context& io;
    const Take take;
    std::mutex mutex;
    std::vector<T> waiting;
    bool posted = false;
    bool closed = false;
    std::vector<T> batch;  // the taker's; kept for its memory
  };
  const std::shared_ptr<State> state_;
};

}  // namespace qps
