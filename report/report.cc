#include "report/report.h"

#include <array>
#include <filesystem>
#include <random>

#include "report/color.h"
#include "report/markdown_text.h"
#include "report/text.h"

namespace xsp {
namespace {

constexpr std::array<std::string_view, 9> kFormatNames = {
    "table", "json", "csv", "markdown", "dot", "chrome", "junit", "sarif", "github"};

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

// Stands for the rows of a table. Names in a trace may be anything, also what stands for rows, so
// that has a number which no file can know.
std::string RowsMark(std::size_t index) {
  static const std::string secret = std::to_string(std::random_device()());
  return "\x01rows " + secret + " " + std::to_string(index);
}

void AppendIndented(std::string_view json, std::size_t indent, std::string& text) {
  for (char c : json) {
    text += c;
    if (c == '\n') text.append(indent, ' ');
  }
}

// The document with rows in the place of their marks, laid out as DumpJson does.
std::string WithRows(const std::string& document, const std::vector<Table>& tables) {
  std::string text;
  std::size_t from = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string mark = Json(RowsMark(i)).dump();
    const std::size_t at = document.find(mark, from);
    if (at == document.npos) break;
    const std::size_t line = document.rfind('\n', at) + 1;
    const std::size_t indent = document.find_first_not_of(' ', line) - line;
    text.append(document, from, at - from);
    from = at + mark.size();
    text += "[";
    bool is_first = true;
    tables[i].ForEachRow([&](const std::vector<Cell>& row) {
      text += is_first ? "\n" : ",\n";
      is_first = false;
      text.append(indent + 2, ' ');
      std::string json = DumpJson(RowToJson(tables[i], row));
      json.pop_back();  // Its line break.
      AppendIndented(json, indent + 2, text);
    });
    if (!is_first) text.append("\n").append(indent, ' ');
    text += "]";
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
  return WithRows(DumpJson(document), report.field_rows);
}

std::string WriteCsv(const Report& report) {
  std::string csv;
  for (const Section& section : report.sections) {
    const Table* table = std::get_if<Table>(&section);
    if (table == nullptr || table->row_count() == 0 || table->for_people()) continue;
    if (!csv.empty()) csv += "\r\n";
    csv += WriteCsvTable(*table);
  }
  return csv;
}

std::string WriteText(const Report& report, const TextLayout& layout) {
  const std::string first = FirstLine(report);
  std::string text = Painted(layout.width ? FitFirstPart(first, *layout.width) : first,
                             Look::kTitle, layout.color) +
                     "\n";
  for (const Section& section : report.sections) {
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

Json Report::AddRows(Table table) {
  field_rows.push_back(std::move(table));
  return RowsMark(field_rows.size() - 1);
}

std::string_view NameOf(OutputFormat format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}

std::optional<OutputFormat> OutputFormatFromName(std::string_view name) {
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) {
    if (kFormatNames[i] == name) return static_cast<OutputFormat>(i);
  }
  return std::nullopt;
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
