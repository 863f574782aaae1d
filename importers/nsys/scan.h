#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/nsys/table.h"
#include "model/import_log.h"
#include "model/progress.h"

namespace xsp {

// Reads tables with several threads: every table is cut into runs of rows, and whoever is free
// takes the next run. What comes out does not depend on who read what.
class NsysScan {
 public:
  // `threads`: at most so many. Keeps references to its arguments.
  NsysScan(NsysShared& shared, unsigned threads, Progress& progress);

  // Cuts the tables into runs, to be read by Read(). Tables planned first come first in the trace.
  std::vector<std::size_t> Plan(const std::vector<NsysTableSpec>& specs);

  // Says how much there is to do, after all planning.
  void StartProgress();

  // Reads the runs with these numbers. Throws Error naming table and row where the file is damaged
  // and salvaging was not asked for; passes on what Progress throws. No thread outlives the call.
  void Read(const std::vector<std::size_t>& runs);

  // Adds what was odd to a log, in the order of the tables.
  void ReportTo(ImportLog& log) const;

  // What was damaged, for a human; empty if nothing was.
  std::string Damage() const;

 private:
  struct Run {
    NsysTableSpec spec;
    const NsysTable* table;
    std::int64_t first;  // Row numbers, both included; not used where a table has none.
    std::int64_t last;
    bool known;  // Whether first and last were found out (a damaged table may not say).
    ChunkLog log;
    std::string damage;
    std::size_t table_number;                 // Place in tables_.
    std::unique_ptr<NsysTableReader> reader;  // That has read it, until it hands its rows over.
  };
  // The runs of one table hand over their rows one after the other, whoever read them and when.
  struct TableInProgress {
    std::mutex mutex;
    std::size_t next = 0;  // The run whose turn it is.
  };

  bool FindEnd(const NsysTable& table, std::string_view function, std::optional<std::int64_t>* end);
  void PlanTable(const NsysTableSpec& spec);
  void ReadRun(NsysContext& context, std::size_t number);
  void HandOver(std::size_t number, std::unique_ptr<NsysTableReader> reader);
  // Reads rows from `from` on and says where it stopped: true at the end, false at damage.
  bool ReadRows(NsysContext& context, Run& run, NsysTableReader& reader, std::int64_t from,
                std::int64_t* next_row, std::uint64_t* rows);
  NsysContext& ContextOf(std::size_t worker);

  NsysShared& shared_;
  unsigned threads_;
  Progress& progress_;
  std::vector<Run> runs_;
  std::deque<TableInProgress> tables_;
  std::vector<std::unique_ptr<NsysContext>> contexts_;
};

}  // namespace xsp
