#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "cli/inputs/command_document.h"
#include "cli/inputs/trace_page.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/result_file.h"
#include "diff/comparable.h"
#include "diff/comparison.h"
#include "diff/gates/gate.h"
#include "report/diff/diff_report.h"
#include "report/html/page.h"

namespace xsp {
namespace {

// More would make each too small to be looked at.
constexpr std::size_t kMostTraces = 64;

// Two traces as `xsp diff` compares them: by steps where both have them, found in the same way.
Json Compared(TracePage& base, TracePage& now, const std::vector<Gate>& gates,
              std::vector<std::string>& cut) {
  const std::size_t how = SameUnit({&base.runs.front(), &now.runs.front()}) ? 0 : 1;
  const Side before({std::move(base.runs[how])});
  const Side after({std::move(now.runs[how])});
  CompareOptions compare;
  compare.gates = gates;
  DiffReportOptions options;
  options.base = {base.source};
  options.now = {now.source};
  options.base_name = BaseName(base.source.path);
  options.now_name = BaseName(now.source.path);
  options.command = "xsp diff " + options.base_name + " " + options.now_name;
  options.top = 0;
  Report report = MakeDiffReport(Compare(before, after, compare), options);
  Json document = DocumentOf(report, {}, cut);
  // What people read above all tables.
  Json words = Json::array();
  for (const Section& section : report.sections) {
    if (const auto* headline = std::get_if<Headline>(&section)) words.push_back(headline->text);
    if (std::holds_alternative<Rows>(section)) break;
    if (const auto* text = std::get_if<std::string>(&section)) words.push_back(*text);
  }
  document["words"] = std::move(words);
  return document;
}

class ReportAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTracesArgument(options, paths_, "TRACE");
    options.Add("-o", file_, "The page to write").Value("FILE").Required();
    options.Flag("--diff", is_diff_, "The traces are BASE and NEW: what changed between them");
    options
        .Add("--fail-on", limits_,
             "With --diff, a limit to show, as in 'step > 3%'; may be repeated")
        .Repeatable()
        .Value("LIMIT");
    options.Flag("--with-hosts", with_hosts_,
                 "Keep paths and names of hosts; without it only base names are in the page");
    steps_.AddTo(options);
    rules_.AddTo(options);
    output_.AddTo(options, {});
  }

  ExitCode Run() override {
    CheckTraces();
    std::vector<Gate> gates;
    for (const std::string& limit : limits_) gates.push_back(ParseGate(limit));
    Output output(output_);
    ResultFile file(file_);
    ProgressBar progress(output_.quiet);
    const std::string page = MakePage(gates, progress);
    progress.Clear();
    file.Commit(page);
    if (!output_.IsSilent()) output.Write(MakePageReport(file_, page.size(), paths_));
    return ExitCode::kOk;
  }

 private:
  void CheckTraces() const {
    if (is_diff_ && paths_.size() != 2) throw Error("--diff takes two traces, BASE and NEW");
    if (!is_diff_ && !limits_.empty()) throw Error("--fail-on needs --diff");
    if (paths_.size() > kMostTraces) {
      throw Error("a page holds at most " + std::to_string(kMostTraces) + " traces");
    }
  }

  std::string MakePage(const std::vector<Gate>& gates, ProgressBar& progress) {
    TracePageOptions options;
    options.rules = &rules_.Rules();
    options.selection.steps = ReadSteps(steps_);
    options.with_forecasts = paths_.size() == 1;
    options.for_comparison = is_diff_;
    options.with_hosts = with_hosts_;
    options.quiet = output_.quiet;
    options.budget = (kPageBudget - PageFrameBytes()) / paths_.size();
    std::vector<TracePage> pages;
    Json data = {{"xsp", XSP_VERSION}};
    for (const std::string& path : paths_) {
      if (auto document = is_diff_ ? std::nullopt : ReadCommandDocument(path)) {
        AddDocument(*std::move(document), data);
      } else {
        pages.push_back(MakeTracePage(path, options, &progress));
      }
    }
    std::string title = BaseName(paths_.front());
    if (is_diff_) {
      std::vector<std::string> cut;
      data["diff"] = Compared(pages[0], pages[1], gates, cut);
      if (!with_hosts_) RemoveFolders(data["diff"]);
      title += " → " + BaseName(paths_.back());
    } else if (paths_.size() > 1) {
      title += " and " + std::to_string(paths_.size() - 1) + " more";
    }
    data["traces"] = Json::array();
    for (TracePage& page : pages) data["traces"].push_back(std::move(page.data));
    return WritePage(title + " · xsp", data);
  }

  // Under the name of its command.
  void AddDocument(Json document, Json& data) const {
    std::vector<std::string> cut;
    ShortenDocument(document, cut);
    if (!with_hosts_) HideHosts(document);
    if (!with_hosts_) RemoveFolders(document);
    const std::string command = document["command"].get<std::string>();
    data[command] = std::move(document);
  }

  std::vector<std::string> paths_;
  std::string file_;
  bool is_diff_ = false;
  std::vector<std::string> limits_;
  bool with_hosts_ = false;
  StepOptions steps_;
  RuleOptions rules_;
  OutputOptions output_;
};

}  // namespace

extern const Command kReportCommand;
const Command kReportCommand = {
    "report",
    "Traces",
    "one HTML page: where time went, who waited for whom, what would help",
    "Writes a page that needs no network and no other file: the first look with its fixes, the\n"
    "tree as an icicle, one step as a waterfall with the critical path, idle time by cause and "
    "the\n"
    "arrows from each operation to what it waited for, and what being faster would gain. It can "
    "be\n"
    "mailed, kept with a CI run and opened in any browser of today; at most 3 MB.\n"
    "\n"
    "Several traces (ranks of a run) get one page with the time of every step of each of them; "
    "what\n"
    "ranks and trend write with --format json can be given beside or instead of them.\n"
    "--diff compares two: both icicles and waterfalls, and the rows that the change adds up from.\n"
    "\n"
    "Whoever gets the page can read what is in it: names of kernels, ranges and calls. Paths are "
    "cut\n"
    "to base names unless --with-hosts keeps them. docs/report.md says what is where.",
    {{{"xsp report train.sqlite -o report.html", "a page to look at and to send"},
      {"xsp report --diff before.sqlite after.sqlite -o diff.html",
       "what a change did, side by side"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<ReportAction>(); }};

}  // namespace xsp
