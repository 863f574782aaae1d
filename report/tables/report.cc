#include "report/tables/report.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/enum_names.h"
#include "base/interrupt.h"
#include "base/text.h"
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

// The first line: "train.sqlite · RTX 3070 Ti · whole trace".
std::string FirstLine(const Report& report) {
  std::string line;
  auto add = [&](const std::string& part) { line += (line.empty() ? "" : " · ") + part; };
  std::string bases;
  for (const TraceSource& base : report.bases) {
    bases += (bases.empty() ? "" : " + ") + NameOfFile(base.path);
  }
  constexpr std::size_t kNamed = 4;  // Of very many the first ones.
  const std::size_t traces = report.traces.size();
  const std::size_t named = traces > kNamed + 1 ? kNamed : traces;
  for (std::size_t i = 0; i < traces; ++i) {
    const TraceSource& trace = report.traces[i];
    if (i < named) add((bases.empty() ? "" : bases + " → ") + NameOfFile(trace.path));
    bases.clear();
    if (trace.partial) add("PARTIAL (" + SafeText(trace.partial_reason) + ")");
  }
  if (traces > named) add(std::to_string(traces - named) + " more");
  for (const std::string& part : report.about) {
    if (!part.empty()) add(SafeText(part));
  }
  add(SafeText(report.window.text));
  return line;
}

Facts HeadOf(const TraceSource& trace) {
  Facts head = {{"path", JsonText(trace.path)},
                {"format", JsonText(trace.format)},
                {"source_sha256", JsonOrNull(trace.source_sha256)},
                {"partial", trace.partial}};
  if (trace.partial) head["partial_reason"] = JsonText(trace.partial_reason);
  if (trace.steps) head["step_set"] = StepSetToJson(*trace.steps);
  return head;
}

std::vector<Facts> HeadsOf(const std::vector<TraceSource>& traces) {
  std::vector<Facts> heads;
  for (const TraceSource& trace : traces) heads.push_back(HeadOf(trace));
  return heads;
}

Facts HeadOf(const Window& window) {
  Json filters = Json::object();
  for (const auto& [option, value] : window.filters) filters[option] = JsonText(value);
  return {{"text", JsonText(window.text)},
          {"begin_ns", window.time ? Json(window.time->begin) : Json(nullptr)},
          {"end_ns", window.time ? Json(window.time->end) : Json(nullptr)},
          {"filters", std::move(filters)}};
}

std::string WriteJson(const Report& report) {
  Facts head = {{"schema_version", kJsonSchemaVersion},
                {"command", report.command},
                {"window", HeadOf(report.window)}};
  if (!report.bases.empty()) {
    head["base"] = HeadsOf(report.bases);
    head["new"] = HeadsOf(report.traces);
  } else if (report.traces.size() == 1) {
    head["trace"] = HeadOf(report.traces.front());
  } else {
    head["traces"] = HeadsOf(report.traces);
  }
  std::string text;
  JsonMembers document('{', 0, text);
  AppendMembers(head, document, text);
  AppendMembers(report.fields, document, text);
  document.End();
  return text + "\n";
}

// The main table only: whoever reads CSV expects one.
std::string WriteCsv(const Report& report) {
  const std::vector<const Table*> tables = report.ScriptTables();
  return tables.empty() ? "" : WriteCsvTable(*tables.front());
}

// Whether people see a section.
bool IsShown(const Section& section) {
  const Rows* table = std::get_if<Rows>(&section);
  return table == nullptr || (*table)->IsShown();
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
      text += WriteTextTable(*std::get<Rows>(section), layout);
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
      text += WriteMarkdownTable(*std::get<Rows>(section), layout);
    }
  }
  return text;
}

}  // namespace

Report::Report(std::string command_name, TraceSource source, std::string gpus, Window part)
    : command(std::move(command_name)),
      traces{std::move(source)},
      about{std::move(gpus)},
      window(std::move(part)) {}

// Line by line: what else a terminal would obey comes from a name.
void Report::Show(std::string words) {
  if (words.empty()) return;
  const bool ends_line = words.ends_with('\n');
  words = Joined(Split(words, '\n'), "\n", SafeText);
  sections.emplace_back(words + (ends_line ? "\n" : ""));
}

void Report::Show(Headline headline) {
  headline.text = SafeText(headline.text);
  sections.emplace_back(std::move(headline));
}

Rows Report::AddBeside(std::string name, Table table) {
  const std::vector<const Table*> others = ScriptTables();
  const std::string first = name;
  auto is_taken = [&](const Table* other) { return other->name() == name; };
  for (int i = 2; std::any_of(others.begin(), others.end(), is_taken); ++i) {
    name = first + "_" + std::to_string(i);
  }
  table.SetName(name);
  Rows rows = RowsOf(std::move(table));
  sections.emplace_back(rows);
  return rows;
}

Rows Report::Add(std::string name, Table table) {
  Rows rows = AddBeside(std::move(name), std::move(table));
  fields[rows->name()] = rows;
  return rows;
}

Rows Report::AddForScripts(std::string name, Table table) {
  table.SetForScripts();
  return Add(std::move(name), std::move(table));
}

Rows Report::AddBesideForScripts(std::string name, Table table) {
  table.SetForScripts();
  return AddBeside(std::move(name), std::move(table));
}

std::vector<const Table*> Report::ScriptTables() const {
  std::vector<const Table*> tables;
  for (const Section& section : sections) {
    const Rows* table = std::get_if<Rows>(&section);
    if (table != nullptr && !(*table)->name().empty()) tables.push_back(table->get());
  }
  return tables;
}

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
