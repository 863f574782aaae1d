#include "cli/common_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/result_file.h"
#include "cli/suggest.h"

namespace xsp {
namespace {

constexpr const char* kWindowGroup = "Which part of the trace";
constexpr const char* kOutputGroup = "Output";
constexpr const char* kTraceWords =
    "A .sqlite export of nsys, a .nsys-rep, or a stored .xsp folder";

std::string Joined(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : "|") + word;
  return joined;
}

// The place of a word in a list; an error that names the option otherwise.
std::size_t IndexOfWord(const std::string& option, const std::string& word,
                        const std::vector<std::string>& words) {
  const auto it = std::find(words.begin(), words.end(), word);
  if (it != words.end()) return static_cast<std::size_t>(it - words.begin());
  const std::string meant = DidYouMean(word, words);
  throw CLI::ValidationError(
      option, "'" + word + "' is none of " + Joined(words) + (meant.empty() ? "" : "; " + meant));
}

// A value per use of the option (or several, with commas), so that a path after it stays a path.
template <class T>
void AddList(CLI::App& app, const char* flag, std::vector<T>& values, const char* type,
             const char* description) {
  app.add_option(flag, values, description)
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name(type)
      ->group(kWindowGroup);
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

OutputFormat ParseFormat(const std::string& option, const std::string& word,
                         const std::vector<std::string>& words) {
  return *OutputFormatFromName(words[IndexOfWord(option, word, words)]);
}

// FORMAT=FILE.
std::pair<OutputFormat, std::string> ParseWrite(const std::string& text,
                                                const std::vector<std::string>& words) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw CLI::ValidationError("--write", "'" + text + "' is not FORMAT=FILE, as in json=out.json");
  }
  return {ParseFormat("--write", text.substr(0, equals), words), text.substr(equals + 1)};
}

}  // namespace

CLI::Option* AddChoice(CLI::App& app, const std::string& flags,
                       const std::vector<std::string>& words, void (*apply)(void*, std::size_t),
                       void* target, const std::string& description) {
  return app
      .add_option_function<std::string>(
          flags, [=](const std::string& word) { apply(target, IndexOfWord(flags, word, words)); },
          description)
      ->type_name(Joined(words));
}

void OutputOptions::AddTo(CLI::App& app, const std::vector<OutputFormat>& more) {
  const std::vector<std::string> words = FormatWords(more);
  app.add_option_function<std::string>(
         "--format",
         [this, words](const std::string& word) { format = ParseFormat("--format", word, words); },
         "How the result is written; table is the default")
      ->type_name(Joined(words))
      ->group(kOutputGroup);
  app.add_option("--output", output, "Write the result to this file instead of standard output")
      ->type_name("FILE")
      ->group(kOutputGroup);
  app.add_option_function<std::vector<std::string>>(
         "--write",
         [this, words](const std::vector<std::string>& all) {
           for (const std::string& one : all) writes.push_back(ParseWrite(one, words));
         },
         "Also write the result to a file in some format, as in json=out.json; may be repeated")
      ->allow_extra_args(false)
      ->type_name("FORMAT=FILE")
      ->group(kOutputGroup);
  AddChoice(
      app, "--color", {"auto", "always", "never"},
      [](void* to, std::size_t i) { static_cast<OutputOptions*>(to)->color = ColorMode(i); }, this,
      "Colours; auto: on a terminal, unless NO_COLOR is set")
      ->group(kOutputGroup);
  app.add_flag("--quiet", quiet, "No progress and no notes")->group(kOutputGroup);
}

bool OutputOptions::Wants(OutputFormat wanted) const {
  return format == wanted || std::any_of(writes.begin(), writes.end(),
                                         [&](const auto& write) { return write.first == wanted; });
}

