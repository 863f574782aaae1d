#include "report/ranks/ranks_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "report/tables/units.h"

namespace xsp {
namespace {

std::int64_t Whole(double ns) { return std::llround(ns); }

Cell TextOrUnknown(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

// Means over some ranks.
struct RankMeans {
  WorkerTimes times;
  double excess_ns = 0;
  std::size_t ranks = 0;
};

RankMeans MeansOf(const RanksAnalysis& analysis, const std::vector<WorkerRow>& workers) {
  RankMeans means;
  means.ranks = workers.size();
  const auto n = static_cast<double>(std::max<std::size_t>(1, workers.size()));
  for (const WorkerRow w : workers) {
    const WorkerTimes& of = analysis.waits.workers[w];
    means.excess_ns += analysis.peers.excess_ns[w] / n;
    means.times.step_ns += of.step_ns / n;
    means.times.compute_ns += of.compute_ns / n;
    means.times.transfer_ns += of.transfer_ns / n;
    means.times.waiting_ns += of.waiting_ns / n;
    means.times.idle_ns += of.idle_ns / n;
    means.times.inflicted_ns += of.inflicted_ns / n;
    means.times.suffered_ns += of.suffered_ns / n;
    means.times.last_count += of.last_count;
    means.times.joined += of.joined;
    means.times.steps_slowest += of.steps_slowest;
    if (of.exposed_ns) {
      means.times.exposed_ns = means.times.exposed_ns.value_or(0) + *of.exposed_ns / n;
    }
    if (of.blocking_ns) {
      means.times.blocking_ns = means.times.blocking_ns.value_or(0) + *of.blocking_ns / n;
    }
  }
  return means;
}

// A column of which nothing is known is not for people.
Readers ForPeopleIf(bool is_known) { return is_known ? Readers::kAll : Readers::kScripts; }

// What stands in a row of ranks behind who is meant.
std::vector<TableColumn> TimeColumns(const RanksAnalysis& analysis) {
  const std::vector<WorkerTimes>& workers = analysis.waits.workers;
  const Readers exposed = ForPeopleIf(!workers.empty() && workers.front().exposed_ns.has_value());
  // What adds up goes last from a narrow screen.
  return {{"step", "step_ns", ColumnKind::kDuration, kAlways},
          {"compute", "compute_ns", ColumnKind::kDuration, kAlways},
          {"transfer", "transfer_ns", ColumnKind::kDuration, 10},
          {"waiting", "waiting_ns", ColumnKind::kDuration, 10},
          {"idle", "idle_ns", ColumnKind::kDuration, 10},
          {"last", "last_count", ColumnKind::kInt, 5},
          {"", "joined", ColumnKind::kInt, 0, 0, Readers::kScripts},
          {"slowest in", "steps_slowest", ColumnKind::kInt, 9},
          {"peers waited", "inflicted_ns", ColumnKind::kDuration, 8},
          {"", "suffered_ns", ColumnKind::kDuration, 0, 0, Readers::kScripts},
          {"longer", "excess_ns", ColumnKind::kDuration, kAlways},
          {"exposed", "exposed_ns", ColumnKind::kDuration, 3, 2, exposed},
          {"blocking", "blocking_ns", ColumnKind::kDuration, 3, 2, exposed}};
}

void AddTimes(const WorkerTimes& times, double excess_ns, std::vector<Cell>& row) {
  for (const Cell& cell :
       {Cell(Whole(times.step_ns)), Cell(Whole(times.compute_ns)), Cell(Whole(times.transfer_ns)),
        Cell(Whole(times.waiting_ns)), Cell(Whole(times.idle_ns)), Cell(times.last_count),
        Cell(times.joined), Cell(times.steps_slowest), Cell(Whole(times.inflicted_ns)),
        Cell(Whole(times.suffered_ns)), Cell(Whole(excess_ns)),
        times.exposed_ns ? Cell(Whole(*times.exposed_ns)) : Cell(),
        times.blocking_ns ? Cell(Whole(*times.blocking_ns)) : Cell()}) {
    row.push_back(cell);
  }
}

// The slowest first: by how much longer their work took than that of their peers.
std::vector<WorkerRow> SlowestFirst(const RanksAnalysis& analysis, std::vector<WorkerRow> workers) {
  const std::vector<double>& excess = analysis.peers.excess_ns;
  std::stable_sort(workers.begin(), workers.end(),
                   [&](WorkerRow a, WorkerRow b) { return excess[a] > excess[b]; });
  return workers;
}

std::map<std::uint32_t, std::vector<WorkerRow>> ByGroup(const JobOperations& job) {
  std::map<std::uint32_t, std::vector<WorkerRow>> groups;
  for (WorkerRow w = 0; w < job.workers.size(); ++w) groups[job.workers[w].group].push_back(w);
  return groups;
}

bool HasHosts(const JobOperations& job) {
  return std::any_of(job.workers.begin(), job.workers.end(),
                     [](const JobWorker& worker) { return !worker.host.empty(); });
}

// Those of two lists of slowdowns that have the same key, side by side.
template <class Key>
Cell SameKey(const std::vector<PartSlowdown<Key>>& rows, const Key& key) {
  for (const auto& row : rows) {
    if (row.key == key) return row.slowdown;
  }
  return Cell();
}

template <class Key, class Show>
Table PartsTable(const std::string& title, TableColumn what,
                 const std::vector<PartSlowdown<Key>>& all,
                 const std::vector<PartSlowdown<Key>>& peers, const Show& show) {
  Table table(title, {std::move(what),
                      {"against all", "slowdown", ColumnKind::kFloat, kAlways, 3},
                      {"against peers", "peers_slowdown", ColumnKind::kFloat, kAlways, 3}});
  for (const auto& row : all) {
    table.AddRow({show(row.key), row.slowdown, SameKey(peers, row.key)});
  }
  // What only peers show.
  for (const auto& row : peers) {
    if (SameKey(all, row.key).empty()) table.AddRow({show(row.key), Cell(), row.slowdown});
  }
  return table;
}

// The same table with fewer rows, for scripts as well.
Table FirstRows(const Table& table, std::size_t rows) {
  Table first(table.title(), table.columns());
  std::size_t row_number = 0;
  table.ForEachRow([&](std::vector<Cell> row) {
    if (row_number++ < rows) first.AddRow(std::move(row));
  });
  return first;
}

// The table of ranks that people see: of each group of equal work the slowest ranks, the middle
// folded; of very many groups only the slowest.
class FoldedRanks {
 public:
  FoldedRanks(const RanksAnalysis& analysis, std::size_t top)
      : analysis_(analysis),
        has_hosts_(HasHosts(analysis.job)),
        has_stages_(analysis.all.by_stage.size() > 1),
        table_("Ranks, mean of a step, the slowest first", Columns()) {
    table_.ShareTimeUnit();
    table_.AddNote(
        "step = compute + transfer + waiting + idle. Slowest in: so many steps most waiting was "
        "its doing; last: how often it came last among peers; peers waited: for it, added up; "
        "longer: what its own work took beyond the mean of its peers.");
    for (const auto& [group, members] : ByGroup(analysis.job)) {
      groups_.push_back(SlowestFirst(analysis, members));
    }
    const std::vector<double>& excess = analysis.peers.excess_ns;
    std::stable_sort(groups_.begin(), groups_.end(), [&](const auto& a, const auto& b) {
      return excess[a.front()] > excess[b.front()];
    });
    const bool all_groups = top == 0 || 2 * groups_.size() <= top + 1;
    shown_groups_ = all_groups ? groups_.size() : std::max<std::size_t>(1, top / 2);
    of_group_ =
        top == 0 ? analysis.job.workers.size() : std::max<std::size_t>(1, top / groups_.size());
  }

  Table Make() {
    std::vector<WorkerRow> folded;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      if (group < shown_groups_) {
        AddGroup(groups_[group]);
      } else {
        folded.insert(folded.end(), groups_[group].begin(), groups_[group].end());
      }
    }
    if (!folded.empty()) {
      AddRow(
          "… " + Count(folded.size()) + " of " + Count(groups_.size() - shown_groups_) + " groups",
          Cell(), Cell(), folded);
    }
    return std::move(table_);
  }

 private:
  static std::string Count(std::size_t n) { return FormatCount(static_cast<std::int64_t>(n)); }

  std::vector<TableColumn> Columns() const {
    std::vector<TableColumn> columns = {{"rank", "global_rank", ColumnKind::kText, kAlways}};
    if (has_hosts_) columns.push_back({"host", "host", ColumnKind::kName, 9});
    if (has_stages_) columns.push_back({"stage", "stage", ColumnKind::kText, 9});
    for (TableColumn& column : TimeColumns(analysis_)) columns.push_back(std::move(column));
    return columns;
  }

  void AddGroup(const std::vector<WorkerRow>& workers) {
    const bool is_folded = workers.size() > of_group_ + 1;
    const std::size_t at_end = is_folded && of_group_ > 3 ? 1 : 0;
    const std::size_t at_begin = is_folded ? of_group_ - at_end : workers.size();
    const Cell stage(std::to_string(analysis_.job.workers[workers[0]].stage));
    const auto add_one = [&](WorkerRow w) {
      const JobWorker& worker = analysis_.job.workers[w];
      AddRow(std::to_string(worker.rank), TextOrUnknown(worker.host), stage, {w});
    };
    for (std::size_t i = 0; i < at_begin; ++i) add_one(workers[i]);
    if (is_folded) {
      const std::vector<WorkerRow> middle(workers.begin() + static_cast<std::ptrdiff_t>(at_begin),
                                          workers.end() - static_cast<std::ptrdiff_t>(at_end));
      AddRow("… " + Count(middle.size()) + " others", Cell(), stage, middle);
    }
    for (std::size_t i = workers.size() - at_end; i < workers.size(); ++i) add_one(workers[i]);
  }

  // Of one rank, or the means of several.
  void AddRow(const std::string& name, const Cell& host, const Cell& stage,
              const std::vector<WorkerRow>& workers) {
    const RankMeans means = MeansOf(analysis_, workers);
    std::vector<Cell> row = {name};
    if (has_hosts_) row.push_back(host);
    if (has_stages_) row.push_back(stage);
    AddTimes(means.times, means.excess_ns, row);
    table_.AddRow(std::move(row));
  }

  const RanksAnalysis& analysis_;
  const bool has_hosts_, has_stages_;
  Table table_;
  std::vector<std::vector<WorkerRow>> groups_;  // Slowest first, and so in each of them.
  std::size_t shown_groups_ = 0;
  std::size_t of_group_ = 0;  // Ranks of a group that have rows of their own.
};

}  // namespace

Table AllRanksTable(const RanksAnalysis& analysis) {
  std::vector<TableColumn> columns = {{"rank", "global_rank", ColumnKind::kId, kAlways},
                                      {"host", "host", ColumnKind::kName},
                                      {"GPU", "gpu", ColumnKind::kName},
                                      {"group", "group", ColumnKind::kId},
                                      {"stage", "stage", ColumnKind::kId},
                                      {"replica", "data_parallel", ColumnKind::kId}};
  for (TableColumn& column : TimeColumns(analysis)) columns.push_back(std::move(column));
  Table table("Ranks", std::move(columns));
  for (WorkerRow w = 0; w < analysis.job.workers.size(); ++w) {
    const JobWorker& worker = analysis.job.workers[w];
    const WorkerTimes& times = analysis.waits.workers[w];
    std::vector<Cell> row = {
        worker.rank,  TextOrUnknown(worker.host), TextOrUnknown(worker.gpu), worker.group,
        worker.stage, worker.data_parallel};
    AddTimes(times, analysis.peers.excess_ns[w], row);
    table.AddRow(std::move(row));
  }
  return table;
}

Table FoldedRanksTable(const RanksAnalysis& analysis, std::size_t top) {
  return FoldedRanks(analysis, top).Make();
}

Table RanksByTable(const RanksAnalysis& analysis, RanksBy by) {
  const char* const name = by == RanksBy::kHost ? "host" : by == RanksBy::kGpu ? "gpu" : "stage";
  std::map<std::pair<std::int64_t, std::string>, std::vector<WorkerRow>> parts;
  for (WorkerRow w = 0; w < analysis.job.workers.size(); ++w) {
    const JobWorker& worker = analysis.job.workers[w];
    const std::string text = by == RanksBy::kHost  ? worker.host
                             : by == RanksBy::kGpu ? worker.gpu
                                                   : std::to_string(worker.stage);
    parts[{by == RanksBy::kStage ? worker.stage : 0, text.empty() ? "unknown" : text}].push_back(w);
  }
  std::vector<TableColumn> columns = {{name, name, ColumnKind::kName, kAlways},
                                      {"ranks", "ranks", ColumnKind::kInt, kAlways}};
  for (TableColumn& column : TimeColumns(analysis)) columns.push_back(std::move(column));
  Table table("By " + std::string(by == RanksBy::kGpu ? "GPU" : name) +
                  ", means of its ranks, the slowest first",
              std::move(columns));
  table.ShareTimeUnit();
  std::vector<std::pair<std::string, RankMeans>> rows;
  for (const auto& [key, workers] : parts) {
    rows.emplace_back(key.second, MeansOf(analysis, workers));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.excess_ns > b.second.excess_ns;
  });
  for (const auto& [key, means] : rows) {
    std::vector<Cell> row = {key, means.ranks};
    AddTimes(means.times, means.excess_ns, row);
    table.AddRow(std::move(row));
  }
  return table;
}

