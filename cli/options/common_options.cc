#include "cli/options/common_options.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "cli/terminal/result_file.h"
#include "model/names/framework_names.h"
#include "store/dataset/dataset.h"

namespace xsp {
namespace {

constexpr const char* kWindowGroup = "Which part of the trace";
constexpr const char* kOutputGroup = "Output";
constexpr const char* kTraceWords =
    "A .sqlite export of nsys, a .nsys-rep, a Kineto .json[.gz], or a stored .xsp folder";

// A value per use of the option (or several, with commas), so that a path after it stays a path.
template <class T>
void AddList(OptionSet& options, const char* flag, std::vector<T>& values, const char* type,
             const char* description) {
  options.Add(flag, values, description).Commas().Value(type).Group(kWindowGroup);
}

// The words of --format.
std::vector<std::string> FormatWords(const std::vector<OutputFormat>& more) {
  std::vector<std::string> words;
  for (OutputFormat format :
       {OutputFormat::kTable, OutputFormat::kJson, OutputFormat::kCsv, OutputFormat::kMarkdown}) {
    words.emplace_back(NameOf(format));
  }
  for (OutputFormat format : more) words.emplace_back(NameOf(format));
  return words;
}

// "json=", for completions.
std::vector<std::string> WithEquals(std::vector<std::string> words) {
  for (std::string& word : words) word += "=";
  return words;
}

OutputFormat ParseFormat(const std::string& option, const std::string& word,
                         const std::vector<std::string>& words) {
  return *OutputFormatFromName(words[IndexOfWord(option, word, words)]);
}

// FORMAT=FILE.
std::pair<OutputFormat, std::string> ParseWrite(const std::string& text,
                                                const std::vector<std::string>& words) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw Error("--write: '" + text + "' is not FORMAT=FILE, as in json=out.json");
  }
  return {ParseFormat("--write", text.substr(0, equals), words), text.substr(equals + 1)};
}

// --rank N: in the place of each run of a dataset among `paths`, once they are known, comes that
// rank of it.
void AddRank(OptionSet& options, const std::function<std::span<std::string>()>& paths) {
  const auto rank = std::make_shared<std::optional<std::uint32_t>>();
  options.Add("--rank", *rank, "TRACE is a run of a dataset: this rank of it")
      .Value("N")
      .Group(kWindowGroup);
  options.AfterParse([paths, rank] {
    if (!*rank) return;
    bool is_any = false;
    for (std::string& path : paths()) {
      if (!IsRun(path)) continue;
      path = FolderOfRank(path, **rank).string();
      is_any = true;
    }
    if (is_any) return;
    const std::string given = paths().empty() ? "none was given" : paths().front() + " is none";
    throw Error("--rank is for a run of a dataset, and " + given,
                "xsp import FILES --dataset DIR --run NAME makes one");
  });
}

}  // namespace

void OutputOptions::AddTo(OptionSet& options, const std::vector<std::string>& tables,
                          const std::vector<OutputFormat>& more) {
  const std::vector<std::string> words = FormatWords(more);
  options
      .Each(
          "--format",
          [this, words](const std::string& word) { format = ParseFormat("--format", word, words); },
          "How the result is written; table is the default")
      .Value(Joined(words, "|"))
      .Group(kOutputGroup);
  options
      .Each(
          "--table",
          [this, tables](const std::string& word) {
            table = tables[IndexOfWord("--table", word, tables)];
          },
          "Which table csv holds instead of the first: " + Joined(tables, ", "))
      .Value("NAME")
      .Words(tables)
      .Group(kOutputGroup);
  options
      .Add("--output", output,
           "Write the result to this file instead of standard output; csv to a folder, DIR/: one "
           "file per table")
      .Value("FILE")
      .Group(kOutputGroup);
  options
      .Each(
          "--write",
          [this, words](const std::string& one) { writes.push_back(ParseWrite(one, words)); },
          "Also write the result to a file in some format, as in json=out.json; may be repeated")
      .Value("FORMAT=FILE")
      .Words(WithEquals(words))
      .Group(kOutputGroup);
  options
      .Choice(
          "--color", {"auto", "always", "never"}, [this](std::size_t i) { color = ColorMode(i); },
          "Colours; auto: on a terminal, unless NO_COLOR is set")
      .Group(kOutputGroup);
  options.Flag("--no-pager", no_pager, "Long results go to the terminal as they are")
      .Group(kOutputGroup);
  options
      .Add("--width", width, "Columns of text; 0: no end. By default those of the terminal, or 120")
      .Value("N")
      .Group(kOutputGroup);
  options.Flag("--quiet", quiet, "No progress and no notes").Group(kOutputGroup);
}

bool OutputOptions::Wants(OutputFormat wanted) const {
  return format == wanted || std::any_of(writes.begin(), writes.end(),
                                         [&](const auto& write) { return write.first == wanted; });
}

