#include "model/trace.h"

#include <algorithm>
#include <string>

#include "model/error.h"

namespace xsp {
namespace {

[[noreturn]] void Misfit(const std::string& what) {
  throw Error("the trace's tables do not fit together: " + what);
}

// Every Id in a column must point into its table, or nowhere if the column allows that.
template <class Tag>
void CheckIds(const std::vector<Id<Tag>>& ids, std::size_t rows, Nulls nulls,
              std::string_view column) {
  for (Id<Tag> id : ids) {
    if (id.valid() ? id.value >= rows : nulls == Nulls::kNever) {
      Misfit("column " + std::string(column) + " points outside its table");
    }
  }
}

// The rows with one value of a sorted column.
template <class T>
std::pair<std::uint32_t, std::uint32_t> RowsWith(const std::vector<T>& sorted, T value) {
  auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
  return {static_cast<std::uint32_t>(first - sorted.begin()),
          static_cast<std::uint32_t>(last - sorted.begin())};
}

}  // namespace

Trace::Trace(TraceTables tables) : t_(std::move(tables)) {
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
    if (!ranges.Contains(event)) Misfit("an operator is no range");
    operator_of_range_[event.value - ranges.first] = row;
  }
}

void Trace::CheckEvents() const {
  const std::size_t rows = event_count();
  if (spans_.back().last != rows) Misfit("counts per kind and number of events differ");
  ForEachColumn<Events>([&](const auto& column) {
    if ((t_.events.*(column.member)).size() != rows) Misfit("columns of events differ in length");
  });
  CheckIds(t_.events.track, t_.tracks.size(), Nulls::kNever, "events.track");
  CheckIds(t_.events.name, t_.strings.size(), Nulls::kAllowed, "events.name");
  CheckIds(t_.events.call, rows, Nulls::kAllowed, "events.call");
  for (std::size_t i = 0; i < rows; ++i) {
    if (t_.events.end[i] < t_.events.begin[i]) Misfit("an event ends before it begins");
  }
}

void Trace::CheckDetails() const {
  auto check_ids = [&]<class T>(const std::vector<T>& values, const auto& column) {
    if constexpr (std::is_same_v<T, StringId>) {
      CheckIds(values, t_.strings.size(), column.nulls, column.name);
    } else if constexpr (std::is_same_v<T, TrackId>) {
      CheckIds(values, t_.tracks.size(), column.nulls, column.name);
    } else if constexpr (std::is_same_v<T, DomainId>) {
      CheckIds(values, t_.domains.size(), column.nulls, column.name);
    } else if constexpr (std::is_same_v<T, EventId>) {
      CheckIds(values, event_count(), column.nulls, column.name);
    }
  };
  auto check = [&]<class Table>(const Table& table, std::size_t rows) {
    ForEachColumn<Table>([&](const auto& column) {
      const auto& values = table.*(column.member);
      if (values.size() != rows)
        Misfit("column " + std::string(column.name) + " has a wrong length");
      check_ids(values, column);
    });
  };
  ForEachDetailTable(t_.details, [&](const KindGroup& group, const auto& table) {
    check(table, spans_[IndexOf(group.last)].last - spans_[IndexOf(group.first)].first);
  });
  check(t_.collectives, t_.collectives.event.size());
  check(t_.operators, t_.operators.event.size());
  check(t_.operands, t_.operands.signature.size());
  check(t_.frames, t_.frames.chain.size());
  if (!std::is_sorted(t_.operators.event.begin(), t_.operators.event.end())) {
    Misfit("operators are not in order");
  }
  if (!std::is_sorted(t_.operands.signature.begin(), t_.operands.signature.end())) {
    Misfit("operands are not in order");
  }
  if (!std::is_sorted(t_.frames.chain.begin(), t_.frames.chain.end())) {
    Misfit("call chains are not in order");
  }
}

void Trace::CheckEntities() const {
  for (const Track& track : t_.tracks) {
    if (track.process.valid() && track.process.value >= t_.processes.size()) {
      Misfit("a track names a process that is not there");
    }
    if (track.gpu.valid() && track.gpu.value >= t_.gpus.size()) {
      Misfit("a track names a GPU that is not there");
    }
  }
  for (const NvtxCategory& category : t_.categories) {
    if (category.domain.value >= t_.domains.size()) Misfit("a category names no domain");
  }
  auto check_strings = [&](const auto& rows) {
    using Row = typename std::remove_cvref_t<decltype(rows)>::value_type;
    ForEachColumn<Row>([&](const auto& column) {
      for (const Row& row : rows) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(row.*(column.member))>,
                                     StringId>) {
          StringId id = row.*(column.member);
          if (id.valid() && id.value >= t_.strings.size()) Misfit("a name points nowhere");
        }
      }
    });
  };
  check_strings(t_.processes);
  check_strings(t_.tracks);
  check_strings(t_.gpus);
  check_strings(t_.domains);
  check_strings(t_.categories);
}

}  // namespace xsp
