#include "report/tables/report.h"

#include <array>
#include <cassert>
#include <filesystem>
#include <random>

#include "base/enum_names.h"
#include "base/interrupt.h"
#include "report/tables/color.h"
#include "report/tables/markdown_text.h"
#include "report/tables/step_set_json.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

constexpr EnumNames<OutputFormat::kGithub> kFormatNames({"table", "json", "csv", "markdown", "dot",
                                                         "chrome", "junit", "sarif", "github"});

std::string NameOfFile(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  return SafeText(name.filename().string());
}

// "train.sqlite · RTX 3070 Ti · whole trace".
std::string FirstLine(const Report& report) {
  std::string line;
  auto add = [&](const std::string& part) { line += (line.empty() ? "" : " · ") + part; };
  std::string bases;
  for (const TraceSource& base : report.bases) {
    bases += (bases.empty() ? "" : " + ") + NameOfFile(base.path);
  }
  for (const TraceSource& trace : report.traces) {
    add((bases.empty() ? "" : bases + " → ") + NameOfFile(trace.path));
    bases.clear();
    if (trace.partial) add("PARTIAL (" + SafeText(trace.partial_reason) + ")");
  }
  for (const std::string& part : report.about) {
    if (!part.empty()) add(SafeText(part));
  }
  add(SafeText(report.window.text));
  return line;
}

Json HeadOf(const TraceSource& trace) {
  Json head = {{"path", JsonText(trace.path)},
               {"format", JsonText(trace.format)},
               {"source_sha256", JsonOrNull(trace.source_sha256)}};
  head["partial"] = trace.partial;
  if (trace.partial) head["partial_reason"] = JsonText(trace.partial_reason);
  if (trace.steps) head["step_set"] = StepSetToJson(*trace.steps);
  return head;
}

Json WindowToJson(const Window& window) {
  Json json = {{"text", JsonText(window.text)}, {"begin_ns", nullptr}, {"end_ns", nullptr}};
  if (window.time) {
    json["begin_ns"] = window.time->begin;
    json["end_ns"] = window.time->end;
  }
  Json filters = Json::object();
  for (const auto& [option, value] : window.filters) filters[option] = JsonText(value);
  json["filters"] = std::move(filters);
  return json;
}

// Begins what stands for the rows of a table; its name follows. Names in a trace may be anything,
// also what stands for rows, so that has a number which no file can know.
const std::string& RowsMark() {
  static const std::string mark = "\x01rows " + std::to_string(std::random_device()()) + " ";
  return mark;
}

const Table* FindTable(const Report& report, std::string_view name) {
  for (const Table* table : report.ScriptTables()) {
    if (table->name() == name) return table;
  }
  return nullptr;
}

void AppendIndented(std::string_view json, std::size_t indent, std::string& text) {
  for (char c : json) {
    text += c;
    if (c == '\n') text.append(indent, ' ');
  }
}

// The rows of a table as DumpJson would lay them out at this indent.
void AppendRows(const Table& table, std::size_t indent, std::string& text) {
  text += "[";
  bool is_first = true;
  InterruptPoll poll;
  table.ForEachRow([&](const std::vector<Cell>& row) {
    poll();
    text += is_first ? "\n" : ",\n";
    is_first = false;
    text.append(indent + 2, ' ');
    std::string json = DumpJson(RowToJson(table, row));
    json.pop_back();  // Its line break.
    AppendIndented(json, indent + 2, text);
  });
  if (!is_first) text.append("\n").append(indent, ' ');
  text += "]";
}

// The document with rows in the place of their marks.
std::string WithRows(const std::string& document, const Report& report) {
  std::string mark = Json(RowsMark()).dump();
  mark.pop_back();  // The closing quote follows the name.
  std::string text;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = document.find(mark, from)) != document.npos;) {
    const std::size_t name = at + mark.size();
    const std::size_t quote = document.find('"', name);
    const std::size_t line = document.rfind('\n', at) + 1;
    const std::size_t indent = document.find_first_not_of(' ', line) - line;
    text.append(document, from, at - from);
    from = quote + 1;
    const Table* table = FindTable(report, document.substr(name, quote - name));
    assert(table != nullptr);
    AppendRows(*table, indent, text);
  }
  text.append(document, from);
  return text;
}