Table SlowdownsTable(const RanksAnalysis& analysis) {
  Table table("Slowdown, by simulation",
              {{"ideal: the mean over", "ideal", ColumnKind::kText, kAlways},
               {"S", "slowdown", ColumnKind::kFloat, kAlways, 3},
               {"step", "measured_ns", ColumnKind::kDuration, 6},
               {"ideal step", "ideal_ns", ColumnKind::kDuration, 6},
               {"M_W (slowest 3 %)", "m_w", ColumnKind::kFloat, kAlways},
               {"M_S (last stage)", "m_s", ColumnKind::kFloat, kAlways}});
  table.ShareTimeUnit();
  for (const JobSlowdown* by : {&analysis.all, &analysis.peers}) {
    table.AddRow({by->ideal == Ideal::kAll ? "all workers" : "peers of equal work", by->slowdown,
                  Whole(by->step_ns), Whole(by->ideal_step_ns), by->m_w, by->m_s});
  }
  table.AddNote(
      "S: step over ideal step. M_W, M_S: how much of the slowdown goes if the slowest 3 % of the "
      "ranks, or the last stage, become ideal.");
  return table;
}

Table ByTypeTable(const RanksAnalysis& analysis) {
  return PartsTable("Slower by kind of operation", {"kind", "type", ColumnKind::kName, kAlways},
                    analysis.all.by_type, analysis.peers.by_type,
                    [](const std::string& type) { return Cell(type); });
}

