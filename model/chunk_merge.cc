#include "model/chunk_merge.h"

#include <numeric>

namespace xsp {

std::vector<std::uint32_t> SortedOrder(const std::vector<TimeNs>& begin, std::uint32_t first,
                                       std::uint32_t last, std::uint32_t* out_of_order) {
  *out_of_order = 0;
  for (std::uint32_t i = first + 1; i < last; ++i) *out_of_order += begin[i] < begin[i - 1];
  if (*out_of_order == 0) return {};
  std::vector<std::uint32_t> order(begin.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin() + first, order.begin() + last,
                   [&](std::uint32_t a, std::uint32_t b) { return begin[a] < begin[b]; });
  return order;
}

}  // namespace xsp
