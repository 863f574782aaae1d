#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/tables/stored_report.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

// Bounds of what is read: nothing overflows, and nothing takes long to show.
constexpr std::int64_t kMostInteger = std::int64_t{1} << 61;
constexpr double kMostUnits = 1e18;  // In columns that are shown in units.
constexpr double kMostNumber = 1e30;
constexpr std::size_t kMostCells = 2'000'000;  // Of all tables,
constexpr std::size_t kMostShown = 6'000'000;  // as often as they are shown.
constexpr std::size_t kMostTables = 1'000;
constexpr std::size_t kMostKeys = 1'000;
constexpr int kMostDecimals = 9;
constexpr int kDeepest = 40;

// Read with a sorted map: the one that keeps the order of keys takes a hostile million of them
// one by one.
using Parsed = nlohmann::json;

// Reads the parts of one report. Throws std::runtime_error, or what the JSON library throws.
class ReportReader {
 public:
  Report Read(const Parsed& json) {
    Report report;
    report.command = Text(json.at("command"));
    for (const Parsed& trace : List(json.at("traces"))) report.traces.push_back(ReadSource(trace));
    for (const Parsed& words : List(json.at("about"))) report.about.push_back(Text(words));
    report.window = ReadWindow(json.at("window"));
    Expect(List(json.at("tables")).size() <= kMostTables);
    for (const Parsed& table : json.at("tables")) {
      const std::size_t before = cells_;
      tables_.push_back(RowsOf(ReadTable(table)));
      costs_.push_back(cells_ - before);
    }
    for (const Parsed& section : List(json.at("sections"))) {
      report.sections.push_back(ReadSection(section));
    }
    report.fields = ReadFacts(json.at("fields"));
    return report;
  }

 private:
  static void Expect(bool holds) {
    if (!holds) throw std::runtime_error("no report");
  }
  static const std::string& Text(const Parsed& json) { return json.get_ref<const std::string&>(); }
  // Words that nobody makes safe before they are shown.
  static const std::string& Words(const Parsed& json) {
    Expect(SafeText(Text(json)) == Text(json));
    return Text(json);
  }
  static std::string Lines(const Parsed& json) {
    std::string on_one_line = Text(json);
    std::replace(on_one_line.begin(), on_one_line.end(), '\n', ' ');
    Expect(SafeText(on_one_line) == on_one_line);
    return Text(json);
  }
  static const Parsed& List(const Parsed& json) {
    Expect(json.is_array());
    return json;
  }
  static int Number(const Parsed& json, int least, int most) {
    Expect(json.is_number_integer() && json.get<std::int64_t>() >= least &&
           json.get<std::int64_t>() <= most);
    return json.get<int>();
  }
  template <class Enum>
  static Enum OneOf(const Parsed& json, Enum last) {
    return static_cast<Enum>(Number(json, 0, static_cast<int>(last)));
  }

  static TraceSource ReadSource(const Parsed& json) {
    TraceSource source{
        Text(json.at(0)), Text(json.at(1)), {}, json.at(3).get<bool>(), Text(json.at(4))};
    if (!json.at(2).is_null()) source.source_sha256 = Text(json.at(2));
    return source;
  }
  static Window ReadWindow(const Parsed& json) {
    Window window;
    window.text = Text(json.at("text"));
    if (const Parsed& time = json.at("time"); !time.is_null()) {
      Expect(time.at(0).is_number_integer() && time.at(1).is_number_integer());
      window.time = TimeRange{time.at(0).get<TimeNs>(), time.at(1).get<TimeNs>()};
    }
    for (const Parsed& filter : List(json.at("filters"))) {
      window.filters.emplace_back(Text(filter.at(0)), Text(filter.at(1)));
    }
    return window;
  }

  Rows TableAt(const Parsed& number) {
    Expect(number.is_number_unsigned());
    Rows table = tables_.at(number.get<std::size_t>());
    Expect((shown_ += costs_[number.get<std::size_t>()]) <= kMostShown);
    return table;
  }
  Section ReadSection(const Parsed& json) {
    if (json.is_string()) return Lines(json);
    if (json.is_number()) return TableAt(json);
    return Headline{Lines(json.at(0)), OneOf(json.at(1), Look::kError)};
  }

  Facts ReadFacts(const Parsed& json) {
    std::vector<Fact> facts;
    for (const Parsed& fact : List(json)) {
      facts.push_back({Text(fact.at(0)), ReadValue(fact.at(1))});
    }
    return Facts(std::move(facts));
  }
  Facts::Value ReadValue(const Parsed& json) {
    if (json.contains("rows")) return TableAt(json.at("rows"));
    if (json.contains("facts")) return ReadFacts(json.at("facts"));
    if (json.contains("json")) return Decoded(json.at("json"));
    std::vector<Facts> each;
    for (const Parsed& facts : List(json.at("each"))) each.push_back(ReadFacts(facts));
    return each;
  }
  static Json Decoded(const Parsed& json) {
    if (json.is_array()) {
      Json list = Json::array();
      for (const Parsed& item : json) list.push_back(Decoded(item));
      return list;
    }
    if (!json.is_object()) return Json::parse(json.dump());
    Json object = Json::object();
    Expect(List(json.at("object")).size() <= kMostKeys);
    for (const Parsed& pair : json.at("object")) object[Text(pair.at(0))] = Decoded(pair.at(1));
    return object;
  }

