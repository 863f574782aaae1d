#include "importers/nsys/table.h"

#include <string>

namespace xsp {
namespace {

// Times beyond this (73 years around 0, or UTC in the year 2116) cannot be subtracted safely.
constexpr TimeNs kFarthest = TimeNs{1} << 62;

bool IsAbsurd(TimeNs time) { return time >= kFarthest || time <= -kFarthest; }

}  // namespace

void AddTables(const NsysCatalog& catalog, std::initializer_list<NsysTableSpec> tables,
               std::vector<NsysTableSpec>& specs, std::string_view column) {
  for (const NsysTableSpec& spec : tables) {
    if (column.empty() ? catalog.Has(spec.table) : catalog.Has(spec.table, column)) {
      specs.push_back(spec);
    }
  }
}

bool ReadInstant(const NsysRow& row, int start_column, Events::Row* event) {
  event->begin = row.Get<std::int64_t>(start_column);
  if (IsAbsurd(event->begin)) {
    row.Note(ImportReason::kNoBegin, "no usable start");
    return false;
  }
  event->end = event->begin;
  event->flags = 0;
  return true;
}

bool ReadTimes(const NsysRow& row, int start_column, int end_column, Events::Row* event) {
  if (!ReadInstant(row, start_column, event)) return false;
  const auto end = row.Get<std::int64_t>(end_column);
  if (end >= event->begin && !IsAbsurd(end)) {
    event->end = end;
    return true;
  }
  if (end == kMissing<std::int64_t>) {
    event->flags = kUnfinished;
    row.Note(ImportReason::kUnfinished, "start " + std::to_string(event->begin));
  } else {
    event->flags = kBadEnd;
    row.Note(ImportReason::kBadEnd,
             "start " + std::to_string(event->begin) + ", end " + std::to_string(end));
  }
  return true;
}

bool ReadDeviceTimes(const NsysRow& row, int start_column, int end_column, Events::Row* event) {
  if (row.Get<std::int64_t>(start_column) == 0 && row.Get<std::int64_t>(end_column) == 0) {
    row.Note(ImportReason::kNoTime, "start 0, end 0");
    return false;
  }
  return ReadTimes(row, start_column, end_column, event);
}

}  // namespace xsp