Table ByStageTable(const RanksAnalysis& analysis) {
  return PartsTable("Slower by stage", {"stage", "stage", ColumnKind::kId, kAlways},
                    analysis.all.by_stage, analysis.peers.by_stage,
                    [](std::int64_t stage) { return Cell(stage); });
}

Table ByDataParallelTable(const RanksAnalysis& analysis) {
  Table table = PartsTable("Slower by replica",
                           {"data-parallel rank", "data_parallel", ColumnKind::kId, kAlways},
                           analysis.all.by_data_parallel, analysis.peers.by_data_parallel,
                           [](std::int64_t replica) { return Cell(replica); });
  if (!analysis.all.all_data_parallel) {
    table.AddNote("Of many, those whose operations exceed their ideal most.");
  }
  return table;
}

Table ByRankTable(const RanksAnalysis& analysis) {
  const Table table =
      PartsTable("Slower by rank, the worst", {"rank", "global_rank", ColumnKind::kId, kAlways},
                 analysis.all.by_worker, analysis.peers.by_worker,
                 [&](WorkerRow worker) { return Cell(analysis.job.workers[worker].rank); });
  return FirstRows(table, kWorstWorkers);
}

Table ByHostTable(const RanksAnalysis& analysis) {
  return PartsTable("Slower by host, the worst", {"host", "host", ColumnKind::kName, kAlways},
                    analysis.all.by_host, analysis.peers.by_host,
                    [](const std::string& host) { return TextOrUnknown(host); });
}