void OutputOptions::AddTimeUnitTo(CLI::App& app) {
  AddChoice(
      app, "--timeunit", {"ns", "us", "ms", "s"},
      [](void* to, std::size_t i) { static_cast<OutputOptions*>(to)->time_unit = TimeUnit(i); },
      this, "The unit of times in tables; by default what suits each column")
      ->group(kOutputGroup);
}

void StepOptions::AddTo(CLI::App& app) {
  app.add_option("--steps", steps, "These steps, counted from 1 as info does: 7, 5-15, 1,3-4, all")
      ->type_name("STEPS")
      ->group(kWindowGroup);
  app.add_option("--skip", skip, "Leave out so many steps at the beginning")
      ->type_name("N")
      ->check(RefuseNegative)
      ->group(kWindowGroup);
}

void WindowOptions::AddTo(CLI::App& app) {
  app.add_option("--time", time, "What overlaps this time, as in 1.2s-3.4s (units: ns us ms s)")
      ->type_name("FROM-TO")
      ->group(kWindowGroup);
  app.add_option("--nvtx", nvtx,
                 "The time of an NVTX range in its process, and the device work launched in it; "
                 "/0 is the first range of that name, without a number all of them are meant")
      ->type_name("RANGE[@DOMAIN][/N]")
      ->group(kWindowGroup);
  AddList(app, "--device", devices, "N", "Only this device's work and the calls that issued it");
  AddList(app, "--process", processes, "PID|NAME", "Only this process");
  AddList(app, "--thread", threads, "TID", "Only this thread and the device work it launched");
  AddList(app, "--stream", streams, "N", "Only this stream's work and the calls that issued it");
}

bool WindowOptions::Empty() const {
  return time.empty() && nvtx.empty() && devices.empty() && processes.empty() && threads.empty() &&
         streams.empty();
}

std::string RefuseNegative(const std::string& text) {
  return text.starts_with('-') ? "cannot be less than 0" : "";
}

void RowOptions::AddTopTo(CLI::App& app) {
  app.add_option("--top", top, "How many rows are shown; 0: all; default " + std::to_string(top))
      ->type_name("N")
      ->check(RefuseNegative)
      ->group(kOutputGroup);
}

void RowOptions::AddSortTo(CLI::App& app, const std::vector<std::string>& keys) {
  sort = keys.front();
  app.add_option_function<std::string>(
         "--sort",
         [this, keys](const std::string& key) { sort = keys[IndexOfWord("--sort", key, keys)]; },
         "By what rows are sorted; " + sort + " is the default")
      ->type_name(Joined(keys))
      ->group(kOutputGroup);
}

void NameOptions::AddTo(CLI::App& app) {
  AddChoice(
      app, "--names", {"short", "base", "full", "mangled"},
      [](void* to, std::size_t i) { static_cast<NameOptions*>(to)->form = NameForm(i); }, this,
      "How much of a kernel's name is shown; short is the default")
      ->group(kOutputGroup);
}

void RuleOptions::AddTo(CLI::App& app) {
  app.add_option("--rules", file_, "Rules for kernel classes, used before the built-in ones")
      ->type_name("FILE");
}

const KernelRules& RuleOptions::Rules() {
  if (file_.empty()) return KernelRules::BuiltIn();
  if (!rules_) {
    ProtectInput(file_);
    rules_ = KernelRules::Load(file_);
  }
  return *rules_;
}

void RunOptions::AddTo(CLI::App& app) {
  AddChoice(
      app, "--statistic", {"mean", "median", "trimmed"},
      [](void* to, std::size_t i) { static_cast<RunOptions*>(to)->statistic = Statistic(i); }, this,
      "What is taken of repeated runs; trimmed, the mean without the extremes, is the default");
}

void AddTraceArgument(CLI::App& app, std::string& path) {
  app.add_option("TRACE", path, kTraceWords)->required()->type_name("");
}

void AddTracesArgument(CLI::App& app, std::vector<std::string>& paths, const std::string& name) {
  app.add_option(name, paths, kTraceWords)->required()->type_name("");
}

}  // namespace xsp
