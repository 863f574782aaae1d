#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <type_traits>

// All of these put the values into another order.
namespace xsp {

// The value that would stand at `place` if the values were sorted; `place` is one of theirs.
template <class Values>
auto NthOf(Values& values, std::size_t place) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The one in the middle; of two the larger, so that it is one of the values. 0 of none.
template <class Values>
auto UpperMedian(Values&& values) {
  return values.empty() ? typename std::remove_cvref_t<Values>::value_type{}
                        : NthOf(values, values.size() / 2);
}

// The one in the middle; of two their mean, as a Result (an integer is rounded towards the smaller
// one). 0 of none.
template <class Result, class Values>
Result MedianOf(Values&& values) {
  if (values.empty()) return Result{};
  const std::size_t middle = values.size() / 2;
  const auto above = static_cast<Result>(NthOf(values, middle));
  if (values.size() % 2 == 1) return above;
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(middle);
  return std::midpoint(static_cast<Result>(*std::max_element(values.begin(), end)), above);
}

}  // namespace xsp
