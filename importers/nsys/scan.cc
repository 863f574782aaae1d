#include "importers/nsys/scan.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/workers.h"

namespace xsp {
namespace {

// Small enough that a run's rows are still in the cache when they are handed over, large enough
// that a run costs nothing extra.
constexpr std::uint64_t kRowsPerRun = 8192;
// Row numbers can have gaps, in a hostile file enormous ones: then runs get longer, not more.
constexpr std::uint64_t kMaxRunsPerTable = 4096;
// MostRows() counts the smallest cells there can be; a row of an export takes at least so many.
constexpr std::uint64_t kLeastCells = 4;
// Below this a second thread is not worth its start.
constexpr std::uint64_t kRowsPerThread = 10000;

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

constexpr char kDamagedHint[] =
    "the file is damaged: export it again, or keep what it still gives with "
    "xsp import --salvage";

std::uint64_t Distance(std::int64_t first, std::int64_t last) {
  return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
}

// first + step, without passing `limit`.
std::int64_t Advance(std::int64_t first, std::uint64_t step, std::int64_t limit) {
  if (first > limit || Distance(first, limit) < step) return limit;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + step);
}

// The same runs with the second half among the first: threads then work on different tables most of
// the time, and only one of them on NVTX, whose many new texts all want the builder's lock.
std::vector<std::size_t> Interleaved(const std::vector<std::size_t>& runs) {
  const std::size_t half = (runs.size() + 1) / 2;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < half; ++i) {
    order.push_back(runs[i]);
    if (half + i < runs.size()) order.push_back(runs[half + i]);
  }
  return order;
}

std::string DamageText(const SqliteError& error, const std::string& table, std::int64_t row) {
  return "table " + table + ", row " + std::to_string(row) + ": " + error.what();
}

}  // namespace

NsysScan::NsysScan(NsysShared& shared, unsigned threads, Progress& progress)
    : shared_(shared), threads_(std::max(1u, threads)), progress_(progress) {}

std::vector<std::size_t> NsysScan::Plan(const std::vector<NsysTableSpec>& specs) {
  std::vector<std::size_t> planned;
  const std::size_t before = runs_.size();
  for (const NsysTableSpec& spec : specs) PlanTable(spec);
  for (std::size_t i = before; i < runs_.size(); ++i) planned.push_back(i);
  return planned;
}

// Finds the lowest or highest row number, nothing if there are no rows. False if the table is
// damaged there (salvaging only).
bool NsysScan::FindEnd(const NsysTable& table, std::string_view function,
                       std::optional<std::int64_t>* end) {
  try {
    SqliteStatement find = ContextOf(0).db().Prepare("SELECT " + std::string(function) + "(" +
                                                     table.rowid + ") FROM " + Quoted(table.name));
    if (find.Step() && !find.IsNull(0)) *end = find.Int(0);
    return true;
  } catch (const SqliteError& error) {
    if (shared_.access.salvage) return false;
    throw Error(
        shared_.access.file.string() + ": cannot read table " + table.name + ": " + error.what(),
        kDamagedHint);
  }
}

void NsysScan::PlanTable(const NsysTableSpec& spec) {
  const NsysTable* table = shared_.catalog.Find(spec.table);
  const std::size_t number = tables_.size();
  tables_.emplace_back().next = runs_.size();
  Run run{spec, table, 0, kHighest, false, {}, {}, number, {}};
  if (table->rowid.empty()) {
    runs_.push_back(std::move(run));
    return;
  }
  std::optional<std::int64_t> first, last;
  const bool knows_first = FindEnd(*table, "min", &first);
  const bool knows_last = FindEnd(*table, "max", &last);
  if (knows_first && knows_last && !first) return;  // No rows.
  // Row numbers of exports count from 1: that is where to begin if a damaged table does not say.
  run.first = first.value_or(0);
  if (!last || *last < run.first) {
    runs_.push_back(std::move(run));
    return;
  }
  const std::uint64_t distance = Distance(run.first, *last);
  // Where numbers have gaps, fewer rows will come.
  run.spec.table_rows = std::min(distance, ContextOf(0).db().MostRows() / kLeastCells) + 1;
  const std::uint64_t step = std::max(kRowsPerRun, distance / kMaxRunsPerTable + 1);
  for (std::int64_t from = run.first;; from = run.last + 1) {
    run.last = Advance(from, step - 1, *last);
    runs_.push_back({run.spec, table, from, run.last, true, {}, {}, number, {}});
    if (run.last == *last) return;
  }
}

