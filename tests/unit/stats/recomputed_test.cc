// Our sums against sums over the rows of the export itself, read with plain SQL.
#include <sqlite3.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "importers/importer.h"
#include "stats/names.h"
#include "stats/rounding.h"
#include "tests/support/real_traces.h"
#include "tests/unit/stats/table_text.h"

using namespace xsp;

namespace {

using Values = std::map<std::string, std::vector<std::int64_t>>;

class Database {
 public:
  explicit Database(const std::filesystem::path& file) {
    sqlite3* handle = nullptr;
    const std::string uri = "file:" + file.string() + "?immutable=1";
    const int code =
        sqlite3_open_v2(uri.c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    handle_.reset(handle);
    REQUIRE(code == SQLITE_OK);
  }

  // Values by name: the query gives (name, value). Nothing if the export lacks a table or column.
  Values Collect(const std::string& query) const {
    Values values;
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), query.c_str(), -1, &raw, nullptr) != SQLITE_OK) return {};
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
    while (sqlite3_step(raw) == SQLITE_ROW) {
      const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
      values[name == nullptr ? "" : name].push_back(sqlite3_column_int64(raw, 1));
    }
    return values;
  }

 private:
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle_{nullptr, sqlite3_close};
};

double MedianOf(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  if (values.size() % 2 == 1) return static_cast<double>(values[half]);
  return static_cast<double>(values[half - 1] + values[half]) / 2;
}

std::int64_t SumOf(const std::vector<std::int64_t>& values) {
  std::int64_t sum = 0;
  for (std::int64_t value : values) sum += value;
  return sum;
}

// Total, count, median, smallest, largest and name, as one line each, sorted.
using Lines = std::vector<std::string>;

std::string Line(double total, std::int64_t count, double median, double min, double max,
                 const std::string& name) {
  return std::to_string(total) + " " + std::to_string(count) + " " + std::to_string(median) + " " +
         std::to_string(min) + " " + std::to_string(max) + " " + name;
}

