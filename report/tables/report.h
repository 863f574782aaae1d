#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hierarchy/selection/window.h"
#include "hierarchy/steps/counted_steps.h"
#include "report/tables/color.h"
#include "report/tables/facts.h"
#include "report/tables/table.h"
#include "report/tables/table_writers.h"

namespace xsp {

// The version of the JSON that commands write. Raised when a promised field changes its meaning.
inline constexpr int kJsonSchemaVersion = 2;

// The trace a report is about.
struct TraceSource {
  std::string path;                          // As the user gave it.
  std::string format;                        // "nsys-sqlite", "xsp".
  std::optional<std::string> source_sha256;  // None: the file was not hashed.
  bool partial = false;                      // Salvaged from a damaged file.
  std::string partial_reason;
  std::optional<CountedSteps> steps = {};  // Where several traces have each their own.
};

// From kDot on these are documents that only some reports have: Graphviz, a timeline for Perfetto
// or chrome://tracing, and what CI systems read. The others every report can be written in.
enum class OutputFormat : std::uint8_t {
  kTable,
  kJson,
  kCsv,
  kMarkdown,
  kDot,
  kChrome,
  kJunit,
  kSarif,
  kGithub,  // Annotations of GitHub Actions.
};

// A line that stands out.
struct Headline {
  std::string text;  // Safe for a terminal.
  Look look = Look::kTitle;
};

// A paragraph, a headline or a table, in the order in which a person reads them.
using Section = std::variant<std::string, Headline, Rows>;

// What a command has to say, once for people (sections) and once for scripts (fields). Tables are
// for both.
struct Report {
  Report() = default;
  // On one trace.
  Report(std::string command_name, TraceSource source, std::string gpus, Window part);

  std::string command;
  std::vector<TraceSource> traces;
  std::vector<TraceSource> bases;  // Of a comparison: what the traces are compared with.
  std::vector<std::string> about;  // Words of the first line between file and window: the GPU.
  Window window;
  std::vector<Section> sections;
  Facts fields;  // What follows the common head of the JSON document.
  // Whole documents in formats that only some commands have, made where they were asked for. One
  // in markdown takes the place of what the sections say.
  std::vector<std::pair<OutputFormat, std::string>> documents;

  // The next section for people; no words are none.
  void Show(std::string words);
  void Show(Headline headline);
  void Show(Table table) { sections.emplace_back(RowsOf(std::move(table))); }

  // Adds a table under a name (lower case; made unique by "_2"): as the next section, for
  // --table NAME, and as the next key of the JSON.
  Rows Add(std::string name, Table table);
  // The same for a table that people get in another form.
  Rows AddForScripts(std::string name, Table table);
  // The same for tables that JSON has in another place, or in another form.
  Rows AddBeside(std::string name, Table table);
  Rows AddBesideForScripts(std::string name, Table table);

  // The tables that scripts can get, the main one first.
  std::vector<const Table*> ScriptTables() const;
};

std::string_view NameOf(OutputFormat format);
std::optional<OutputFormat> OutputFormatFromName(std::string_view name);

// The report as text. CSV holds the main table only: whoever reads CSV expects one.
std::string WriteReport(const Report& report, OutputFormat format, const TextLayout& layout);

}  // namespace xsp
