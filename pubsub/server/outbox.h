// What the thread of one io_context sends to a mailbox: together, when it has done what there is to do now.
//
//   push, push, push --> [ waiting ] --one post to its own io_context--> Mailbox::push_all
//
// So a thread that has much to say wakes the other one once. Ownership: the mailbox outlives it, and so does the
// io_context. Bound: none here, as the mailbox has none. Thread: that io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "pubsub/server/mailbox.h"

namespace qps {

template <class T>
class Outbox {
 public:
  Outbox(boost::asio::io_context& own, Mailbox<T>& to)
      : own_(own), state_(std::make_shared<State>(&to)) {}
  // What waits is dropped.
  ~Outbox() { state_->to = nullptr; }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void push(T value) {
    state_->waiting.push_back(std::move(value));
    if (state_->waiting.size() > 1) return;
    boost::asio::post(own_, [state = state_] { state->send(); });
  }

 private:
  // Outlives the outbox until a post on the queue has been.
  struct State {
    explicit State(Mailbox<T>* mailbox) : to(mailbox) {}
    void send() {
      if (to != nullptr) to->push_all(waiting);
      waiting.clear();
    }

    Mailbox<T>* to;
    std::vector<T> waiting;
  };
  boost::asio::io_context& own_;
  const std::shared_ptr<State> state_;
};

}  // namespace qps
