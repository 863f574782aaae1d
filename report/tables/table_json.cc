#include "base/interrupt.h"
#include "report/tables/json.h"
#include "report/tables/table_writers.h"

namespace xsp {
namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

std::size_t ColumnCalled(const Table& table, const std::string& key) {
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (table.columns()[c].key == key) return c;
  }
  return kNoColumn;
}

// Writes the rows of one table, in full or without the column that tells where they belong.
class RowsWriter {
 public:
  RowsWriter(const Table& table, std::size_t left_out, std::string& text)
      : table_(table), text_(text) {
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      if (c == left_out || !table.columns()[c].ForJson()) continue;
      columns_.push_back(c);
      if (table.columns()[c].readers != Readers::kJson) before_lists_ = columns_.size();
    }
  }

  void Write(const std::vector<Cell>& row, std::size_t indent) {
    poll_();
    JsonMembers object('{', indent, text_);
    WriteCells(row, 0, before_lists_, object);
    for (const Table::Nested& nested : table_.nested()) {
      object.Next(nested.list);
      WriteNested(nested, row, object.indent());
    }
    WriteCells(row, before_lists_, columns_.size(), object);
    object.End();
  }

 private:
  void WriteCells(const std::vector<Cell>& row, std::size_t first, std::size_t last,
                  JsonMembers& object) {
    for (std::size_t i = first; i < last; ++i) {
      object.Next(table_.columns()[columns_[i]].key);
      AppendJson(row[columns_[i]], object.indent(), text_);
    }
  }

  void WriteNested(const Table::Nested& nested, const std::vector<Cell>& row, std::size_t indent) {
    const Cell& place = row[ColumnCalled(table_, nested.key)];
    const std::size_t column = ColumnCalled(*nested.rows, nested.key);
    RowsWriter writer(*nested.rows, column, text_);
    JsonMembers list('[', indent, text_);
    nested.rows->ForEachRow([&](const std::vector<Cell>& part) {
      if (part[column] != place) return;
      list.Next();
      writer.Write(part, list.indent());
    });
    list.End();
  }

  const Table& table_;
  std::vector<std::size_t> columns_;
  std::size_t before_lists_ = 0;  // Of the columns; what only JSON has comes last.
  std::string& text_;
  InterruptPoll poll_;
};

}  // namespace

void AppendJson(const Table& table, std::size_t indent, std::string& text) {
  const std::size_t key = table.key().empty() ? kNoColumn : ColumnCalled(table, table.key());
  RowsWriter writer(table, key, text);
  JsonMembers rows(key == kNoColumn ? '[' : '{', indent, text);
  table.ForEachRow([&](const std::vector<Cell>& row) {
    key == kNoColumn ? rows.Next() : rows.Next(*row[key].text());
    writer.Write(row, rows.indent());
  });
  rows.End();
}

std::string WriteJsonTable(const Table& table) {
  std::string text;
  AppendJson(table, 0, text);
  return text + "\n";
}

}  // namespace xsp