Table RankClocksTable(const std::vector<HostClock>& clocks) {
  Table table("Clocks, fitted by the ends of collectives",
              {{"host", "host", ColumnKind::kName, kAlways},
               {"offset", "offset_ns", ColumnKind::kDuration, kAlways},
               {"drift (ppm)", "drift_ppm", ColumnKind::kFloat, 6, 3},
               {"half within", "residual_p50_ns", ColumnKind::kDuration, kAlways},
               {"95 % within", "residual_p95_ns", ColumnKind::kDuration, 8},
               {"moments", "moments", ColumnKind::kInt, 5}});
  bool all_joined = true, by_messages = false;
  for (const HostClock& clock : clocks) {
    const auto if_joined = [&](auto value) { return clock.is_joined ? Cell(value) : Cell(); };
    const auto if_fitted = [&](auto value) { return clock.moments > 0 ? Cell(value) : Cell(); };
    all_joined = all_joined && clock.is_joined;
    by_messages = by_messages || clock.by_messages;
    table.AddRow({TextOrUnknown(clock.host), if_joined(clock.offset), if_joined(clock.drift_ppm),
                  if_fitted(clock.residual_p50), if_fitted(clock.residual_p95), clock.moments});
  }
  if (by_messages) {
    table.AddNote(
        "Where no collective joins hosts, by the fastest messages there and back: a bound.");
  }
  if (!all_joined) {
    table.AddNote("-: nothing that was recorded joins it with the first; by the time of day.");
  }
  return table;
}

