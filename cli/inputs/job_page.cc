#include "cli/inputs/job_page.h"

#include <algorithm>
#include <utility>

#include "base/quantile.h"
#include "cli/datasets/open_job.h"
#include "report/html/job_columns.h"
#include "report/html/page.h"
#include "store/dataset/dataset.h"
#include "store/parquet/operations_file.h"

namespace xsp {
namespace {

// Ranks of a run are looked for in the list: it is longer than others.
constexpr std::size_t kMostRanks = 1500;

// The one that others wait for: as the verdict says, else by what was waited.
WorkerRow MostBlamed(const RanksAnalysis& analysis) {
  if (!analysis.blame.workers.empty()) return analysis.blame.workers.front();
  const std::vector<WorkerTimes>& workers = analysis.waits.workers;
  const auto most = std::max_element(
      workers.begin(), workers.end(),
      [](const auto& a, const auto& b) { return a.inflicted_ns < b.inflicted_ns; });
  return static_cast<WorkerRow>(most - workers.begin());
}

// The one whose compute is the median, of all but one.
WorkerRow Typical(const RanksAnalysis& analysis, WorkerRow but) {
  const std::vector<WorkerTimes>& workers = analysis.waits.workers;
  std::vector<std::pair<double, WorkerRow>> others;
  for (WorkerRow w = 0; w < workers.size(); ++w) {
    if (w != but) others.emplace_back(workers[w].compute_ns, w);
  }
  return UpperMedian(others).second;
}

std::vector<TraceToShow> RanksToShow(const RanksAnalysis& analysis, const std::string& run) {
  std::vector<TraceToShow> traces;
  const auto add = [&](WorkerRow worker, const std::string& why) {
    const std::int64_t rank = analysis.job.workers[worker].rank;
    const auto folder = FolderOfRank(run, static_cast<std::uint32_t>(rank));
    traces.push_back({folder.string(), "rank " + std::to_string(rank) + why});
  };
  const WorkerRow blamed = MostBlamed(analysis);
  const bool is_late = analysis.waits.workers[blamed].inflicted_ns > 0;
  add(blamed, is_late ? ", which others wait for" : "");
  add(Typical(analysis, blamed), ", a typical one");
  return traces;
}

}  // namespace

bool IsJob(const std::string& path) { return IsRun(path) || IsParquetFile(path); }

JobPage MakeJobPage(const std::string& path, std::size_t budget, Progress* progress,
                    const NoteSink& note) {
  OpenedJob opened = OpenJob({path}, {}, progress, note);
  opened.view.top = 0;
  const RanksAnalysis& analysis = opened.analysis;
  JobPage page;
  std::vector<std::string> cut;
  page.document = DocumentOf(MakeRanksReport(analysis, opened.view), {}, cut, kMostRanks);
  page.document["cut"] = cut;
  page.columns = JobColumns(analysis.job, budget);
  if (IsRun(path)) page.ranks = RanksToShow(analysis, path);
  return page;
}

}  // namespace xsp
