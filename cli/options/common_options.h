#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/option_set.h"
#include "cli/terminal/terminal.h"
#include "hierarchy/leveled/run_statistic.h"
#include "model/names/kernel_names.h"
#include "model/names/kernel_rules.h"
#include "report/tables/report.h"
#include "report/tables/units.h"

// Options that several commands share, each defined once. A command adds the groups that it can
// honour, and only those: no option is accepted and then ignored.
namespace xsp {

// --format, --table, --output, --write, --color, --no-pager, --quiet; and --timeunit for commands
// with durations.
struct OutputOptions {
  OutputFormat format = OutputFormat::kTable;
  std::string table;   // Which one CSV holds; empty: the main one.
  std::string output;  // Empty: stdout.
  std::vector<std::pair<OutputFormat, std::string>> writes;
  ColorMode color = ColorMode::kAuto;
  bool no_pager = false;
  bool quiet = false;
  std::optional<TimeUnit> time_unit;
  // Columns of text: --width. None: those of the terminal, 120 where there is none; 0: no end.
  std::optional<std::size_t> width;
  bool whole_names = false;  // Names were asked for in full: a pipe gets them so.

  // `tables`: the names under which scripts get the command's tables, the main one first. `more`:
  // formats that the command offers beside those of every report.
  void AddTo(OptionSet& options, const std::vector<std::string>& tables,
             const std::vector<OutputFormat>& more = {});
  void AddTimeUnitTo(OptionSet& options);

  // Whether the result is to be written in a format, anywhere.
  bool Wants(OutputFormat wanted) const;
  // --quiet means silence, unless the result was asked for in some form.
  bool IsSilent() const {
    return quiet && format == OutputFormat::kTable && output.empty() && writes.empty();
  }
};

// --steps, --skip and --kind, kept as the user wrote them; read_selection.h reads them.
struct StepOptions {
  std::string steps;      // "5-15", "1,3-4", "all"; empty: not given.
  std::size_t skip = 0;   // So many steps at the beginning are left out.
  std::string kind = {};  // "decode"; empty: not given.

  void AddTo(OptionSet& options);
  bool Empty() const { return (steps.empty() || steps == "all") && skip == 0 && kind.empty(); }
};

// Which part of the trace: --time, --nvtx, --device, --process, --thread, --stream. Kept as the
// user wrote them; read_selection.h reads them.
struct WindowOptions {
  std::string time;
  std::string nvtx;
  std::vector<std::uint32_t> devices;
  std::vector<std::string> processes;
  std::vector<std::uint32_t> threads;
  std::vector<std::uint32_t> streams;

  void AddTo(OptionSet& options);
  bool Empty() const;
};

// --top and --sort.
struct RowOptions {
  std::size_t top = 10;  // 0: all.
  std::string sort;      // One of the keys that the command gave.

  void AddTopTo(OptionSet& options);
  // The first key is the default.
  void AddSortTo(OptionSet& options, const std::vector<std::string>& keys);
};

// --names.
struct NameOptions {
  NameForm form = NameForm::kShort;

  bool IsWhole() const { return form == NameForm::kFull || form == NameForm::kMangled; }
  void AddTo(OptionSet& options);
};

// --rules: a user's rules for kernel classes.
class RuleOptions {
 public:
  void AddTo(OptionSet& options);

  // The user's rules before the built-in ones, or these alone. Read once. Throws Error.
  const KernelRules& Rules();

 private:
  std::string file_;
  std::optional<KernelRules> rules_;
};

// --framework-names: a user's pack of texts that mean something, used by all that opens traces.
void AddFrameworkNamesTo(OptionSet& options);

// --statistic, for commands that average repeated runs.
struct RunOptions {
  Statistic statistic = Statistic::kTrimmed;

  void AddTo(OptionSet& options);
};

// The trace a command reads, as its only positional argument; and --framework-names.
void AddTraceArgument(OptionSet& options, std::string& path);
// --rank N for a command that adds its TRACE itself: where that is a run of a dataset, `path`
// becomes the folder of the rank.
void AddRankOption(OptionSet& options, std::string& path);
// The same for a command that takes several: for each run among them. What stands before `first` is
// no trace.
void AddRankOption(OptionSet& options, std::vector<std::string>& paths, std::size_t first = 0);
// The same for a command that reads one or more; `name` is what its help calls one of them.
void AddTracesArgument(OptionSet& options, std::vector<std::string>& paths,
                       const std::string& name);

}  // namespace xsp