Lines TimeLines(const Values& values, std::string_view (*label)(std::string_view)) {
  Lines lines;
  for (const auto& [name, all] : values) {
    const auto [min, max] = std::minmax_element(all.begin(), all.end());
    lines.push_back(Line(SumOf(all), all.size(), RoundTenth(MedianOf(all)), *min, *max,
                         std::string(label(name))));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

Lines SizeLines(const Values& values) {
  Lines lines;
  for (const auto& [name, all] : values) {
    const auto [min, max] = std::minmax_element(all.begin(), all.end());
    lines.push_back(Line(Megabytes(SumOf(all)), all.size(), Megabytes(MedianOf(all)),
                         Megabytes(*min), Megabytes(*max), name));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

double Number(const StatsTable& table, std::size_t row, std::size_t column) {
  if (const auto integer = table.Integer(row, column)) return static_cast<double>(*integer);
  return table.Real(row, column).value_or(-1);
}

// The same lines from a report; `first` is the column of the total.
Lines OurLines(const Trace& trace, const std::string& report, std::size_t first) {
  TraceIndexes indexes(trace);
  const auto tables =
      RunReport(ParseReportRequest(report), EventSelection(trace), GroupBy::kNothing, indexes);
  const StatsTable& table = tables.front();
  Lines lines;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string name(*table.Text(row, table.columns().size() - 1));
    lines.push_back(Line(Number(table, row, first), *table.Integer(row, first + 1),
                         Number(table, row, first + 3), Number(table, row, first + 4),
                         Number(table, row, first + 5), name));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string_view Unchanged(std::string_view name) { return name; }

// Copies by our label; `value` is what is summed up.
Values MemoryOperations(const Database& database, const std::string& value) {
  Values values;
  for (const auto& [kind, all] :
       database.Collect("SELECT copyKind, " + value + " FROM CUPTI_ACTIVITY_KIND_MEMCPY")) {
    auto& own = values[std::string(CopyLabel(static_cast<CopyKind>(std::stoi(kind))))];
    own.insert(own.end(), all.begin(), all.end());
  }
  for (const auto& [kind, all] :
       database.Collect("SELECT '', " + value + " FROM CUPTI_ACTIVITY_KIND_MEMSET")) {
    values[std::string(kMemsetLabel)] = all;
  }
  return values;
}

// Ranges by style only: which domain a range belongs to is the importer's business.
Values RangesByStyle(const Database& database) {
  return database.Collect(R"(
      WITH last AS (SELECT MAX(MAX(start), MAX(COALESCE(end, start))) AS time FROM NVTX_EVENTS)
      SELECT CASE WHEN eventType IN (59, 70) THEN 'PushPop' ELSE 'StartEnd' END,
             COALESCE(end, (SELECT time FROM last)) - start
      FROM NVTX_EVENTS WHERE eventType IN (59, 60, 70, 71))");
}

Lines RangeTotals(const Values& values) {
  Lines lines;
  for (const auto& [style, all] : values) {
    lines.push_back(style + " " + std::to_string(all.size()) + " " + std::to_string(SumOf(all)) +
                    " " + std::to_string(*std::min_element(all.begin(), all.end())) + " " +
                    std::to_string(*std::max_element(all.begin(), all.end())));
  }
  return lines;
}

// The rows of nvtx_sum put together by style.
Lines OurRangeTotals(const Trace& trace) {
  TraceIndexes indexes(trace);
  const auto tables =
      RunReport(ParseReportRequest("nvtx_sum"), EventSelection(trace), GroupBy::kNothing, indexes);
  const StatsTable& table = tables.front();
  struct Sum {
    std::int64_t count = 0, total = 0, min = INT64_MAX, max = INT64_MIN;
  };
  std::map<std::string, Sum> sums;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Sum& sum = sums[std::string(*table.Text(row, 8))];
    sum.total += *table.Integer(row, 1);
    sum.count += *table.Integer(row, 2);
    sum.min = std::min(sum.min, *table.Integer(row, 5));
    sum.max = std::max(sum.max, *table.Integer(row, 6));
  }
  Lines lines;
  for (const auto& [style, sum] : sums) {
    lines.push_back(style + " " + std::to_string(sum.count) + " " + std::to_string(sum.total) +
                    " " + std::to_string(sum.min) + " " + std::to_string(sum.max));
  }
  return lines;
}

// Joins a table with the strings that a column names.
std::string Named(const std::string& table, const std::string& column, const std::string& where) {
  return "SELECT s.value, t.end - t.start FROM " + table + " t JOIN StringIds s ON s.id = t." +
         column + where;
}

void CompareWithSql(const std::filesystem::path& file) {
  CAPTURE(file.filename());
  const Trace trace = ImportFile(file);
  const Database db(file);
  CHECK(OurLines(trace, "cuda_api_sum", 1) ==
        TimeLines(db.Collect(Named("CUPTI_ACTIVITY_KIND_RUNTIME", "nameId", "")), CallLabel));
  CHECK(OurLines(trace, "cuda_gpu_kern_sum", 1) ==
        TimeLines(db.Collect(Named("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName", "")), Unchanged));
  CHECK(OurLines(trace, "osrt_sum", 1) ==
        TimeLines(db.Collect(Named("OSRT_API", "nameId", " WHERE t.eventClass = 27")), Unchanged));
  CHECK(OurLines(trace, "cuda_gpu_mem_time_sum", 1) ==
        TimeLines(MemoryOperations(db, "end - start"), Unchanged));
  CHECK(OurLines(trace, "cuda_gpu_mem_size_sum", 0) == SizeLines(MemoryOperations(db, "bytes")));
  CHECK(OurRangeTotals(trace) == RangeTotals(RangesByStyle(db)));
}

}  // namespace

TEST_CASE("sums over real exports equal sums over their rows in SQL") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  for (const char* part : {"nsys", "nsys_stats"}) {
    for (const auto& file : test::FilesBelow(*folder / part, ".sqlite")) CompareWithSql(file);
  }
}

TEST_CASE("rows of backtraces count as calls and double the kernels that they launched") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  const auto file = *folder / "nsys/hpcgroup__pipit__saxpy-mpi-cuda_nsys_perlmutter0.sqlite";
  const Trace trace = ImportFile(file);
  REQUIRE(trace.OfKind(EventKind::kApiBacktrace).first !=
          trace.OfKind(EventKind::kApiBacktrace).last);
  std::size_t joined = 0;
  for (const auto& [name, all] : Database(file).Collect(R"(
      SELECT 'kernels', 0 FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
      ON k.correlationId = r.correlationId
      AND k.globalPid = r.globalTid & 0xFFFFFFFFFF000000)")) {
    joined += all.size();
  }
  TraceIndexes indexes(trace);
  const auto tables = RunReport(ParseReportRequest("cuda_kern_exec_trace"), EventSelection(trace),
                                GroupBy::kNothing, indexes);
  CHECK(tables.front().rows() == joined);
  CHECK(joined > trace.kernels().grid_x.size());
}