std::string WriteJson(const Report& report) {
  Json document = {{"schema_version", kJsonSchemaVersion},
                   {"command", report.command},
                   {"window", WindowToJson(report.window)}};
  auto list = [](const std::vector<TraceSource>& traces) {
    Json heads = Json::array();
    for (const TraceSource& trace : traces) heads.push_back(HeadOf(trace));
    return heads;
  };
  if (!report.bases.empty()) {
    document["base"] = list(report.bases);
    document["new"] = list(report.traces);
  } else if (report.traces.size() == 1) {
    document["trace"] = HeadOf(report.traces.front());
  } else {
    document["traces"] = list(report.traces);
  }
  document.update(report.fields);
  return WithRows(DumpJson(document), report);
}

std::string WriteCsv(const Report& report) {
  const std::vector<const Table*> tables = report.ScriptTables();
  return tables.empty() ? "" : WriteCsvTable(*tables.front());
}

// Whether people see a section.
bool IsShown(const Section& section) {
  const Table* table = std::get_if<Table>(&section);
  return table == nullptr || table->IsShown();
}

std::string WriteText(const Report& report, const TextLayout& layout) {
  const std::string first = FirstLine(report);
  std::string text = Painted(layout.width ? FitFirstPart(first, *layout.width) : first,
                             Look::kTitle, layout.color) +
                     "\n";
  for (const Section& section : report.sections) {
    if (!IsShown(section)) continue;
    text += "\n";
    if (const auto* paragraph = std::get_if<std::string>(&section)) {
      text += (layout.width ? Wrapped(*paragraph, *layout.width) : *paragraph) + "\n";
    } else if (const auto* headline = std::get_if<Headline>(&section)) {
      const std::string& words = headline->text;
      text += Painted(layout.width ? Wrapped(words, *layout.width) : words, headline->look,
                      layout.color) +
              "\n";
    } else {
      text += WriteTextTable(std::get<Table>(section), layout);
    }
  }
  return text;
}

std::string WriteMarkdown(const Report& report, const TextLayout& layout) {
  std::string text = "**" + MarkdownCell(FirstLine(report)) + "**\n";
  for (const Section& section : report.sections) {
    if (!IsShown(section)) continue;
    text += "\n";
    if (const auto* paragraph = std::get_if<std::string>(&section)) {
      text += MarkdownParagraph(*paragraph) + "\n";
    } else if (const auto* headline = std::get_if<Headline>(&section)) {
      text += "**" + MarkdownCell(headline->text) + "**\n";
    } else {
      text += WriteMarkdownTable(std::get<Table>(section), layout);
    }
  }
  return text;
}

}  // namespace

Json Report::Add(std::string name, Table table) {
  const std::string first = name;
  for (int i = 2; FindTable(*this, name) != nullptr; ++i) name = first + "_" + std::to_string(i);
  table.SetName(name);
  sections.emplace_back(std::move(table));
  return RowsOf(name);
}

Json Report::AddForScripts(std::string name, Table table) {
  table.SetForScripts();
  return Add(std::move(name), std::move(table));
}

std::vector<const Table*> Report::ScriptTables() const {
  std::vector<const Table*> tables;
  for (const Section& section : sections) {
    const Table* table = std::get_if<Table>(&section);
    if (table != nullptr && !table->name().empty()) tables.push_back(table);
  }
  return tables;
}

Json RowsOf(std::string_view table) { return RowsMark() + std::string(table); }

std::string_view NameOf(OutputFormat format) { return kFormatNames[format]; }

std::optional<OutputFormat> OutputFormatFromName(std::string_view name) {
  return kFormatNames.Find(name);
}

std::string WriteReport(const Report& report, OutputFormat format, const TextLayout& layout) {
  for (const auto& [of, text] : report.documents) {
    if (of == format) return text;
  }
  switch (format) {
    case OutputFormat::kJson:
      return WriteJson(report);
    case OutputFormat::kCsv:
      return WriteCsv(report);
    case OutputFormat::kMarkdown:
      return WriteMarkdown(report, layout);
    default:
      return WriteText(report, layout);
  }
}

}  // namespace xsp
