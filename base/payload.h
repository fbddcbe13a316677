// Immutable bytes, shared by reference count: handing a payload on copies a pointer, never bytes.
//
// Invariant: once a Payload exists nobody writes to its bytes. Thread: a Payload may be copied and
// read on any thread (the count is atomic).
//
// What all payloads of the process hold is counted (`held`): of who hands on what others send, that
// is the memory that others can make it take.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/units.h"

namespace qvid {

class Payload {
 public:
  Payload() = default;

  // Copies `bytes`: one allocation.
  static Payload copy_of(std::span<const std::byte> bytes) {
    Payload p = uninitialised(bytes.size());
    std::copy(bytes.begin(), bytes.end(), p.writable());
    return p;
  }
  static Payload copy_of(std::string_view text) {
    return copy_of(std::as_bytes(std::span(text.data(), text.size())));
  }

  std::span<const std::byte> bytes() const { return {data_.get() + offset_, size_}; }
  const std::byte* data() const { return data_.get() + offset_; }
  std::size_t size() const { return size_; }
  ByteCount byte_count() const { return ByteCount::of(size_); }
  bool empty() const { return size_ == 0; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data()), size_}; }

  // Bytes of all payloads and payloads to be of this process, each counted once however many share
  // it.
  static ByteCount held() { return ByteCount(held_.load(std::memory_order_relaxed)); }

  // A part that shares the same bytes. Precondition: offset + size <= this->size().
  Payload slice(std::size_t offset, std::size_t size) const {
    Payload p = *this;
    p.offset_ += offset;
    p.size_ = size;
    return p;
  }

 private:
  friend class PayloadBuilder;

  // Of the bytes and their count, in one piece.
  template <class T>
  struct Counted {
    using value_type = T;
    Counted() = default;
    template <class U>
    Counted(const Counted<U>&) {}  // NOLINT(google-explicit-constructor): as allocators have it
    T* allocate(std::size_t n) {
      T* memory = std::allocator<T>().allocate(n);
      held_.fetch_add(static_cast<std::int64_t>(n * sizeof(T)), std::memory_order_relaxed);
      return memory;
    }
    void deallocate(T* memory, std::size_t n) {
      held_.fetch_sub(static_cast<std::int64_t>(n * sizeof(T)), std::memory_order_relaxed);
      std::allocator<T>().deallocate(memory, n);
    }
    bool operator==(const Counted&) const { return true; }
  };

  static Payload uninitialised(std::size_t size) {
    Payload p;
    p.data_ = std::allocate_shared_for_overwrite<std::byte[]>(Counted<std::byte>(), size);
    p.size_ = size;
    return p;
  }
  std::byte* writable() { return data_.get() + offset_; }

  inline static std::atomic<std::int64_t> held_ = 0;

  std::shared_ptr<std::byte[]> data_;
  std::size_t offset_ = 0;
  std::size_t size_ = 0;
};

// Bytes on their way to become a Payload of a size known beforehand.
class PayloadBuilder {
 public:
  explicit PayloadBuilder(std::size_t size) : payload_(Payload::uninitialised(size)) {}

  std::span<std::byte> bytes() { return {payload_.writable(), payload_.size()}; }
  std::size_t filled() const { return filled_; }
  bool complete() const { return filled_ == payload_.size(); }

  // Appends; false (and nothing written) where it would not fit.
  bool append(std::span<const std::byte> more) {
    if (more.size() > payload_.size() - filled_) return false;
    std::copy(more.begin(), more.end(), payload_.writable() + filled_);
    filled_ += more.size();
    return true;
  }

  // The finished payload; the builder is empty afterwards.
  Payload take() && { return std::exchange(payload_, {}); }

 private:
  Payload payload_;
  std::size_t filled_ = 0;
};

}  // namespace qvid
