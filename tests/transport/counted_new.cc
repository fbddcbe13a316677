#include "tests/transport/counted_new.h"

#include <algorithm>
#include <cstdlib>
#include <new>

// Not inlined: gcc would take malloc and free for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++counted_new::allocations;
  counted_new::largest = std::max(counted_new::largest, size);
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++counted_new::allocations;
  counted_new::largest = std::max(counted_new::largest, size);
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
