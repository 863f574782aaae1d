#include "model/building/trace_check.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/error.h"

namespace xsp {
namespace {

// No sum of durations, nor of idle times of all tracks, exceeds this: twice it fits an int64.
constexpr DurationNs kLargestSum = DurationNs{1} << 61;
// Points in time can be subtracted from each other.
constexpr TimeNs kFarthest = TimeNs{1} << 62;

// Every Id in a column must point into its table, or nowhere if the column allows that.
template <class Tag>
void CheckId(Id<Tag> id, std::size_t rows, Nulls nulls, std::string_view column) {
  if (id.valid() ? id.value >= rows : nulls == Nulls::kNever) {
    Misfit("column " + std::string(column) + " points outside its table");
  }
}
template <class Tag>
void CheckIds(const std::vector<Id<Tag>>& ids, std::size_t rows, Nulls nulls,
              std::string_view column) {
  for (Id<Tag> id : ids) CheckId(id, rows, nulls, column);
}

// Enumerations that xsp itself assigns. (Kinds of copies and memory are kept as the source had
// them, so those who read them expect any number.)
template <class T>
constexpr int HighestOf() {
  if constexpr (std::is_same_v<T, TrackKind>) return static_cast<int>(TrackKind::kMetrics);
  if constexpr (std::is_same_v<T, StreamFlag>) return static_cast<int>(StreamFlag::kNull);
  if constexpr (std::is_same_v<T, ApiLayer>) return static_cast<int>(ApiLayer::kOther);
  if constexpr (std::is_same_v<T, SyncKind>) return static_cast<int>(SyncKind::kStreamWait);
  if constexpr (std::is_same_v<T, GraphObjectKind>) {
    return static_cast<int>(GraphObjectKind::kClone);
  }
  if constexpr (std::is_same_v<T, PayloadType>) return static_cast<int>(PayloadType::kJson);
  if constexpr (std::is_same_v<T, MpiKind>) return static_cast<int>(MpiKind::kOther);
  if constexpr (std::is_same_v<T, LibraryKind>) return static_cast<int>(LibraryKind::kCublas);
  if constexpr (std::is_same_v<T, DirectiveKind>) return static_cast<int>(DirectiveKind::kOpenMp);
  if constexpr (std::is_same_v<T, MemoryOperation>) return static_cast<int>(MemoryOperation::kFree);
  if constexpr (std::is_same_v<T, OperatorRole>) return static_cast<int>(OperatorRole::kModuleEnd);
  return std::numeric_limits<int>::max();
}

template <class T>
void CheckEnum(T value, std::string_view column) {
  if (static_cast<int>(value) > HighestOf<T>()) {
    Misfit("column " + std::string(column) + " holds a value that has no meaning");
  }
}

// The one id or enumeration in a field of a row struct.
template <class T>
void CheckField([[maybe_unused]] const TraceTables& t, [[maybe_unused]] const T& value,
                [[maybe_unused]] Nulls nulls, [[maybe_unused]] std::string_view column) {
  if constexpr (std::is_same_v<T, StringId>) {
    CheckId(value, t.strings.size(), nulls, column);
  } else if constexpr (std::is_same_v<T, ProcessId>) {
    CheckId(value, t.processes.size(), nulls, column);
  } else if constexpr (std::is_same_v<T, GpuId>) {
    CheckId(value, t.gpus.size(), nulls, column);
  } else if constexpr (std::is_same_v<T, DomainId>) {
    CheckId(value, t.domains.size(), nulls, column);
  } else if constexpr (std::is_enum_v<T>) {
    CheckEnum(value, column);
  }
}

template <class Row>
void CheckRows(const TraceTables& t, const std::vector<Row>& rows) {
  ForEachColumn<Row>([&](const Column& column, auto member) {
    for (const Row& row : rows) CheckField(t, row.*member, column.nulls, column.name);
  });
}

// All times lie close enough to each other that no total can overflow.
void CheckTimes(const TraceTables& t) {
  const Events& events = t.events;
  if (events.begin.empty()) return;
  TimeNs first = events.begin.front(), last = first;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < events.begin.size(); ++i) {
    const TimeNs begin = events.begin[i], end = events.end[i];
    if (end < begin) Misfit("an event ends before it begins");
    if (begin <= -kFarthest || end >= kFarthest) Misfit("an event lies centuries away");
    first = std::min(first, begin);
    last = std::max(last, end);
    total += static_cast<std::uint64_t>(end - begin);
    if (last - first > kLongestSpan) Misfit("its events lie months apart");
    if (total > static_cast<std::uint64_t>(kLargestSum)) {
      Misfit("its events last longer than can be added up");
    }
  }
  const auto tracks = static_cast<DurationNs>(t.tracks.size() + t.gpus.size() + 1);
  if (last - first > kLargestSum / tracks) Misfit("its tracks are too many for their time");
}

}  // namespace

