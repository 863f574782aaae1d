#include "report/tables/markdown_text.h"
#include "report/tables/table_format.h"
#include "report/tables/table_writers.h"
#include "report/tables/text.h"

namespace xsp {

std::string WriteMarkdownTable(const Table& whole, const TextLayout& layout) {
  const Table table = whole.Shown();
  std::vector<std::size_t> shown;
  std::vector<ColumnFormat> formats;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    formats.emplace_back(table, c, layout.time_unit);
    const TableColumn& column = table.columns()[c];
    if (column.ForPeople() && column.kind != ColumnKind::kBar) shown.push_back(c);
  }
  std::string text;
  if (!table.title().empty()) {
    text += "### " + MarkdownCell(SafeText(TitleWithUnit(table, layout.time_unit))) + "\n\n";
  }
  if (table.row_count() > 0) {
    std::vector<MarkdownColumn> columns;
    for (std::size_t c : shown) {
      columns.push_back({MarkdownCell(formats[c].Title()), formats[c].AtRightEdge()});
    }
    text += MarkdownHead(columns);
    table.ForEachRow([&](const std::vector<Cell>& row) {
      std::vector<std::string> cells;
      for (std::size_t c : shown) cells.push_back(MarkdownCell(formats[c].Show(row[c])));
      text += MarkdownRow(cells);
    });
  }
  for (const std::string& note : table.notes())
    text += "\n" + MarkdownParagraph(SafeText(note)) + "\n";
  return text;
}

}  // namespace xsp
