// Our tables against what NVIDIA's own tool printed for the same exports, cell by cell.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "importers/importer.h"
#include "tests/support/real_traces.h"
#include "tests/unit/stats/table_text.h"

using namespace xsp;

namespace {

// A table that `nsys stats` printed: cells without thousands separators.
struct PrintedTable {
  std::string report;
  std::vector<std::vector<std::string>> rows;
};

std::string Trim(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \r") - first + 1);
}

// " --------  ----" tells where the columns are.
std::vector<std::size_t> ColumnStarts(const std::string& dashes) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < dashes.size(); ++i) {
    if (dashes[i] == '-' && (i == 0 || dashes[i - 1] == ' ')) starts.push_back(i);
  }
  return starts;
}

std::vector<std::string> Cells(const std::string& line, const std::vector<std::size_t>& starts) {
  std::vector<std::string> cells;
  for (std::size_t c = 0; c < starts.size(); ++c) {
    const bool last = c + 1 == starts.size();
    const std::size_t length = last ? std::string::npos : starts[c + 1] - starts[c];
    std::string cell = Trim(line.substr(starts[c], length));
    if (!last) std::erase(cell, ',');
    cells.push_back(cell);
  }
  return cells;
}

// The reports had other names up to 2022.
std::string CurrentName(const std::string& name) {
  static const std::map<std::string, std::string> renamed = {
      {"cudaapisum", "cuda_api_sum"},
      {"gpukernsum", "cuda_gpu_kern_sum"},
      {"gpumemtimesum", "cuda_gpu_mem_time_sum"},
      {"gpumemsizesum", "cuda_gpu_mem_size_sum"},
      {"nvtxsum", "nvtx_sum"},
      {"osrtsum", "osrt_sum"},
  };
  const auto it = renamed.find(name);
  return it == renamed.end() ? name : it->second;
}

std::vector<PrintedTable> ReadPrinted(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<PrintedTable> tables;
  std::vector<std::size_t> starts;
  for (std::string line; std::getline(in, line);) {
    const std::size_t quote = line.find("Executing '");
    if (quote != std::string::npos) {
      const std::size_t name = quote + 11;
      tables.push_back({CurrentName(line.substr(name, line.find('\'', name) - name)), {}});
      starts.clear();
    } else if (line.find(" --------") == 0) {
      starts = ColumnStarts(line);
    } else if (!starts.empty() && Trim(line).empty()) {
      starts.clear();
    } else if (!starts.empty()) {
      tables.back().rows.push_back(Cells(line, starts));
    }
  }
  return tables;
}

// Labels of copies changed over the years; that it is one must do.
std::string Comparable(const std::string& cell) { return cell[0] == '[' ? "[" : cell; }

void CompareTable(const Trace& trace, const PrintedTable& printed) {
  TraceIndexes indexes(trace);
  const auto tables = RunReport(ParseReportRequest(printed.report), EventSelection(trace),
                                GroupBy::kNothing, indexes);
  const StatsTable& ours = tables.front();
  CAPTURE(printed.report);
  REQUIRE(ours.rows() == printed.rows.size());
  for (std::size_t row = 0; row < ours.rows(); ++row) {
    REQUIRE(printed.rows[row].size() == ours.columns().size());
    for (std::size_t column = 0; column < ours.columns().size(); ++column) {
      CAPTURE(row, FullName(ours.columns()[column]));
      CHECK(Comparable(test::CellText(ours, row, column)) == Comparable(printed.rows[row][column]));
    }
  }
}

}  // namespace

TEST_CASE("every number that nsys stats printed is ours, too") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  std::size_t rows = 0;
  for (const auto& text : test::FilesBelow(*folder / "nsys_stats", ".txt")) {
    const auto database = std::filesystem::path(text).replace_extension(".sqlite");
    CAPTURE(database.filename());
    const Trace trace = ImportFile(database);
    for (const PrintedTable& printed : ReadPrinted(text)) {
      CompareTable(trace, printed);
      rows += printed.rows.size();
    }
  }
  CHECK(rows >= 90);
}
