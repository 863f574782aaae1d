#include "diff/runs/side.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace xsp {
namespace {

// The rows of a place in a list that is sorted by place.
template <class Row>
std::pair<const Row*, const Row*> RowsOf(const std::vector<Row>& rows, std::uint32_t place) {
  auto less = [](const Row& row, std::uint32_t of) { return row.place < of; };
  auto more = [](std::uint32_t of, const Row& row) { return of < row.place; };
  const auto first = std::lower_bound(rows.begin(), rows.end(), place, less);
  const auto last = std::upper_bound(first, rows.end(), place, more);
  return {rows.data() + (first - rows.begin()), rows.data() + (last - rows.begin())};
}

std::vector<double> ZerosOf(const Run& run) { return std::vector<double>(run.unit_ns.size()); }

}  // namespace

Side::Side(std::vector<Run> runs) : runs_(std::move(runs)) {
  for (const Run& run : runs_) AddRun(run);
  SumUp();
}

void Side::AddRun(const Run& run) {
  using Key = std::tuple<std::uint32_t, Level, std::string>;
  std::map<Key, std::uint32_t> known;
  for (std::uint32_t place = 1; place < places_.size(); ++place) {
    known[{places_[place].parent, places_[place].level, places_[place].name}] = place;
  }
  std::vector<std::uint32_t> of_run(run.places.size());  // Where the run's places are here.
  for (std::uint32_t row = 0; row < run.places.size(); ++row) {
    RunPlace place = run.places[row];
    if (row == 0 && !places_.empty()) continue;
    if (row > 0) place.parent = of_run[place.parent];
    const Key key{place.parent, place.level, place.name};
    const auto found = row == 0 ? known.end() : known.find(key);
    if (found != known.end()) {
      of_run[row] = found->second;
      continue;
    }
    of_run[row] = static_cast<std::uint32_t>(places_.size());
    if (row > 0) {
      known[key] = of_run[row];
      children_[place.parent].push_back(of_run[row]);
    }
    places_.push_back(std::move(place));
    children_.emplace_back();
  }
  run_place_.emplace_back();
  run_place_.back().assign(places_.size(), RunPlace::kNone);
  for (std::uint32_t row = 0; row < of_run.size(); ++row) run_place_.back()[of_run[row]] = row;
}

void Side::SumUp() {
  device_sum_.assign(places_.size(), 0);
  count_.assign(places_.size(), 0);
  path_sum_.assign(places_.size(), {});
  paths_ = TreePaths(places_.size());
  for (std::uint32_t place = 1; place < places_.size(); ++place) {
    paths_.Place(place, places_[place].parent);
  }
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const Run& run = runs_[r];
    run_place_[r].resize(places_.size(), RunPlace::kNone);
    std::vector<std::uint32_t> here(run.places.size());
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
      if (run_place_[r][place] != RunPlace::kNone) here[run_place_[r][place]] = place;
    }
    for (const PlaceSample& sample : run.samples) {
      device_sum_[here[sample.place]] += static_cast<double>(sample.device_sum);
      count_[here[sample.place]] += sample.count;
    }
    for (const PathCost& cost : run.path) {
      path_sum_[here[cost.place]][static_cast<std::size_t>(cost.kind)] +=
          static_cast<double>(cost.ns);
    }
    step_count_ += static_cast<double>(run.unit_ns.size() * run.period);
  }
}

std::string Side::Path(std::uint32_t place) const {
  if (place == RunPlace::kNone) return "";
  return paths_.Text(place, [&](std::uint32_t of) { return std::string_view(places_[of].name); });
}

Series Side::DeviceTime(std::uint32_t place) const {
  Series samples;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    std::vector<double> values = ZerosOf(runs_[r]);
    const auto [first, last] = RowsOf(runs_[r].samples, run_place_[r][place]);
    for (const PlaceSample* row = first; row != last; ++row) {
      values[row->step] += static_cast<double>(row->device_sum) / runs_[r].period;
    }
    samples.runs.push_back(std::move(values));
  }
  return samples;
}

Series Side::Count(std::uint32_t place) const {
  Series samples;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    std::vector<double> values = ZerosOf(runs_[r]);
    const auto [first, last] = RowsOf(runs_[r].samples, run_place_[r][place]);
    for (const PlaceSample* row = first; row != last; ++row) {
      values[row->step] += static_cast<double>(row->count) / runs_[r].period;
    }
    samples.runs.push_back(std::move(values));
  }
  return samples;
}

