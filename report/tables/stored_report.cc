#include "report/tables/stored_report.h"

#include <algorithm>
#include <map>

namespace xsp {
namespace {

// Writes the parts of one report. Tables come first, each once, those that are nested in another
// one before it; all others speak of them by number.
class ReportWriter {
 public:
  Json Write(const Report& report) {
    Json sections = Json::array(), fields = FactsToJson(report.fields);
    for (const Section& section : report.sections) sections.push_back(SectionToJson(section));
    Json traces = Json::array();
    for (const TraceSource& trace : report.traces) {
      traces.push_back({trace.path, trace.format, JsonOrNull(trace.source_sha256), trace.partial,
                        trace.partial_reason});
    }
    return {{"command", report.command},  {"traces", std::move(traces)},
            {"about", report.about},      {"window", ToJson(report.window)},
            {"tables", tables_},          {"sections", std::move(sections)},
            {"fields", std::move(fields)}};
  }

 private:
  static Json ToJson(const Window& window) {
    Json filters = Json::array();
    for (const auto& [option, value] : window.filters) filters.push_back({option, value});
    return {{"text", window.text},
            {"time", window.time ? Json{window.time->begin, window.time->end} : Json(nullptr)},
            {"filters", std::move(filters)}};
  }

  Json SectionToJson(const Section& section) {
    if (const auto* words = std::get_if<std::string>(&section)) return *words;
    if (const auto* headline = std::get_if<Headline>(&section)) {
      return {headline->text, static_cast<int>(headline->look)};
    }
    return NumberOf(std::get<Rows>(section));
  }

  Json FactsToJson(const Facts& facts) {
    Json list = Json::array();
    for (const Fact& fact : facts.list()) {
      list.push_back({fact.key, std::visit([&](const auto& value) { return ToJson(value); },
                                           fact.value.variant())});
    }
    return list;
  }
  Json ToJson(const Rows& rows) { return {{"rows", NumberOf(rows)}}; }
  Json ToJson(const Facts& facts) { return {{"facts", FactsToJson(facts)}}; }
  Json ToJson(const std::vector<Facts>& list) {
    Json each = Json::array();
    for (const Facts& facts : list) each.push_back(FactsToJson(facts));
    return {{"each", std::move(each)}};
  }
  Json ToJson(const Json& value) const { return {{"json", Encoded(value)}}; }

  // Objects as lists of key and value: readers that look keys up sort them.
  static Json Encoded(const Json& value) {
    if (!value.is_structured()) return value;
    Json list = Json::array();
    for (const auto& [key, item] : value.items()) {
      list.push_back(value.is_object() ? Json{key, Encoded(item)} : Encoded(item));
    }
    return value.is_object() ? Json{{"object", std::move(list)}} : list;
  }

  std::size_t NumberOf(const Rows& rows) {
    const auto known = number_of_.find(rows.get());
    return known != number_of_.end() ? known->second : (number_of_[rows.get()] = Add(*rows));
  }

  std::size_t Add(const Table& table) {
    Json columns = Json::array(), rows = Json::array(), nested = Json::array();
    for (const TableColumn& column : table.columns()) {
      columns.push_back({column.title, column.key, static_cast<int>(column.kind), column.importance,
                         column.decimals, static_cast<int>(column.readers)});
    }
    table.ForEachRow([&](const std::vector<Cell>& row) {
      Json& cells = rows.emplace_back(Json::array());
      for (const Cell& cell : row) cells.push_back(ToJson(cell));
    });
    for (const Table::Nested& list : table.nested()) {
      nested.push_back({list.list, list.key, Add(*list.rows)});
    }
    tables_.push_back(
        {{"title", table.title()},
         {"name", table.name()},
         {"columns", std::move(columns)},
         {"rows", std::move(rows)},
         {"notes", table.notes()},
         {"key", table.key()},
         {"nested", std::move(nested)},
         {"shown", table.shown() < table.row_count() ? Json(table.shown()) : Json(nullptr)},
         {"flags", {table.header_hidden(), table.for_scripts(), table.shares_time_unit()}}});
    return tables_.size() - 1;
  }

  static Json ToJson(const Cell& cell) {
    if (cell.empty()) return nullptr;
    if (const std::string* text = cell.text()) return *text;
    if (const std::int64_t* number = cell.integer()) return *number;
    if (const bool* flag = cell.flag()) return *flag;
    if (const Json* parts = cell.parts()) return {{"json", Encoded(*parts)}};
    return cell.AsDouble();
  }

  Json tables_ = Json::array();
  std::map<const Table*, std::size_t> number_of_;
};

// All that people and scripts get of it.
std::string AllOf(const Report& report) {
  std::string all = WriteReport(report, OutputFormat::kJson, {});
  all += WriteReport(report, OutputFormat::kTable, {});
  for (const Table* table : report.ScriptTables()) all += WriteCsvTable(*table);
  return all;
}

}  // namespace

std::optional<std::string> TextOf(const Report& report) {
  if (!report.bases.empty() || !report.documents.empty()) return std::nullopt;
  try {
    std::string text = ReportWriter().Write(report).dump() + "\n";  // Throws for what is no UTF-8.
    const std::optional<Report> back = ReportFromText(text);
    if (!back || AllOf(*back) != AllOf(report)) return std::nullopt;
    return text;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace xsp
