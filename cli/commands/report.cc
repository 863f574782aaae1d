#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "cli/datasets/open_ranks.h"
#include "cli/inputs/command_document.h"
#include "cli/inputs/job_page.h"
#include "cli/inputs/trace_page.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
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

// Rows that add up keep adding up where there are too many of them: those behind the first become
// one. The last stays: it is what no place explains.
void FoldContributions(Json& rows) {
  constexpr std::size_t kKept = 100;
  if (rows.size() <= kKept + 2) return;
  const std::size_t last = rows.size() - 1;
  Json rest = rows[kKept];
  rest["where"] = "[" + std::to_string(last - kKept) + " more rows]";
  rest["kind"] = "all";
  for (const char* key : {"base_ns", "new_ns", "delta_ns"}) {
    std::int64_t sum = 0;
    for (std::size_t i = kKept; i < last; ++i) sum += rows[i][key].get<std::int64_t>();
    rest[key] = sum;
  }
  Json residual = rows[last];
  rows.erase(rows.begin() + kKept, rows.end());
  rows.push_back(std::move(rest));
  rows.push_back(std::move(residual));
}

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
  Json document = DocumentOf(report, {}, cut, std::numeric_limits<std::size_t>::max());
  FoldContributions(document["contributions"]);
  ShortenDocument(document, cut);
  // What people read above all tables, the verdict first.
  Json words = Json::array();
  for (const Section& section : report.sections) {
    if (const auto* headline = std::get_if<Headline>(&section)) {
      words.insert(words.begin(), Json(headline->text));
    }
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
    options.Add("--rank", rank_, "Of a run of a dataset: only this rank, as a trace of its own")
        .Value("N");
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
    if (rank_ || is_diff_) paths_ = TracesOf(paths_, rank_);
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
    Json data = {{"xsp", XSP_VERSION}};
    std::vector<TraceToShow> traces;
    for (const std::string& path : paths_) {
      if (is_diff_) {
        traces.push_back({path, ""});
      } else if (auto document = ReadCommandDocument(path)) {
        AddDocument(*std::move(document), data);
      } else if (IsJob(path)) {
        AddJob(path, progress, data, traces);
      } else {
        traces.push_back({path, ""});
      }
    }
    std::vector<TracePage> pages = MakePages(traces, data.dump().size(), progress);
    if (is_diff_) {
      std::vector<std::string> cut;
      data["diff"] = Compared(pages[0], pages[1], gates, cut);
      Redact(data["diff"]);
    }
    data["traces"] = Json::array();
    for (TracePage& page : pages) data["traces"].push_back(std::move(page.data));
    return WritePage(Title() + " · xsp", data);
  }

  std::vector<TracePage> MakePages(const std::vector<TraceToShow>& traces, std::size_t used,
                                   ProgressBar& progress) {
    TracePageOptions options;
    options.rules = &rules_.Rules();
    options.selection.steps = ReadSteps(steps_);
    options.with_forecasts = traces.size() == 1;
    options.for_comparison = is_diff_;
    options.with_hosts = with_hosts_;
    options.quiet = output_.quiet;
    const std::size_t rest = kPageBudget - std::min(kPageBudget, PageFrameBytes() + used);
    options.budget = rest / std::max<std::size_t>(1, traces.size());
    std::vector<TracePage> pages;
    for (const TraceToShow& trace : traces) {
      pages.push_back(MakeTracePage(trace.path, options, &progress));
      if (!trace.name.empty()) pages.back().data["name"] = trace.name;
    }
    return pages;
  }

  std::string Title() const {
    const std::string first = BaseName(paths_.front());
    if (is_diff_) return first + " → " + BaseName(paths_.back());
    return paths_.size() > 1 ? first + " and " + std::to_string(paths_.size() - 1) + " more"
                             : first;
  }

  // One job to a page.
  void AddJob(const std::string& path, ProgressBar& progress, Json& data,
              std::vector<TraceToShow>& traces) const {
    if (data.contains("job")) throw Error("a page holds one run", "xsp trend compares several");
    JobPage job = MakeJobPage(path, kPageBudget / 3, &progress, Notes(output_.quiet));
    Redact(job.document);
    data["ranks"] = std::move(job.document);
    data["job"] = std::move(job.columns);
    traces.insert(traces.end(), job.ranks.begin(), job.ranks.end());
  }

  // Takes out of a document what the page's reader need not know.
  void Redact(Json& document) const {
    if (with_hosts_) return;
    HideHosts(document);
    for (const std::string& path : paths_) RemoveFolderOf(path, document);
    RemoveFolders(document);
  }

  // Under the name of its command.
  void AddDocument(Json document, Json& data) const {
    std::vector<std::string> cut;
    ShortenDocument(document, cut);
    Redact(document);
    const std::string command = document["command"].get<std::string>();
    data[command] = std::move(document);
  }

  std::vector<std::string> paths_;
  std::optional<std::uint32_t> rank_;
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
    "A run of a dataset (or a table of operations) gets a page about its ranks: who holds up the\n"
    "job, rank by step, arrivals at collectives, and two ranks to look at. Several traces get one\n"
    "page with the time of every step of each of them; what ranks and trend write with --format\n"
    "json can be given beside or instead of them.\n"
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