void Misfit(const std::string& what) {
  throw Error("the trace's tables do not fit together: " + what);
}

void CheckKindCounts(const TraceTables& tables) {
  std::uint64_t total = 0;
  for (std::uint32_t count : tables.kind_counts) total += count;
  if (total != tables.events.begin.size()) Misfit("counts per kind and number of events differ");
  if (total >= EventId::kNone) Misfit("it has more events than can be counted");
}

void Trace::CheckEvents() const {
  const std::size_t rows = event_count();
  ForEachColumn<Events>([&](const Column&, auto member) {
    if ((t_.events.*member).size() != rows) Misfit("columns of events differ in length");
  });
  CheckIds(t_.events.track, t_.tracks.size(), Nulls::kNever, "events.track");
  CheckIds(t_.events.name, t_.strings.size(), Nulls::kAllowed, "events.name");
  const EventSpan calls = OfKind(EventKind::kApi);
  for (EventId call : t_.events.call) {
    if (call.valid() && !calls.Contains(call)) Misfit("column events.call names what is no call");
  }
  const auto& begin = t_.events.begin;
  for (const EventSpan& span : spans_) {
    if (!std::is_sorted(begin.begin() + span.first, begin.begin() + span.last)) {
      Misfit("events are not in order of time");
    }
  }
  CheckTimes(t_);
}

void Trace::CheckDetails() const {
  auto check_values = [&]<class T>(const std::vector<T>& values, const Column& column) {
    if constexpr (std::is_same_v<T, StringId>) {
      CheckIds(values, t_.strings.size(), column.nulls, column.name);
    } else if constexpr (std::is_same_v<T, TrackId>) {
      CheckIds(values, t_.tracks.size(), column.nulls, column.name);
    } else if constexpr (std::is_same_v<T, DomainId>) {
      CheckIds(values, t_.domains.size(), column.nulls, column.name);
    } else if constexpr (std::is_same_v<T, EventId>) {
      CheckIds(values, event_count(), column.nulls, column.name);
    } else if constexpr (std::is_enum_v<T>) {
      for (T value : values) CheckEnum(value, column.name);
    }
  };
  auto check = [&]<class Table>(const Table& table, std::size_t rows) {
    ForEachColumn<Table>([&](const Column& column, auto member) {
      const auto& values = table.*member;
      if (values.size() != rows)
        Misfit("column " + std::string(column.name) + " has a wrong length");
      check_values(values, column);
    });
  };
  ForEachDetailTable(t_.details, [&](const KindGroup& group, const auto& table) {
    check(table, spans_[IndexOf(group.last)].last - spans_[IndexOf(group.first)].first);
  });
  check(t_.collectives, t_.collectives.event.size());
  check(t_.operators, t_.operators.event.size());
  check(t_.operands, t_.operands.signature.size());
  check(t_.frames, t_.frames.chain.size());
  auto check_order = [](const auto& column, const char* what) {
    if (!std::is_sorted(column.begin(), column.end())) Misfit(std::string(what) + " not in order");
  };
  check_order(t_.collectives.event, "collectives are");
  check_order(t_.operators.event, "operators are");
  check_order(t_.operands.signature, "operands are");
  check_order(t_.frames.chain, "call chains are");
}

void Trace::CheckEntities() const {
  CheckRows(t_, t_.processes);
  CheckRows(t_, t_.tracks);
  CheckRows(t_, t_.gpus);
  CheckRows(t_, t_.contexts);
  CheckRows(t_, t_.domains);
  CheckRows(t_, t_.categories);
  for (const NvtxDomain& domain : t_.domains) {
    if (!domain.process.valid()) Misfit("a domain belongs to no process");
  }
  // Only the tracks of sampled counters belong to no process, and nothing else stands on them:
  // whoever meets another event asks its track for the process.
  bool has_counters = false;
  for (const Track& track : t_.tracks) {
    if (track.process.valid()) continue;
    if (track.kind != TrackKind::kMetrics) Misfit("a track belongs to no process");
    has_counters = true;
  }
  if (!has_counters) return;
  for (EventKind kind : AllEventKinds()) {
    if (kind == EventKind::kGpuMetric) continue;
    for (EventId event : OfKind(kind)) {
      if (!process_of(event).valid()) Misfit("an event belongs to no process");
    }
  }
}

}  // namespace xsp
