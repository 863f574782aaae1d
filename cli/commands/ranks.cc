#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/quantity.h"
#include "cli/command.h"
#include "cli/datasets/open_ranks.h"
#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/result_file.h"
#include "report/ranks/ranks_report.h"
#include "store/dataset/dataset.h"
#include "store/parquet/operations_file.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kByWords = {"rank", "host", "stage", "gpu"};

class RanksAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTracesArgument(options, paths_, "JOB");
    options.Choice(
        "--by", kByWords, [this](std::size_t i) { view_.by = RanksBy(i); },
        "What has a row of its own; rank is the default");
    rows_.top = view_.top;
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
    for (const std::string& path : paths_) CheckExists(path);
    if (buckets_) whatifs_.buckets = *buckets_;
    whatifs_.like_peers.assign(like_peers_.begin(), like_peers_.end());
    const RanksAnalysis analysis = Analyze(progress);
    progress.Clear();
    view_.top = rows_.top;
    output.Write(MakeRanksReport(analysis, view_));
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

  RanksAnalysis Analyze(ProgressBar& progress) {
    if (IsParquetFile(paths_.front())) return AnalyzeTable();
    for (const std::string& path : paths_) {
      if (IsParquetFile(path)) {
        throw Error(path + ": a table of operations holds a whole job: give it alone");
      }
      if (IsDataset(path) && !IsRun(path)) {
        throw Error(path + ": holds runs: say which", "xsp runs " + path + " lists them");
      }
    }
    OpenedRanks opened = OpenRanks(paths_, &progress, Notes(output_.quiet));
    if (opened.ranks.size() < 2) {
      throw Error(paths_.front() + ": one rank: there is nobody to wait for",
                  "give the traces of all ranks of the job, or a run of a dataset");
    }
    view_.run = NameOfRun();
    NumberRanks(opened);
    view_.oddities = opened.oddities;
    for (const std::string& path : paths_) {
      TraceSource source;
      source.path = path;
      source.format = IsRun(path) ? "run" : "trace";
      view_.sources.push_back(std::move(source));
    }
    return AnalyzeRanks(opened.ranks, whatifs_);
  }

  // Recordings that do not tell their rank get numbers that nobody has, in the order in which they
  // were given.
  static void NumberRanks(OpenedRanks& opened) {
    std::set<std::int64_t> taken;
    for (const RankTables& rank : opened.ranks) taken.insert(rank.facts.global_rank);
    if (!taken.contains(kMissing<std::int64_t>)) return;
    std::int64_t next = 0;
    for (RankTables& rank : opened.ranks) {
      if (rank.facts.global_rank != kMissing<std::int64_t>) continue;
      while (taken.contains(next)) ++next;
      taken.insert(next);
      rank.facts.global_rank = next;
    }
    std::stable_sort(opened.ranks.begin(), opened.ranks.end(), [](const auto& a, const auto& b) {
      return a.facts.global_rank < b.facts.global_rank;
    });
    opened.oddities.push_back(
        "Recordings do not tell their rank: they are numbered in the order given.");
  }

  RanksAnalysis AnalyzeTable() {
    if (paths_.size() > 1) {
      throw Error("a table of operations holds a whole job: give one",
                  "xsp ranks " + paths_.front());
    }
    const fs::path file = paths_.front();
    ProtectInput(file);
    view_.run = file.stem().string();
    TraceSource source;
    source.path = paths_.front();
    source.format = "operations";
    view_.sources = {source};
    return AnalyzeOperations(ReadOperationsFile(file), whatifs_);
  }

  std::string NameOfRun() const {
    fs::path path = fs::path(paths_.front()).lexically_normal();
    if (path.filename().empty()) path = path.parent_path();
    if (const auto name = RunOfFolder(path.filename().string())) return *name;
    return paths_.size() == 1 ? path.stem().string() : path.parent_path().filename().string();
  }

  std::vector<std::string> paths_;
  RanksReportOptions view_;
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
