#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "cli/inputs/trace_page.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/result_file.h"
#include "report/html/page.h"

namespace xsp {
namespace {

class ReportAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    options.Add("-o", file_, "The page to write").Value("FILE").Required();
    options.Flag("--with-hosts", with_hosts_,
                 "Keep paths and names of hosts; without it only base names are in the page");
    steps_.AddTo(options);
    rules_.AddTo(options);
    output_.AddTo(options, {});
  }

  ExitCode Run() override {
    Output output(output_);
    ResultFile file(file_);
    ProgressBar progress(output_.quiet);
    TracePageOptions options;
    options.rules = &rules_.Rules();
    options.selection.steps = ReadSteps(steps_);
    options.with_hosts = with_hosts_;
    options.quiet = output_.quiet;
    options.budget = kPageBudget - PageFrameBytes();
    Json data = {{"xsp", XSP_VERSION}};
    data["traces"] = Json::array({TracePage(path_, options, &progress)});
    const std::string page = WritePage(BaseName(path_) + " · xsp", data);
    progress.Clear();
    file.Commit(page);
    if (!IsSilent()) output.Write(MakePageReport(file_, page.size(), {path_}));
    return ExitCode::kOk;
  }

 private:
  // --quiet means silence, unless the result was asked for in some form.
  bool IsSilent() const {
    return output_.quiet && output_.format == OutputFormat::kTable && output_.output.empty() &&
           output_.writes.empty();
  }

  std::string path_;
  std::string file_;
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
    "one HTML file: where the time went, who waited for whom, what would help",
    "Writes a page that needs no network and no other file: the first look with its fixes, the\n"
    "tree as an icicle, one step as a waterfall with the critical path, idle time by cause and "
    "the\n"
    "arrows from each operation to what it waited for, and what being faster would gain. It can "
    "be\n"
    "mailed, kept with a CI run and opened in any browser of today; at most 3 MB.\n"
    "\n"
    "Whoever gets the page can read what is in it: names of kernels, ranges and calls. Paths are "
    "cut\n"
    "to base names unless --with-hosts keeps them. docs/report.md says what is where.",
    {{{"xsp report train.sqlite -o report.html", "a page to look at and to send"},
      {"xsp report train.sqlite --steps 5-15 -o report.html", "of some steps"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<ReportAction>(); }};

}  // namespace xsp