  // Names become names of files.
  static const std::string& Name(const Parsed& json) {
    Expect(Text(json).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
           std::string::npos);
    return Text(json);
  }
  static TableColumn ReadColumn(const Parsed& json) {
    return {Words(json.at(0)),
            Words(json.at(1)),
            OneOf(json.at(2), ColumnKind::kBar),
            Number(json.at(3), 0, kAlways),
            Number(json.at(4), 0, kMostDecimals),
            OneOf(json.at(5), Readers::kAllButJson)};
  }
  static bool HasUnits(ColumnKind kind) {
    return kind != ColumnKind::kFloat && kind != ColumnKind::kShare && kind != ColumnKind::kBar;
  }
  static Cell ReadCell(const Parsed& json, ColumnKind kind) {
    if (json.is_null()) return {};
    if (json.is_string()) return Text(json);
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_object()) return JsonCell(Decoded(json.at("json")));
    Expect(json.is_number() &&
           std::abs(json.get<double>()) <= (HasUnits(kind) ? kMostUnits : kMostNumber));
    if (json.is_number_float()) return json.get<double>();
    Expect(std::abs(json.get<double>()) <= static_cast<double>(kMostInteger));
    return json.get<std::int64_t>();
  }

  void ReadRows(const Parsed& json, Table& table) {
    for (const Parsed& row : List(json)) {
      Expect(List(row).size() == table.columns().size());
      Expect((cells_ += row.size() + 1) <= kMostCells);
      std::vector<Cell> cells;
      for (std::size_t c = 0; c < row.size(); ++c) {
        cells.push_back(ReadCell(row[c], table.columns()[c].kind));
      }
      table.AddRow(std::move(cells));
    }
  }
  static std::size_t ColumnCalled(const Table& table, const std::string& key) {
    std::size_t column = 0;
    while (column < table.columns().size() && table.columns()[column].key != key) ++column;
    Expect(column < table.columns().size());
    return column;
  }
  Table ReadTable(const Parsed& json) {
    std::vector<TableColumn> columns;
    for (const Parsed& column : List(json.at("columns"))) columns.push_back(ReadColumn(column));
    Expect((cells_ += 1 + columns.size() + List(json.at("notes")).size()) <= kMostCells);
    Table table(Text(json.at("title")), std::move(columns));
    table.SetName(Name(json.at("name")));
    ReadRows(json.at("rows"), table);
    for (const Parsed& note : json.at("notes")) table.AddNote(Text(note));
    const Parsed& flags = json.at("flags");
    if (flags.at(0).get<bool>()) table.HideHeader();
    if (flags.at(1).get<bool>()) table.SetForScripts();
    if (flags.at(2).get<bool>()) table.ShareTimeUnit();
    if (const Parsed& shown = json.at("shown"); !shown.is_null()) {
      Expect(shown.is_number_unsigned());
      table.CutTo(shown.get<std::size_t>());
    }
    if (const std::string& key = Text(json.at("key")); !key.empty()) {
      const std::size_t column = ColumnCalled(table, key);
      table.ForEachRow(
          [&](const std::vector<Cell>& row) { Expect(row[column].text() != nullptr); });
      table.KeyBy(key);
    }
    for (const Parsed& nested : List(json.at("nested"))) {
      const std::string& key = Text(nested.at(1));
      const Rows rows = TableAt(nested.at(2));
      ColumnCalled(table, key), ColumnCalled(*rows, key);
      // Each row looks through all of them.
      Expect(rows->nested().empty());
      Expect((cells_ += table.row_count() * rows->row_count()) <= kMostCells);
      table.Nest(Text(nested.at(0)), *rows, key);
    }
    return table;
  }

  std::vector<Rows> tables_;
  std::vector<std::size_t> costs_;  // By table: how many cells it takes to show it.
  std::size_t cells_ = 0;           // Of what was read,
  std::size_t shown_ = 0;           // and of what will be shown.
};

// Nested deeper than a report is: a parser would hold each level.
bool IsDeep(std::string_view text) {
  int depth = 0;
  bool is_name = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') ++i;
    if (c == '"') is_name = !is_name;
    if (is_name) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

}  // namespace

std::optional<Report> ReportFromText(std::string_view text) {
  if (IsDeep(text)) return std::nullopt;
  try {
    return ReportReader().Read(Parsed::parse(text));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace xsp
