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
#include "report/tables/json.h"
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

// A paragraph, a table or a headline, in the order in which a person reads them.
using Section = std::variant<std::string, Table, Headline>;

// What a command has to say, once for people (sections) and once for scripts (fields).
struct Report {
  std::string command;
  std::vector<TraceSource> traces;
  std::vector<TraceSource> bases;  // Of a comparison: what the traces are compared with.
  std::vector<std::string> about;  // Words of the first line between file and window: the GPU.
  Window window;
  std::vector<Section> sections;
  Json fields = Json::object();  // What follows the common head of the JSON document.
  // Whole documents in formats that only some commands have, made where they were asked for. One
  // in markdown takes the place of what the sections say.
  std::vector<std::pair<OutputFormat, std::string>> documents;

  // Adds a table that scripts get under this name (lower case; made unique by "_2"), and people as
  // the next section. The result can be put into `fields`, in as many places as you like: there the
  // rows of the table are written, one by one, so that the JSON of a million rows is never held as
  // objects.
  Json Add(std::string name, Table table);
  // The same for a table that people get in another form.
  Json AddForScripts(std::string name, Table table);

  // The tables that scripts can get, the main one first.
  std::vector<const Table*> ScriptTables() const;
};

// In `fields`: the rows of the report's table of this name, as Add gives it.
Json RowsOf(std::string_view table);

std::string_view NameOf(OutputFormat format);
std::optional<OutputFormat> OutputFormatFromName(std::string_view name);

// The report as text. CSV holds the main table only: whoever reads CSV expects one.
std::string WriteReport(const Report& report, OutputFormat format, const TextLayout& layout);

}  // namespace xsp
