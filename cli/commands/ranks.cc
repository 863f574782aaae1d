#include <optional>

#include "base/error.h"
#include "cli/command.h"
#include "cli/datasets/open_job.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"

namespace xsp {
namespace {

const std::vector<std::string> kByWords = {"rank", "host", "stage", "gpu"};

class RanksAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTracesArgument(options, paths_, "JOB");
    options.Choice(
        "--by", kByWords, [this](std::size_t i) { by_ = RanksBy(i); },
        "What has a row of its own; rank is the default");
    rows_.top = RanksReportOptions().top;
    rows_.AddTopTo(options);
    const std::string group = "What if";
    options
        .Flag("--without-stragglers", whatifs_.without_stragglers,
              "Every rank does as the mean of ranks that do equal work")
        .Group(group);
    options.Add("--like-peers", like_peers_, "These ranks do as their peers")
        .Value("RANKS")
        .Commas()
        .Group(group);
    options
        .Each(
            "--network", [this](const std::string& text) { whatifs_.network = FactorOf(text); },
            "The network between hosts is so many times as fast")
        .Value("FACTOR")
        .Group(group);
    options
        .Add("--buckets", buckets_, "Gradients of a step are put together into so many collectives")
        .Value("N")
        .Group(group);
    output_.AddTo(options, {"ranks", "forecasts", "slowdowns", "by_type", "by_stage",
                            "by_data_parallel", "by_rank", "by_host", "collectives", "clocks"});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    if (buckets_) whatifs_.buckets = *buckets_;
    whatifs_.like_peers.assign(like_peers_.begin(), like_peers_.end());
    OpenedJob job = OpenJob(paths_, whatifs_, &progress, Notes(output_.quiet));
    progress.Clear();
    job.view.by = by_;
    job.view.top = rows_.top;
    output.Write(MakeRanksReport(job.analysis, job.view));
    return ExitCode::kOk;
  }

 private:
  static double FactorOf(const std::string& text) {
    std::size_t read = 0;
    double factor = 0;
    try {
      factor = std::stod(text, &read);
    } catch (const std::exception&) {
    }
    const std::string rest = text.substr(read);
    if (!(factor >= 0.01 && factor <= 1000) || !(rest.empty() || rest == "x" || rest == "×")) {
      throw Error("--network " + text + ": not a factor", "write it as 2 or 1.5");
    }
    return factor;
  }

  std::vector<std::string> paths_;
  RanksBy by_ = RanksBy::kRank;
  JobWhatIfs whatifs_;
  std::vector<std::uint64_t> like_peers_;
  std::optional<std::size_t> buckets_;
  RowOptions rows_;
  OutputOptions output_;
};

}  // namespace

extern const Command kRanksCommand;
const Command kRanksCommand = {
    "ranks",
    "Many ranks",
    "who is late in a job of many ranks, and what that costs",
    "Reads a job of many ranks and says who holds it up: how long each rank computes, transfers\n"
    "and waits, who came last and kept others waiting, and, by simulating the job without its\n"
    "stragglers, how much slower it is than it could be (S), by kind of operation, stage,\n"
    "data-parallel rank and rank.\n"
    "\n"
    "There are two notions of what could be. Against all workers, as in published work: every\n"
    "operation takes the mean of its kind over all of them, so that a stage with more to do is a\n"
    "fault. Against peers: the mean over ranks that do equal work.\n"
    "\n"
    "A job is a run of a dataset (DATASET/run=NAME), the traces of its ranks, or a table of\n"
    "operations (Parquet). Clocks of hosts are fitted by the ends of collectives. docs/ranks.md\n"
    "says what each figure means.",
    {{{"xsp ranks jobs/run=nightly", "who is late, and what it costs"},
      {"xsp ranks rank*.sqlite --by host --like-peers 12",
       "by host; and if rank 12 were as others"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<RanksAction>(); }};

}  // namespace xsp