void NsysScan::StartProgress() {
  std::uint64_t rows = 0;
  for (const Run& run : runs_) {
    if (run.known) rows += std::min(Distance(run.first, run.last) + 1, kRowsPerRun);
  }
  progress_.Start("reading", rows, "rows");
}

NsysContext& NsysScan::ContextOf(std::size_t worker) {
  while (contexts_.size() <= worker) contexts_.push_back(std::make_unique<NsysContext>(shared_));
  return *contexts_[worker];
}

void NsysScan::Read(const std::vector<std::size_t>& runs) {
  std::uint64_t rows = 0;
  for (std::size_t i : runs) {
    rows += runs_[i].known ? std::min(Distance(runs_[i].first, runs_[i].last), kRowsPerRun)
                           : kRowsPerRun;
  }
  const auto workers = static_cast<unsigned>(
      std::clamp<std::uint64_t>(rows / kRowsPerThread, 1, std::max(threads_, 1u)));
  const std::vector<std::size_t> order = Interleaved(runs);
  for (unsigned i = 0; i < workers; ++i) ContextOf(i);
  ForEachOnThreads(order.size(), workers,
                   [&](std::size_t i, unsigned worker) { ReadRun(*contexts_[worker], order[i]); });
}

void NsysScan::ReadRun(NsysContext& context, std::size_t number) {
  Run& run = runs_[number];
  const std::size_t expected =
      run.known ? std::min(Distance(run.first, run.last) + 1, kRowsPerRun) : 0;
  auto reader = run.spec.make(run.spec, context, run.log, expected);
  std::uint64_t rows = 0;
  std::int64_t from = run.first;
  std::uint64_t skip = 1;  // Doubles as long as nothing can be read: a page holds many rows.
  while (true) {
    std::int64_t next_row = from;
    const std::uint64_t before = rows;
    if (ReadRows(context, run, *reader, from, &next_row, &rows)) break;
    if (run.table->rowid.empty() || next_row > run.last) break;  // Nowhere to go on from.
    if (rows > before) skip = 1;
    const bool is_last = Distance(next_row, run.last) < skip;
    const std::uint64_t lost = is_last ? Distance(next_row, run.last) + 1 : skip;
    run.log.NoteDamage(run.known ? lost : 1, run.damage);
    if (is_last) break;
    from = Advance(next_row, skip, run.last);
    skip = std::min(skip * 2, std::uint64_t{1} << 62);
  }
  HandOver(number, std::move(reader));
  progress_.Advance(rows);
}

void NsysScan::HandOver(std::size_t number, std::unique_ptr<NsysTableReader> reader) {
  TableInProgress& table = tables_[runs_[number].table_number];
  std::lock_guard lock(table.mutex);
  runs_[number].reader = std::move(reader);
  while (table.next < runs_.size() && runs_[table.next].reader != nullptr &&
         &tables_[runs_[table.next].table_number] == &table) {
    Run& run = runs_[table.next];
    run.reader->Finish(table.next++);
    run.reader.reset();
  }
}

bool NsysScan::ReadRows(NsysContext& context, Run& run, NsysTableReader& reader, std::int64_t from,
                        std::int64_t* next_row, std::uint64_t* rows) {
  try {
    ScanTable(context.db(), *run.table, run.spec.columns, from, run.last,
              [&](const SqliteValues& row, std::int64_t number) {
                reader.Add(NsysRow(row, number, run.log));
                ++*rows;
                *next_row = number == kHighest ? number : number + 1;
              });
    return true;
  } catch (const SqliteError& error) {
    const std::string what = DamageText(error, run.table->name, *next_row);
    if (!shared_.access.salvage) {
      throw Error(shared_.access.file.string() + ": cannot read " + what, kDamagedHint);
    }
    if (run.damage.empty()) run.damage = what;
    return false;
  }
}

void NsysScan::ReportTo(ImportLog& log) const {
  for (const Run& run : runs_) run.log.AddTo(log, run.spec.table);
}

std::string NsysScan::Damage() const {
  for (const Run& run : runs_) {
    if (!run.damage.empty()) return run.damage;
  }
  return shared_.string_index.damaged ? "some strings could not be read" : "";
}

}  // namespace xsp
