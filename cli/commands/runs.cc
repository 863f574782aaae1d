#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/datasets/open_ranks.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "hierarchy/ranks/main_steps.h"
#include "hierarchy/ranks/odd_ranks.h"
#include "report/screens/import_report.h"
#include "store/dataset/dataset.h"

namespace xsp {
namespace {

// The mean of the counted steps of a kind; nothing where there are none.
std::optional<std::int64_t> MeanStep(const std::vector<RankStep>& steps) {
  if (steps.empty()) return std::nullopt;
  std::int64_t sum = 0;
  for (const RankStep& step : steps) sum += step.end_ns - step.begin_ns;
  return sum / static_cast<std::int64_t>(steps.size());
}

void Describe(const std::vector<RankTables>& ranks, RunRow& row) {
  std::set<std::string> hosts, gpus;
  std::int64_t sum = 0, with_steps = 0;
  const std::string kind = MainKind(ranks).value_or("");
  for (const RankTables& rank : ranks) {
    const RankFacts& facts = rank.facts;
    if (!facts.host.empty()) hosts.insert(facts.host);
    if (!facts.gpu.empty()) gpus.insert(facts.gpu);
    if (facts.world_size != kMissing<std::int64_t>) {
      row.world_size =
          std::max(row.world_size.value_or(0),
                   static_cast<std::uint64_t>(std::max<std::int64_t>(0, facts.world_size)));
    }
    if (facts.session_start_ns != kMissing<std::int64_t>) {
      row.started_ns =
          std::min(row.started_ns.value_or(facts.session_start_ns), facts.session_start_ns);
    }
    const std::vector<RankStep> steps = CountedOfKind(rank, kind);
    if (const auto mean = MeanStep(steps)) {
      sum += *mean;
      ++with_steps;
      row.steps = std::max<std::uint64_t>(row.steps.value_or(0), steps.size());
    }
  }
  // The largest communicator that ranks know may be a part of the job.
  if (row.world_size && *row.world_size < ranks.size()) row.world_size.reset();
  if (with_steps > 0) row.step_ns = sum / with_steps;
  if (!hosts.empty()) row.hosts = hosts.size();
  row.gpu = Joined(gpus, ", ");
}

class RunsAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    options.Add("DIR", dataset_, "A dataset: the folder that --dataset named, or one run of it")
        .Required()
        .Value("");
    options.Add("--rm", remove_, "Remove this run; with --rank only that rank of it").Value("RUN");
    options.Add("--rank", rank_, "With --rm: only this rank").Value("N");
    output_.AddTo(options, {"runs", "oddities"});
  }

  ExitCode Run() override {
    Output output(output_);
    ProgressBar progress(output_.quiet);
    if (rank_ && remove_.empty()) throw Error("--rank is for --rm");
    std::vector<DatasetRun> runs = Runs();
    if (!remove_.empty()) {
      Remove(runs);
      runs = Runs();
    }
    std::vector<RunRow> rows;
    for (const DatasetRun& run : runs) rows.push_back(RowOf(run, progress));
    progress.Clear();
    output.Write(MakeRunsReport(dataset_, rows));
    return ExitCode::kOk;
  }

 private:
  std::vector<DatasetRun> Runs() const {
    std::error_code error;
    if (!std::filesystem::is_directory(dataset_, error)) {
      throw Error(dataset_ + ": no such folder", "give the folder that --dataset named");
    }
    if (IsRun(dataset_)) return {LookAtRun(dataset_)};
    return ListRuns(dataset_);
  }

  void Remove(const std::vector<DatasetRun>& runs) const {
    const auto run = std::find_if(runs.begin(), runs.end(),
                                  [&](const DatasetRun& r) { return r.name == remove_; });
    if (run == runs.end()) {
      std::vector<std::string> names;
      for (const DatasetRun& one : runs) names.push_back(one.name);
      throw Error(dataset_ + " has no run '" + remove_ + "'", DidYouMean(remove_, names));
    }
    if (rank_) {
      RemoveRank(*run, *rank_);
    } else {
      RemoveRun(*run);
    }
    if (!output_.quiet) {
      SayNote("run '" + remove_ + "'" + (rank_ ? ", rank " + std::to_string(*rank_) : "") +
              " removed");
    }
  }

  RunRow RowOf(const DatasetRun& run, ProgressBar& progress) const {
    RunRow row;
    row.run = run.name;
    row.folder = run.folder.string();
    row.ranks = run.ranks.size();
    row.oddities = run.oddities;
    for (const DatasetRank& rank : run.ranks) row.bytes += rank.bytes;
    if (run.Readable().empty()) return row;
    try {
      OpenedRanks opened = OpenRun(run, &progress, Notes(output_.quiet));
      Describe(opened.ranks, row);
      row.oddities = std::move(opened.oddities);
      if (auto missing = MissingRanks(opened.ranks)) row.oddities.push_back(*std::move(missing));
    } catch (const Error& error) {  // The others can still be told of.
      row.oddities.push_back(error.what());
    }
    return row;
  }

  std::string dataset_;
  std::string remove_;
  std::optional<std::uint32_t> rank_;
  OutputOptions output_;
};

}  // namespace

extern const Command kRunsCommand;
const Command kRunsCommand = {
    "runs",
    "Many ranks",
    "the runs of a dataset: how many ranks, on what, what is odd",
    "A dataset is what 'xsp import FILES --dataset DIR --run NAME' writes: a folder per run, in "
    "it\n"
    "a stored trace per rank. Lists them from their small tables, and says in a line each what "
    "does\n"
    "not fit: ranks that are missing, there twice or half-copied, two runs mixed, other GPUs.\n"
    "--rm removes a run (or with --rank one rank), and nothing that xsp did not write.",
    {{{"xsp runs /data/runs", "all runs of a dataset"},
      {"xsp runs /data/runs --rm monday", "removes one"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<RunsAction>(); }};

}  // namespace xsp
