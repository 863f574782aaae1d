#include "model/trace.h"

#include <algorithm>

#include "model/building/trace_check.h"

namespace xsp {
namespace {

// The rows with one value of a sorted column.
template <class T>
std::pair<std::uint32_t, std::uint32_t> RowsWith(const std::vector<T>& sorted, T value) {
  auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
  return {static_cast<std::uint32_t>(first - sorted.begin()),
          static_cast<std::uint32_t>(last - sorted.begin())};
}

}  // namespace

Trace::Trace(TraceTables tables) : t_(std::move(tables)) {
  CheckKindCounts(t_);
  std::uint32_t at = 0;
  for (EventKind kind : AllEventKinds()) {
    std::uint32_t count = t_.kind_counts[IndexOf(kind)];
    spans_[IndexOf(kind)] = {at, at + count};
    at += count;
  }
  for (const KindGroup& group : kKindGroups) {
    for (std::size_t k = IndexOf(group.first); k <= IndexOf(group.last); ++k) {
      group_first_[k] = spans_[IndexOf(group.first)].first;
    }
  }
  CheckEvents();
  CheckDetails();
  CheckEntities();
  IndexOperators();
}

EventKind Trace::KindOf(EventId id) const {
  auto after =
      std::upper_bound(spans_.begin(), spans_.end(), id.value,
                       [](std::uint32_t at, const EventSpan& span) { return at < span.last; });
  return static_cast<EventKind>(after - spans_.begin());
}

std::pair<std::uint32_t, std::uint32_t> Trace::FramesOf(ChainId chain) const {
  if (!chain.valid()) return {0, 0};
  return RowsWith(t_.frames.chain, chain);
}

std::pair<std::uint32_t, std::uint32_t> Trace::OperandsOf(SignatureId signature) const {
  if (!signature.valid()) return {0, 0};
  return RowsWith(t_.operands.signature, signature);
}

void Trace::IndexOperators() {
  if (t_.operators.event.empty()) return;
  const EventSpan ranges = {OfKind(EventKind::kNvtxPushPop).first,
                            OfKind(EventKind::kNvtxStartEnd).last};
  operator_of_range_.assign(ranges.size(), kNoOperator);
  for (std::uint32_t row = 0; row < t_.operators.event.size(); ++row) {
    const EventId event = t_.operators.event[row];
    // Kernels of replayed graphs have rows, too: building/kernel_operators.h finds them.
    if (OfKind(EventKind::kKernel).Contains(event)) continue;
    if (!ranges.Contains(event)) Misfit("an operator is neither range nor kernel");
    operator_of_range_[event.value - ranges.first] = row;
  }
}

}  // namespace xsp
