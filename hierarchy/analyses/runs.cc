#include "hierarchy/analyses/runs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"

namespace xsp {
namespace {

constexpr const char* kSameThing = "averages need runs of the same program; give them one by one";

[[noreturn]] void Differ(const NamedProfile& first, const NamedProfile& other,
                         const std::string& what) {
  throw Error(other.name + " is no run of the same thing as " + first.name + ": " + what,
              kSameThing);
}

std::string Shown(const LayerRow& row) {
  return "'" + row.path + "'" +
         (row.occurrence > 0 ? " (no. " + std::to_string(row.occurrence + 1) + ")" : "");
}

// Rows of several runs that are the same layer have the same key.
using LayerKey = std::pair<std::string, std::uint32_t>;

LayerKey KeyOf(const LayerRow& row) { return {row.path, row.occurrence}; }

std::map<LayerKey, const LayerRow*> LayersOf(const RankProfile& rank) {
  std::map<LayerKey, const LayerRow*> layers;
  for (const LayerRow& row : rank.layers) {
    if (row.is_layer) layers.emplace(KeyOf(row), &row);
  }
  return layers;
}

// What is in no layer may differ: another thread may have come in between.
void CheckLayers(const NamedProfile& first, const NamedProfile& other, std::size_t rank) {
  const auto a = LayersOf(first.profile.ranks[rank]), b = LayersOf(other.profile.ranks[rank]);
  const std::string counts =
      std::to_string(b.size()) + " layers, not " + std::to_string(a.size()) + "; ";
  const std::string prefix = a.size() == b.size() ? "" : counts;
  for (const auto& [key, row] : a) {
    if (!b.contains(key)) Differ(first, other, prefix + "it lacks " + Shown(*row));
  }
  for (const auto& [key, row] : b) {
    if (!a.contains(key)) Differ(first, other, prefix + "only it has " + Shown(*row));
  }
}

// Layers may be named alike in another precision, or with another library below.
void CheckKernels(const NamedProfile& first, const NamedProfile& other, std::size_t rank) {
  constexpr double kMost = 0.05;
  const double a = first.profile.ranks[rank].gpu.count;
  const double b = other.profile.ranks[rank].gpu.count;
  if (std::abs(a - b) <= kMost * std::max(a, b)) return;
  Differ(first, other,
         std::to_string(std::llround(b)) + " kernels, not " + std::to_string(std::llround(a)));
}

void CheckSame(const NamedProfile& first, const NamedProfile& other) {
  const Profile &a = first.profile, &b = other.profile;
  if (a.is_step != b.is_step) {
    Differ(first, other, "only one of them has steps");
  }
  if (a.ranks.size() != b.ranks.size()) {
    Differ(first, other,
           std::to_string(b.ranks.size()) + " ranks, not " + std::to_string(a.ranks.size()));
  }
  if (a.layer_level != b.layer_level) {
    Differ(first, other, "only one of them has layers");
  }
  for (std::size_t r = 0; r < a.ranks.size(); ++r) {
    CheckLayers(first, other, r);
    CheckKernels(first, other, r);
  }
}

// Nothing where one of the runs does not know the value.
std::optional<double> Combine(const std::vector<std::optional<double>>& values,
                              Statistic statistic) {
  std::vector<double> known;
  for (const std::optional<double>& value : values) {
    if (!value) return std::nullopt;
    known.push_back(*value);
  }
  return xsp::Combine(std::move(known), statistic);
}

// The same row of all runs, to be combined value by value.
template <class Row>
class Gathered {
 public:
  Gathered(std::vector<const Row*> rows, Statistic statistic)
      : rows_(std::move(rows)), statistic_(statistic) {}

  template <class T>
  T Value(T Row::*member) const {
    std::vector<T> values;
    for (const Row* row : rows_) values.push_back(row->*member);
    return Combine(std::move(values), statistic_);
  }

  GpuFigures Figures() const {
    std::vector<GpuFigures> values;
    for (const Row* row : rows_) values.push_back(row->gpu);
    return GpuFigures::Combine(
        values, [this](std::vector<double> v) { return xsp::Combine(std::move(v), statistic_); });
  }

