#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/time.h"

namespace xsp {

using Json = nlohmann::ordered_json;

// What a column holds, which decides how its values are written.
enum class ColumnKind : std::uint8_t {
  kText,      // Words; at the left edge.
  kSentence,  // Words that go on in the next line where room is short; the last column only.
  kName,      // A name from the trace: may be very long, cut in the middle where room is short.
  kInt,       // A count: thousands separated for people.
  kId,        // A number that names something (a process, a stream): written as it is.
  kFloat,     // Any other number.
  kDuration,  // Integer nanoseconds; people see one unit per column.
  kBytes,     // Integer bytes; people see one unit per column.
  kShare,     // 0 to 1; people see percent.
  kBar,       // 0 to 1, drawn as a thin bar; only in tables for a terminal.
};

// One value: text, a number, yes or no; unknown by default. Unknown is never shown as 0. What has
// parts of its own (a list, an object) is for JSON only: json.h makes such cells.
class Cell {
 public:
  Cell() = default;
  Cell(std::nullopt_t) {}
  Cell(std::string text) : value_(std::move(text)) {}
  Cell(std::string_view text) : value_(std::string(text)) {}
  Cell(const char* text) : value_(std::string(text)) {}
  Cell(std::same_as<bool> auto flag) : value_(flag) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Cell(T number) : value_(static_cast<std::int64_t>(number)) {}
  Cell(double number) : value_(number) {}
  explicit Cell(std::shared_ptr<const Json> parts) : value_(std::move(parts)) {}
  template <class T>
  Cell(const std::optional<T>& value) {
    if (value) *this = Cell(*value);
  }

  bool empty() const { return std::holds_alternative<std::monostate>(value_); }
  // The text, or nothing if this is no text.
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  const bool* flag() const { return std::get_if<bool>(&value_); }
  const Json* parts() const {
    const auto* parts = std::get_if<std::shared_ptr<const Json>>(&value_);
    return parts != nullptr ? parts->get() : nullptr;
  }
  // Any number as a double; 0 if there is none.
  double AsDouble() const;
  bool operator==(const Cell&) const = default;

 private:
  std::variant<std::monostate, std::string, std::int64_t, double, bool, std::shared_ptr<const Json>>
      value_;
};

// Who gets to see a column: people read tables and markdown, scripts CSV and JSON.
enum class Readers : std::uint8_t { kAll, kPeople, kScripts, kJson, kAllButJson };

// A column: what it is called by people and by scripts, and how its values look.
struct TableColumn {
  std::string title;  // "device time".
  std::string key;    // In JSON and CSV, with its unit: "device_time_ns".
  ColumnKind kind = ColumnKind::kText;
  // Where a terminal is too narrow the least important columns go first; kAlways never goes.
  int importance = 5;
  int decimals = 2;  // kFloat only.
  Readers readers = Readers::kAll;

  bool ForPeople() const { return readers != Readers::kScripts && readers != Readers::kJson; }
  bool ForCsv() const { return ForScripts() && readers != Readers::kJson; }
  bool ForJson() const { return ForScripts() && readers != Readers::kAllButJson; }

 private:
  bool ForScripts() const { return readers != Readers::kPeople && kind != ColumnKind::kBar; }
};
inline constexpr int kAlways = 100;

// Rows of typed values under a title: what nearly every command has to say.
class Table {
 public:
  Table(std::string title, std::vector<TableColumn> columns)
      : title_(std::move(title)), columns_(std::move(columns)) {}

  using MakeRow = std::function<std::vector<Cell>(std::size_t)>;

  // The row must have a cell for each column.
  void AddRow(std::vector<Cell> cells);
  // Instead of AddRow: rows that are made when they are written, so that a table of a million rows
  // is never held as cells. What `make` refers to must outlive the table.
  void SetRows(std::size_t count, MakeRow make);

  // Small print under the table: "and 312 more: --top 0".
  void AddNote(std::string note) { notes_.push_back(std::move(note)); }
  // In text, no line of column titles: for pairs of name and value.
  void HideHeader() { header_hidden_ = true; }

  // People see so many rows, the first ones, and a note on the rest, "and 312 more: --top 0"; 0:
  // all of them. Scripts get every row. To be called once the rows are there.
  void ShowFirst(std::size_t rows, std::string_view more = " more: --top 0");
  void CutTo(std::size_t rows) { shown_ = rows; }  // The same without a note.

  // The key by which scripts ask for it: --table kernels, kernels.csv. Without one it is for
  // people.
  void SetName(std::string name) { name_ = std::move(name); }
  // People do not see it: they get the same in another form.
  void SetForScripts() { for_scripts_ = true; }

  // In JSON each row gets a list more: those rows of another table, in their order, that have the
  // same value under `key`, without it.
  void Nest(std::string list, Table rows, std::string key);
  // In JSON the rows become one object: by their value under `key`, without it.
  void KeyBy(std::string key) { key_ = std::move(key); }

  // Times of all columns in one unit: where they are read side by side.
  void ShareTimeUnit() { shares_time_unit_ = true; }
  bool shares_time_unit() const { return shares_time_unit_; }

  const std::string& title() const { return title_; }
  const std::vector<TableColumn>& columns() const { return columns_; }
  std::size_t row_count() const { return make_row_ ? made_count_ : rows_.size(); }
  // Calls f with the cells of each row, in order.
  template <class F>
  void ForEachRow(F f) const {
    for (std::size_t i = 0; i < made_count_; ++i) f(make_row_(i));
    for (const std::vector<Cell>& row : rows_) f(row);
  }
  // What people see of it, all rows made.
  Table Shown() const;
  const std::vector<std::string>& notes() const { return notes_; }
  const std::string& name() const { return name_; }
  // A list in each row, of rows of another table.
  struct Nested {
    std::string list;
    std::string key;
    std::shared_ptr<const Table> rows;
  };
  const std::vector<Nested>& nested() const { return nested_; }
  const std::string& key() const { return key_; }
  // Whether it has something to say to people.
  bool IsShown() const { return !for_scripts_ && (row_count() > 0 || !notes_.empty()); }
  bool header_hidden() const { return header_hidden_; }
  bool for_scripts() const { return for_scripts_; }
  std::size_t shown() const { return shown_; }  // Rows that people see, if there are so many.

 private:
  std::string title_;
  std::string name_;
  std::vector<TableColumn> columns_;
  std::vector<std::vector<Cell>> rows_;
  MakeRow make_row_;
  std::size_t made_count_ = 0;
  std::size_t shown_ = std::numeric_limits<std::size_t>::max();  // By ShowFirst.
  std::vector<std::string> notes_;
  std::vector<Nested> nested_;
  std::string key_;  // By KeyBy.
  bool header_hidden_ = false;
  bool for_scripts_ = false;
  bool shares_time_unit_ = false;
};

}  // namespace xsp
