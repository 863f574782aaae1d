#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "importers/nsys/catalog.h"
#include "importers/nsys/context.h"
#include "importers/nsys/row.h"
#include "model/events.h"

namespace xsp {

// Turns a run of rows of one table into events. Made anew for each run, used by one thread.
class NsysTableReader {
 public:
  virtual ~NsysTableReader() = default;
  // Takes one row: it becomes an event (log.Kept()) or is noted with a reason for which it is not.
  virtual void Add(const NsysRow& row) = 0;
  // Hands everything over. `order` says where this run belongs among all runs; those of one table
  // are asked in ascending order, one at a time.
  virtual void Finish(std::uint64_t order) = 0;
};

// A table that is read: which columns (NsysRow numbers them from 1) and by whom. `rows` is how many
// the run has at most, to reserve memory.
struct NsysTableSpec {
  std::string_view table;
  std::span<const std::string_view> columns;
  std::unique_ptr<NsysTableReader> (*make)(const NsysTableSpec& spec, NsysContext& context,
                                           ChunkLog& log, std::size_t rows);
  std::size_t table_rows = 0;  // How many the whole table has at most; 0: not known.
};

// Begin and end of an event, made sound: end >= begin, both far from the ends of int64.
struct NsysTimes {
  TimeNs begin = 0;
  TimeNs end = 0;
  std::uint8_t flags = 0;
};

// Reads the times of a host event. False: the row cannot be placed in time and was noted.
//  - no start, or an absurd one: set aside (kNoBegin);
//  - no end: the event is an instant that is marked as unfinished. (NVTX, where nsys itself says
//    until when an open range lasts, has its own rule.)
//  - end before start: an instant, marked as such.
bool ReadTimes(const NsysRow& row, int start_column, int end_column, NsysTimes* times);

// The same for device work, whose time stamps may not have been collected: both are 0 then.
bool ReadDeviceTimes(const NsysRow& row, int start_column, int end_column, NsysTimes* times);

// Reads the time of an event that has no end.
bool ReadInstant(const NsysRow& row, int start_column, NsysTimes* times);

// A correlation id; 0 for none.
inline std::uint32_t ReadCorrelation(const NsysRow& row, int column) {
  return row.Get<std::uint32_t>(column, 0);
}

// An enumeration value that is kept as it is, and noted if it is above `highest`.
template <class Enum>
Enum ReadEnum(const NsysRow& row, int column, Enum highest, Enum missing) {
  const auto value = row.Get<std::uint8_t>(column);
  if (value == kMissing<std::uint8_t>) return missing;
  if (value > static_cast<std::uint8_t>(highest)) {
    row.Note(ImportReason::kUnknownValue, "value " + std::to_string(value));
  }
  return static_cast<Enum>(value);
}

// The columns that all events have, filled row by row.
class EventRows {
 public:
  void Reserve(std::size_t rows) {
    events_.begin.reserve(rows);
    events_.end.reserve(rows);
    events_.track.reserve(rows);
    events_.name.reserve(rows);
    events_.correlation.reserve(rows);
  }
  void Add(const NsysTimes& times, TrackId track, StringId name, std::uint32_t correlation = 0) {
    events_.begin.push_back(times.begin);
    events_.end.push_back(times.end);
    events_.track.push_back(track);
    events_.name.push_back(name);
    events_.correlation.push_back(correlation);
    if (times.flags != 0) {
      events_.flags.resize(events_.begin.size());
      events_.flags.back() = times.flags;
    }
  }
  Events& events() { return events_; }

 private:
  Events events_;
};

// A reader whose rows become events of one kind with details of one table.
template <class Table>
class SimpleReader : public NsysTableReader {
 public:
  SimpleReader(EventKind kind, const NsysTableSpec& spec, NsysContext& context, ChunkLog& log,
               std::size_t rows)
      : context_(context),
        log_(log),
        table_(spec.table),
        kind_(kind),
        table_rows_(spec.table_rows) {
    rows_.Reserve(rows);
    ReserveRows(details_, rows);
  }
  void Finish(std::uint64_t order) override {
    context_.builder().Append(kind_, order, table_, std::move(rows_.events()), details_,
                              table_rows_);
  }

 protected:
  void Keep(const NsysTimes& times, TrackId track, StringId name, std::uint32_t correlation = 0) {
    rows_.Add(times, track, name, correlation);
    log_.Kept();
  }

  NsysContext& context_;
  ChunkLog& log_;
  std::string_view table_;
  Table details_;

 private:
  EventKind kind_;
  std::size_t table_rows_;
  EventRows rows_;
};

// `make` for a reader class.
template <class Reader>
std::unique_ptr<NsysTableReader> MakeReader(const NsysTableSpec& spec, NsysContext& context,
                                            ChunkLog& log, std::size_t rows) {
  return std::make_unique<Reader>(spec, context, log, rows);
}

// The tables of each group that a catalog has.
void AddCudaWorkTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);
void AddCudaCallTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);
void AddNvtxTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);
void AddHostTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);
void AddMemoryTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);
void AddSampleTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);

// The call chains: read before the events that name them.
void AddChainTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);

}  // namespace xsp
