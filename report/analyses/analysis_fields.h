#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hierarchy/analyses/profile.h"
#include "report/tables/table.h"

// Columns as values: what a column is called, and how a row gives its cell. The tables of the
// analyses are lists of these.
namespace xsp {

// A row and the rank it belongs to.
template <class Row>
struct RankRow {
  const RankProfile* rank;
  Row row;
};

template <class Row>
struct Field {
  TableColumn column;
  std::function<Cell(const RankRow<Row>&)> value;
};

template <class Row>
using Fields = std::vector<Field<Row>>;

// Times are means: whole nanoseconds again when they are shown.
inline Cell DurationCell(double ns) { return static_cast<std::int64_t>(std::llround(ns)); }
inline Cell BytesCell(const std::optional<double>& bytes) {
  return bytes ? Cell(static_cast<std::int64_t>(std::llround(*bytes))) : Cell();
}
inline Cell ScaledCell(const std::optional<double>& value, double divisor) {
  return value ? Cell(*value / divisor) : Cell();
}
inline Cell TextCell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

// A table of these fields, with the rank in front where there are several.
template <class Row>
Table TableOf(std::string title, Fields<Row> fields, const std::vector<RankRow<Row>>& rows,
              bool has_ranks) {
  if (has_ranks) {
    fields.insert(fields.begin(), {{"rank", "rank", ColumnKind::kText, 9},
                                   [](const RankRow<Row>& r) { return Cell(r.rank->name); }});
  }
  std::vector<TableColumn> columns;
  for (const Field<Row>& field : fields) columns.push_back(field.column);
  Table table(std::move(title), std::move(columns));
  for (const RankRow<Row>& row : rows) {
    std::vector<Cell> cells;
    for (const Field<Row>& field : fields) cells.push_back(field.value(row));
    table.AddRow(std::move(cells));
  }
  return table;
}

// The n-th field with the column's numbers as a bar of the largest.
template <class Row>
Field<Row> BarOf(const std::vector<RankRow<Row>>& rows,
                 std::function<double(const RankRow<Row>&)> value) {
  double most = 0;
  for (const RankRow<Row>& row : rows) most = std::max(most, value(row));
  return {{"", "bar", ColumnKind::kBar, 3}, [most, value](const RankRow<Row>& row) {
            return most > 0 ? Cell(value(row) / most) : Cell();
          }};
}

// What kernels computed and moved, of any row that has GpuFigures.
template <class Row>
Fields<Row> MetricFields() {
  using R = const RankRow<Row>&;
  return {{{"Gflop", "gflop", ColumnKind::kFloat, 7, 2},
           [](R r) { return ScaledCell(r.row.gpu.Flops(), 1e9); }},
          {{"read", "dram_read_bytes", ColumnKind::kBytes, 6},
           [](R r) { return BytesCell(r.row.gpu.ReadBytes()); }},
          {{"written", "dram_write_bytes", ColumnKind::kBytes, 6},
           [](R r) { return BytesCell(r.row.gpu.WriteBytes()); }}};
}

template <class Row>
Fields<Row> RooflineFields() {
  using R = const RankRow<Row>&;
  return {{{"flop/byte", "arithmetic_intensity", ColumnKind::kFloat, 7, 2},
           [](R r) { return Cell(r.row.gpu.Intensity()); }},
          {{"Tflop/s", "tflops_per_s", ColumnKind::kFloat, 7, 2},
           [](R r) { return ScaledCell(r.row.gpu.FlopsPerSecond(), 1e12); }},
          {{"bound by", "bound", ColumnKind::kText, 7}, [](R r) {
             const auto bound = r.row.gpu.BoundBy(r.rank->peaks);
             return bound ? Cell(NameOf(*bound)) : Cell();
           }}};
}

// Where the figures come from, and how much of the latency they stand for.
template <class Row>
Fields<Row> SourceFields() {
  using R = const RankRow<Row>&;
  return {{{"flop by", "flops_source", ColumnKind::kText, 5},
           [](R r) { return TextCell(SourceWords(r.row.gpu.flops_source)); }},
          {{"of time", "flops_coverage", ColumnKind::kShare, 4},
           [](R r) { return r.row.gpu.Flops() ? Cell(r.row.gpu.FlopsCoverage()) : Cell(); }},
          {{"bytes by", "bytes_source", ColumnKind::kText, 3},
           [](R r) { return TextCell(SourceWords(r.row.gpu.bytes_source)); }}};
}

template <class Row>
Fields<Row> OccupancyFields() {
  using R = const RankRow<Row>&;
  return {{{"occupancy", "occupancy", ColumnKind::kShare, 6},
           [](R r) { return Cell(r.row.gpu.Occupancy()); }},
          {{"occupancy by", "occupancy_source", ColumnKind::kText, 4},
           [](R r) { return TextCell(SourceWords(r.row.gpu.OccupancySource())); }}};
}

template <class Row>
Fields<Row> FigureFields() {
  Fields<Row> all;
  for (Fields<Row> part :
       {MetricFields<Row>(), OccupancyFields<Row>(), RooflineFields<Row>(), SourceFields<Row>()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

template <class Row>
Fields<Row> operator+(Fields<Row> a, const Fields<Row>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace xsp
