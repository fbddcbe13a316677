// A value, or the reason there is none. Bad input from a peer, a file or a person is a Result,
// never an exception; exceptions are for programming errors and for set-up that cannot go on.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace qvid {

// What went wrong, in a sentence for a person: what, where, what to do.
struct Error {
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  // Precondition of the four: the result holds a value.
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  // Precondition: the result holds an error.
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace qvid
