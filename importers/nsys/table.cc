#include "importers/nsys/table.h"

#include <string>

namespace xsp {
namespace {

// Times beyond this (73 years around 0, or UTC in the year 2116) cannot be subtracted safely.
constexpr TimeNs kFarthest = TimeNs{1} << 62;

bool IsAbsurd(TimeNs time) { return time >= kFarthest || time <= -kFarthest; }

}  // namespace

bool ReadInstant(const NsysRow& row, int start_column, NsysTimes* times) {
  times->begin = row.Get<std::int64_t>(start_column);
  if (IsAbsurd(times->begin)) {
    row.Note(ImportReason::kNoBegin, "no usable start");
    return false;
  }
  times->end = times->begin;
  times->flags = 0;
  return true;
}

bool ReadTimes(const NsysRow& row, int start_column, int end_column, NsysTimes* times) {
  if (!ReadInstant(row, start_column, times)) return false;
  const auto end = row.Get<std::int64_t>(end_column);
  if (end >= times->begin && !IsAbsurd(end)) {
    times->end = end;
    return true;
  }
  if (end == kMissing<std::int64_t>) {
    times->flags = kUnfinished;
    row.Note(ImportReason::kUnfinished, "start " + std::to_string(times->begin));
  } else {
    times->flags = kBadEnd;
    row.Note(ImportReason::kBadEnd,
             "start " + std::to_string(times->begin) + ", end " + std::to_string(end));
  }
  return true;
}

bool ReadDeviceTimes(const NsysRow& row, int start_column, int end_column, NsysTimes* times) {
  if (row.Get<std::int64_t>(start_column) == 0 && row.Get<std::int64_t>(end_column) == 0) {
    row.Note(ImportReason::kNoTime, "start 0, end 0");
    return false;
  }
  return ReadTimes(row, start_column, end_column, times);
}

}  // namespace xsp