Series Side::PathTime(std::uint32_t place, CostKind kind) const {
  Series samples;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    std::vector<double> values = ZerosOf(runs_[r]);
    const auto [first, last] = RowsOf(runs_[r].path, run_place_[r][place]);
    for (const PathCost* row = first; row != last; ++row) {
      if (row->kind == kind) values[row->step] += static_cast<double>(row->ns) / runs_[r].period;
    }
    samples.runs.push_back(std::move(values));
  }
  return samples;
}

Series Side::Zeros() const {
  Series zeros;
  for (const Run& run : runs_) zeros.runs.push_back(ZerosOf(run));
  return zeros;
}

template <class T>
Series Side::Of(std::vector<T> Run::*figure) const {
  Series samples;
  for (const Run& run : runs_) {
    std::vector<double>& values = samples.runs.emplace_back();
    for (const T& value : run.*figure) values.push_back(static_cast<double>(value) / run.period);
  }
  return samples;
}

Series Side::UnitTime() const { return Of(&Run::unit_ns); }
Series Side::Residual() const { return Of(&Run::residual_ns); }
Series Side::OneTime() const { return Of(&Run::one_time_ns); }

OneTimeSums Side::OneTimeBy() const {
  std::array<double, kOneTimeReasonCount> sums{};
  double samples = 0;
  for (const Run& run : runs_) {
    samples += static_cast<double>(run.unit_ns.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += static_cast<double>(run.one_time_by[i]) / run.period;
    }
  }
  OneTimeSums means{};
  for (std::size_t i = 0; i < sums.size() && samples > 0; ++i) {
    means[i] = std::llround(sums[i] / samples);
  }
  return means;
}

Series Side::BusyTime() const { return Of(&Run::busy_ns); }
Series Side::Kernels() const { return Of(&Run::kernels); }
Series Side::Launches() const { return Of(&Run::launches); }
Series Side::Syncs() const { return Of(&Run::syncs); }

Series Side::IdleTime() const {
  Series idle = UnitTime();
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const Run& run = runs_[r];
    for (std::size_t i = 0; i < idle.runs[r].size(); ++i) {
      const double time = idle.runs[r][i] * run.facts.devices;
      // Work that a step launched may end in the next one.
      idle.runs[r][i] = std::max(0.0, time - static_cast<double>(run.busy_ns[i]) / run.period);
    }
  }
  return idle;
}

Series Side::PathTime(CostKind kind) const {
  Series samples;
  for (const Run& run : runs_) {
    std::vector<double> values = ZerosOf(run);
    for (const PathCost& cost : run.path) {
      if (cost.kind == kind) values[cost.step] += static_cast<double>(cost.ns) / run.period;
    }
    samples.runs.push_back(std::move(values));
  }
  return samples;
}

Series Side::PerRun(std::optional<DurationNs> Run::*figure) const {
  Series samples;
  for (const Run& run : runs_) {
    if (run.*figure) samples.runs.push_back({static_cast<double>(*(run.*figure))});
  }
  return samples;
}

Series Side::PeakMemory() const {
  Series samples;
  for (const Run& run : runs_) {
    if (run.peak_memory) samples.runs.push_back({static_cast<double>(*run.peak_memory)});
  }
  return samples;
}

std::vector<std::string> Side::RangeNames() const {
  std::set<std::string> names;
  for (const Run& run : runs_) names.insert(run.range_names.begin(), run.range_names.end());
  return {names.begin(), names.end()};
}

Series Side::RangeTime(const std::string& name) const {
  Series samples = Zeros();
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const Run& run = runs_[r];
    const auto found = std::lower_bound(run.range_names.begin(), run.range_names.end(), name);
    if (found == run.range_names.end() || *found != name) continue;
    const auto row = static_cast<std::uint32_t>(found - run.range_names.begin());
    auto less = [](const RangeSample& sample, std::uint32_t of) { return sample.name < of; };
    auto it = std::lower_bound(run.ranges.begin(), run.ranges.end(), row, less);
    for (; it != run.ranges.end() && it->name == row; ++it) {
      samples.runs[r][it->step] += static_cast<double>(it->ns) / run.period;
    }
  }
  return samples;
}

StepCounts Side::steps() const {
  StepCounts all;
  for (const Run& run : runs_) {
    all.found += run.steps.found;
    all.counted += run.steps.counted.size();
    all.cold += run.steps.cold.size();
    all.outliers += run.steps.outliers.size();
    all.left_out += run.steps.left_out.size();
  }
  return all;
}

double Side::WarmMean() const {
  double sum = 0, count = 0;
  for (const Run& run : runs_) {
    const auto warm = static_cast<double>(run.steps.counted.size() + run.steps.outliers.size());
    sum += warm * static_cast<double>(run.steps.warm_mean);
    count += warm;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace xsp
