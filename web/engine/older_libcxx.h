// What the C++ library of Debian 12's emscripten (libc++ 13) lacks of C++20, as far as the engines use
// it: the algorithms of std::ranges, and memory for a shared array. Included before everything by
// web/CMakeLists.txt; with a newer library it is empty.
//
// Names in std are the library's alone. These are put there all the same, since the alternative is
// that the product's code avoids its own language for the sake of one old library; a library that
// has them is never asked to have them twice.
#pragma once

#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace std::ranges {

template <class Iterator, class Out>
struct qvid_in_out {
  Iterator in;
  Out out;
};

namespace qvid_detail {

template <class Predicate, class Projection>
constexpr auto projected(Predicate& predicate, Projection& projection) {
  return [&](auto&& element) -> bool {
    return std::invoke(predicate,
                       std::invoke(projection, std::forward<decltype(element)>(element)));
  };
}
template <class T, class Projection>
constexpr auto equal_to(const T& value, Projection& projection) {
  return [&](auto&& element) -> bool {
    return std::invoke(projection, std::forward<decltype(element)>(element)) == value;
  };
}
template <class Order, class Projection>
constexpr auto compared(Order& order, Projection& projection) {
  return [&](auto&& a, auto&& b) -> bool {
    return std::invoke(order, std::invoke(projection, std::forward<decltype(a)>(a)),
                       std::invoke(projection, std::forward<decltype(b)>(b)));
  };
}

}  // namespace qvid_detail

template <class Range, class Predicate, class Projection = std::identity>
constexpr bool all_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::all_of(std::begin(range), std::end(range),
                     qvid_detail::projected(predicate, projection));
}
template <class Range, class Predicate, class Projection = std::identity>
constexpr bool any_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::any_of(std::begin(range), std::end(range),
                     qvid_detail::projected(predicate, projection));
}
template <class Range, class Predicate, class Projection = std::identity>
constexpr bool none_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::none_of(std::begin(range), std::end(range),
                      qvid_detail::projected(predicate, projection));
}
template <class Range, class T, class Projection = std::identity>
constexpr auto find(Range&& range, const T& value, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range), qvid_detail::equal_to(value, projection));
}
template <class Range, class Predicate, class Projection = std::identity>
constexpr auto find_if(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range),
                      qvid_detail::projected(predicate, projection));
}
template <class Range, class Predicate, class Projection = std::identity>
constexpr auto find_if_not(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::find_if_not(std::begin(range), std::end(range),
                          qvid_detail::projected(predicate, projection));
}
template <class Range, class T, class Projection = std::identity>
constexpr auto count(Range&& range, const T& value, Projection projection = {}) {
  return std::count_if(std::begin(range), std::end(range),
                       qvid_detail::equal_to(value, projection));
}
template <class Range, class Predicate, class Projection = std::identity>
constexpr auto count_if(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::count_if(std::begin(range), std::end(range),
                       qvid_detail::projected(predicate, projection));
}
template <class Range, class T>
constexpr void replace(Range&& range, const T& before, const T& after) {
  std::replace(std::begin(range), std::end(range), before, after);
}
template <class Range, class Predicate, class T>
constexpr void replace_if(Range&& range, Predicate predicate, const T& after) {
  std::replace_if(std::begin(range), std::end(range), predicate, after);
}
template <class Range, class T>
constexpr void fill(Range&& range, const T& value) {
  std::fill(std::begin(range), std::end(range), value);
}
template <class Range, class Out>
constexpr auto copy(Range&& range, Out out) {
  const auto last = std::copy(std::begin(range), std::end(range), out);
  return qvid_in_out<decltype(std::begin(range)), Out>{std::end(range), last};
}
template <class Range, class Out, class Function>
constexpr auto transform(Range&& range, Out out, Function function) {
  const auto last = std::transform(std::begin(range), std::end(range), out, std::ref(function));
  return qvid_in_out<decltype(std::begin(range)), Out>{std::end(range), last};
}
template <class A, class B, class Same = std::equal_to<>>
constexpr bool equal(A&& a, B&& b, Same same = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), same);
}
template <class Range, class Order = std::less<>, class Projection = std::identity>
constexpr void sort(Range&& range, Order order = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), qvid_detail::compared(order, projection));
}
template <class Range, class Iterator>
constexpr void nth_element(Range&& range, Iterator nth) {
  std::nth_element(std::begin(range), nth, std::end(range));
}
template <class Range, class Order = std::less<>, class Projection = std::identity>
constexpr auto min_element(Range&& range, Order order = {}, Projection projection = {}) {
  return std::min_element(std::begin(range), std::end(range),
                          qvid_detail::compared(order, projection));
}
template <class Range, class T, class Order = std::less<>, class Projection = std::identity>
constexpr auto lower_bound(Range&& range, const T& value, Order order = {},
                           Projection projection = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value,
                          [&](const auto& element, const T& than) {
                            return std::invoke(order, std::invoke(projection, element), than);
                          });
}
template <class Range, class T, class Order = std::less<>, class Projection = std::identity>
constexpr auto upper_bound(Range&& range, const T& value, Order order = {},
                           Projection projection = {}) {
  return std::upper_bound(std::begin(range), std::end(range), value,
                          [&](const T& than, const auto& element) {
                            return std::invoke(order, than, std::invoke(projection, element));
                          });
}

}  // namespace std::ranges

namespace std {

template <class T, size_t size>
constexpr strong_ordering operator<=>(const array<T, size>& a, const array<T, size>& b) {
  for (size_t i = 0; i < size; ++i) {
    if (const strong_ordering order = a[i] <=> b[i]; order != 0) return order;
  }
  return strong_ordering::equal;
}

// Precondition: the elements are trivial.
template <class Array, class Allocator>
shared_ptr<Array> allocate_shared_for_overwrite(const Allocator& allocator, size_t count) {
  using Element = remove_extent_t<Array>;
  using Own = typename allocator_traits<Allocator>::template rebind_alloc<Element>;
  static_assert(is_trivial_v<Element>);
  if (count == 0) return {};
  Own own(allocator);
  Element* const memory = own.allocate(count);
  const auto give_back = [own, count](Element* of) mutable { own.deallocate(of, count); };
  return shared_ptr<Array>(memory, give_back, own);
}

}  // namespace std

#endif