void OutputOptions::AddTimeUnitTo(OptionSet& options) {
  options
      .Choice(
          "--timeunit", {"ns", "us", "ms", "s"}, [this](std::size_t i) { time_unit = TimeUnit(i); },
          "The unit of times in tables; by default what suits each column")
      .Group(kOutputGroup);
}

void StepOptions::AddTo(OptionSet& options) {
  options.Add("--steps", steps, "These steps, counted from 1 as info does: 7, 5-15, 1,3-4, all")
      .Value("STEPS")
      .Words({"all"})
      .Group(kWindowGroup);
  options.Add("--skip", skip, "Leave out so many steps at the beginning")
      .Value("N")
      .Group(kWindowGroup);
  options
      .Add("--kind", kind,
           "Only steps of this kind, as frameworks name them: prefill, decode, mixed, ...; by "
           "default the kind that takes most of the time")
      .Value("KIND")
      .Group(kWindowGroup);
}

void WindowOptions::AddTo(OptionSet& options) {
  options.Add("--time", time, "What overlaps this time, as in 1.2s-3.4s (units: ns us ms s)")
      .Value("FROM-TO")
      .Group(kWindowGroup);
  options
      .Add("--nvtx", nvtx,
           "The time of an NVTX range in its process, and the device work launched in it; "
           "/0 is the first range of that name, without a number all of them are meant")
      .Value("RANGE[@DOMAIN][/N]")
      .Group(kWindowGroup);
  AddList(options, "--device", devices, "N",
          "Only this device's work and the calls that issued it");
  AddList(options, "--process", processes, "PID|NAME", "Only this process");
  AddList(options, "--thread", threads, "TID", "Only this thread and the device work it launched");
  AddList(options, "--stream", streams, "N",
          "Only this stream's work and the calls that issued it");
}

bool WindowOptions::Empty() const {
  return time.empty() && nvtx.empty() && devices.empty() && processes.empty() && threads.empty() &&
         streams.empty();
}

void RowOptions::AddTopTo(OptionSet& options) {
  options.Add("--top", top, "How many rows are shown; 0: all; default " + std::to_string(top))
      .Value("N")
      .Group(kOutputGroup);
}

void RowOptions::AddSortTo(OptionSet& options, const std::vector<std::string>& keys) {
  sort = keys.front();
  options
      .Each(
          "--sort",
          [this, keys](const std::string& key) { sort = keys[IndexOfWord("--sort", key, keys)]; },
          "By what rows are sorted; " + sort + " is the default")
      .Value(Joined(keys, "|"))
      .Group(kOutputGroup);
}

void NameOptions::AddTo(OptionSet& options) {
  options
      .Choice(
          "--names", {"short", "base", "full", "mangled"},
          [this](std::size_t i) { form = NameForm(i); },
          "How much of a kernel's name is shown; short is the default")
      .Group(kOutputGroup);
}

void RuleOptions::AddTo(OptionSet& options) {
  options.Add("--rules", file_, "Rules for kernel classes, used before the built-in ones")
      .Value("FILE");
  // Known before it is read: no result may take its place, not even one in trouble.
  options.AfterParse([this] {
    if (!file_.empty()) ProtectInput(file_);
  });
}

const KernelRules& RuleOptions::Rules() {
  if (file_.empty()) return KernelRules::BuiltIn();
  if (!rules_) rules_ = KernelRules::Load(file_);
  return *rules_;
}

void AddFrameworkNamesTo(OptionSet& options) {
  options
      .Each(
          "--framework-names",
          [](const std::string& file) {
            ProtectInput(file);
            FrameworkNames::Use(FrameworkNames::Load(file));
          },
          "Texts of ranges that tell steps, kinds, layers, used before those that xsp knows")
      .Value("FILE");
}

void RunOptions::AddTo(OptionSet& options) {
  options.Choice(
      "--statistic", {"mean", "median", "trimmed"},
      [this](std::size_t i) { statistic = Statistic(i); },
      "What is taken of repeated runs; trimmed, the mean without the extremes, is the default");
}

void AddTraceArgument(OptionSet& options, std::string& path) {
  options.Add("TRACE", path, kTraceWords).Required().Value("");
  AddRankOption(options, path);
  AddFrameworkNamesTo(options);
}

void AddRankOption(OptionSet& options, std::string& path) {
  AddRank(options, [&path] { return std::span(&path, 1); });
}

void AddRankOption(OptionSet& options, std::vector<std::string>& paths, std::size_t first) {
  AddRank(options,
          [&paths, first] { return std::span(paths).subspan(std::min(first, paths.size())); });
}

void AddTracesArgument(OptionSet& options, std::vector<std::string>& paths,
                       const std::string& name) {
  options.Add(name, paths, kTraceWords).Required().Value("");
  AddFrameworkNamesTo(options);
}

}  // namespace xsp