Table ForecastsTable(const std::vector<JobForecast>& forecasts) {
  Table table("What if, a step of the whole job",
              {{"what if", "whatif", ColumnKind::kName, kAlways},
               {"now", "measured_ns", ColumnKind::kDuration, 6},
               {"forecast", "forecast_ns", ColumnKind::kDuration, kAlways},
               {"faster", "speedup", ColumnKind::kFloat, kAlways},
               {"likely from", "speedup_low", ColumnKind::kFloat, 8},
               {"to", "speedup_high", ColumnKind::kFloat, 8},
               {"", "applies", ColumnKind::kText, 0, 0, Readers::kScripts},
               {"because", "reason", ColumnKind::kText, 5}});
  table.ShareTimeUnit();
  for (const JobForecast& one : forecasts) {
    if (!one.applies) {
      table.AddRow({one.whatif, Whole(one.now_ns), Cell(), Cell(), Cell(), Cell(), false,
                    "does not apply: " + one.reason});
      continue;
    }
    table.AddRow({one.whatif, Whole(one.now_ns), Whole(one.forecast_ns), one.Speedup(),
                  one.now_ns / one.high_ns, one.now_ns / one.low_ns, true, one.reason});
  }
  return table;
}

Table CollectivesTable(const std::vector<CollectiveRow>& rows) {
  const auto any = [&](auto has) {
    return ForPeopleIf(std::any_of(rows.begin(), rows.end(), has));
  };
  const Readers sizes = any([](const CollectiveRow& row) { return row.bytes.has_value(); });
  const Readers ranks = any([](const CollectiveRow& row) { return row.participants.has_value(); });
  const Readers names = any([](const CollectiveRow& row) { return !row.communicator.empty(); });
  const Readers links = any([](const CollectiveRow& row) { return !row.link.empty(); });
  const Readers shares = any([](const CollectiveRow& row) { return row.link_share.has_value(); });
  const Readers uneven = any([](const CollectiveRow& row) { return row.imbalance.has_value(); });
  const bool has_speed = std::any_of(rows.begin(), rows.end(), [](const CollectiveRow& row) {
    return row.bus_bandwidth.has_value();
  });
  std::vector<TableColumn> columns = {
      {"operation", "operation", ColumnKind::kName, kAlways},
      {"communicator", "communicator", ColumnKind::kName, 3, 2, names},
      {"ranks", "participants", ColumnKind::kInt, 5, 2, ranks},
      {"link", "link", ColumnKind::kText, 6, 2, links},
      {"size", "bytes", ColumnKind::kBytes, 8, 2, sizes},
      {"count", "count", ColumnKind::kInt, 7},
      {"time", "ns", ColumnKind::kDuration, kAlways},
      {"waiting", "waiting_ns", ColumnKind::kDuration, kAlways},
      {"transfer", "transfer_ns", ColumnKind::kDuration, kAlways},
      {"", "bus_bandwidth", ColumnKind::kFloat, 0, 0, Readers::kScripts},
      {"of the link", "link_share", ColumnKind::kShare, 6, 2, shares},
      {"imbalance", "imbalance", ColumnKind::kFloat, 2, 2, uneven},
      {"unmatched", "unmatched", ColumnKind::kInt, 4}};
  if (has_speed) {
    columns.push_back({"bus (GB/s)", "bus_gb_per_s", ColumnKind::kFloat, 7, 1, Readers::kPeople});
  }
  Table table("Communication, mean of one on a rank", std::move(columns));
  table.ShareTimeUnit();
  for (const CollectiveRow& row : rows) {
    std::vector<Cell> cells = {row.operation,
                               TextOrUnknown(row.communicator),
                               row.participants,
                               TextOrUnknown(row.link),
                               row.bytes,
                               row.count,
                               Whole(row.ns),
                               Whole(row.waiting_ns),
                               Whole(row.transfer_ns),
                               row.bus_bandwidth,
                               row.link_share,
                               row.imbalance,
                               row.unmatched};
    if (has_speed) cells.push_back(row.bus_bandwidth ? Cell(*row.bus_bandwidth / 1e9) : Cell());
    table.AddRow(std::move(cells));
  }
  table.AddNote(
      "Waiting: until the last participant had come. Transfer: from then to its own end.");
  return table;
}

}  // namespace xsp