 private:
  std::vector<const Row*> rows_;
  Statistic statistic_;
};

// Puts the rows of all runs in the order of the first one, so that row i is the same layer in each.
// Rows for work in no layer that a run lacks are added, with nothing in them.
void AlignLayers(std::vector<NamedProfile>& runs, std::size_t rank) {
  std::map<LayerKey, std::size_t> place;
  std::vector<LayerRow> empty_rows;
  for (const NamedProfile& run : runs) {
    for (const LayerRow& row : run.profile.ranks[rank].layers) {
      if (!place.try_emplace(KeyOf(row), place.size()).second) continue;
      LayerRow& empty = empty_rows.emplace_back();
      empty.path = row.path;
      empty.occurrence = row.occurrence;
      empty.is_layer = row.is_layer;
      empty.type = row.type;
      if (row.allocated_bytes) empty.allocated_bytes = 0;
    }
  }
  for (NamedProfile& run : runs) {
    RankProfile& profile = run.profile.ranks[rank];
    std::vector<LayerRow> rows = empty_rows;
    for (KernelRow& kernel : profile.kernels) {
      kernel.layer = place.at(KeyOf(profile.layers[kernel.layer]));
    }
    for (LayerRow& row : profile.layers) {
      const std::size_t at = place.at(KeyOf(row));
      rows[at] = std::move(row);
    }
    profile.layers = std::move(rows);
  }
}

void CombineLayers(const std::vector<NamedProfile>& runs, std::size_t rank, Statistic statistic,
                   std::vector<LayerRow>& result) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::vector<const LayerRow*> rows;
    for (const NamedProfile& run : runs) rows.push_back(&run.profile.ranks[rank].layers[i]);
    const Gathered<LayerRow> values(std::move(rows), statistic);
    LayerRow row = result[i];
    row.latency_ns = values.Value(&LayerRow::latency_ns);
    row.host_ns = values.Value(&LayerRow::host_ns);
    row.gpu_ns = std::min(row.latency_ns, values.Value(&LayerRow::gpu_ns));
    row.copies_ns = std::min(row.NonGpuNs(), values.Value(&LayerRow::copies_ns));
    row.allocated_bytes = values.Value(&LayerRow::allocated_bytes);
    row.gpu = values.Figures();
    result[i] = row;
  }
}

void CombineKernels(const std::vector<NamedProfile>& runs, std::size_t rank, Statistic statistic,
                    std::vector<KernelRow>& result) {
  using Key = std::tuple<std::size_t, std::string, std::array<std::uint32_t, 3>,
                         std::array<std::uint32_t, 3>, std::uint32_t>;
  const KernelRow absent;
  std::map<Key, std::vector<const KernelRow*>> by_key;
  std::vector<Key> order;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const KernelRow& row : runs[r].profile.ranks[rank].kernels) {
      const Key key = {row.layer, row.name, row.grid, row.block, row.occurrence};
      auto [it, is_new] = by_key.try_emplace(key, runs.size(), &absent);
      if (is_new) order.push_back(key);
      it->second[r] = &row;
    }
  }
  result.clear();
  for (const Key& key : order) {
    const std::vector<const KernelRow*>& rows = by_key[key];
    const auto first = std::find_if(rows.begin(), rows.end(),
                                    [&](const KernelRow* row) { return row != &absent; });
    result.push_back(**first);
    result.back().gpu = Gathered<KernelRow>(rows, statistic).Figures();
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.layer < b.layer; });
}

}  // namespace

Profile CombineRuns(std::vector<NamedProfile> runs, Statistic statistic) {
  for (const NamedProfile& run : runs) CheckSame(runs.front(), run);
  if (runs.size() == 1) return std::move(runs.front().profile);
  for (std::size_t r = 0; r < runs.front().profile.ranks.size(); ++r) AlignLayers(runs, r);
  Profile result = runs.front().profile;
  for (std::size_t r = 0; r < result.ranks.size(); ++r) {
    std::vector<const RankProfile*> rows;
    for (const NamedProfile& run : runs) rows.push_back(&run.profile.ranks[r]);
    const Gathered<RankProfile> values(std::move(rows), statistic);
    RankProfile& rank = result.ranks[r];
    rank.latency_ns = values.Value(&RankProfile::latency_ns);
    rank.kernel_busy_ns = std::min(rank.latency_ns, values.Value(&RankProfile::kernel_busy_ns));
    rank.allocated_bytes = values.Value(&RankProfile::allocated_bytes);
    rank.gpu = values.Figures();
    CombineLayers(runs, r, statistic, rank.layers);
    CombineKernels(runs, r, statistic, rank.kernels);
  }
  result.join = {};
  for (const NamedProfile& run : runs) {
    const CounterJoin& join = run.profile.join;
    result.join.calls += join.calls;
    result.join.joined_calls += join.joined_calls;
    result.join.time += join.time;
    result.join.joined_time += join.joined_time;
  }
  return result;
}

}  // namespace xsp
