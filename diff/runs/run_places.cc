#include "diff/runs/run_places.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/hash.h"

namespace xsp {
namespace {

struct ShapeHash {
  std::size_t operator()(const LaunchShape& shape) const {
    std::size_t hash = 0;
    for (std::uint32_t v : shape.grid) hash = HashWith(hash, v);
    for (std::uint32_t v : shape.block) hash = HashWith(hash, v);
    return hash;
  }
};

}  // namespace

std::vector<std::uint32_t> SamplesOfSteps(const std::optional<KeptSteps>& kept,
                                          std::size_t step_count) {
  std::vector<std::uint32_t> sample(step_count, kNoSample);
  if (!kept) return sample;
  for (std::size_t i = 0; i < kept->steps().size(); ++i) {
    sample[kept->steps()[i]] = static_cast<std::uint32_t>(i / kept->per_sample);
  }
  return sample;
}

RunPlaces::RunPlaces(const PathTotals& totals, const std::optional<KeptSteps>& kept, Run& run)
    : totals_(totals), run_(run), place_of_(totals.nodes().size()) {
  run_.places.emplace_back();
  run_.places[0].name = kept ? "step" : "span";
  for (std::uint32_t path = 1; path < place_of_.size(); ++path) {
    place_of_[path] = PlaceFor(PathId(path));
  }
  AddSamples(kept);
  DescribeKernels();
}

std::uint32_t RunPlaces::Child(std::uint32_t parent, Level level, std::string_view name) {
  const auto fresh = static_cast<std::uint32_t>(run_.places.size());
  const auto [it, is_new] = index_.try_emplace({parent, level, std::string(name)}, fresh);
  if (is_new) {
    RunPlace& place = run_.places.emplace_back();
    place.parent = parent;
    place.level = level;
    place.name = name;
  }
  return it->second;
}

std::uint32_t RunPlaces::PlaceFor(PathId path) {
  const PathNode& node = totals_[path];
  std::uint32_t above = place_of_[node.parent.value];
  if (node.level == Level::kStep) return above;
  if (node.level == Level::kRank) {
    // By order: process ids differ from run to run.
    std::size_t rank = 0;
    while (totals_.NodeOfRank(rank) != path) ++rank;
    return Child(above, node.level, "rank " + std::to_string(rank));
  }
  if (run_.places[above].IsCall()) above = run_.places[above].parent;
  return Child(above, node.level, totals_.Name(path));
}

void RunPlaces::AddSamples(const std::optional<KeptSteps>& kept) {
  const std::vector<std::uint32_t> sample_of =
      SamplesOfSteps(kept, totals_.hierarchy().steps().size());
  for (std::uint32_t path = 0; path < place_of_.size(); ++path) {
    // A step counts with the place that stands for it, and a rank's root not twice.
    const Level level = totals_.nodes()[path].level;
    if (level == Level::kStep) continue;
    const std::uint32_t place = place_of_[path];
    const bool is_call = run_.places[place].IsCall();
    for (const PathSample& sample : totals_.Samples(PathId(path))) {
      const std::uint32_t at = kept ? sample_of[sample.step] : 0;
      run_.samples.push_back({place, at, is_call ? 0 : sample.device_sum, sample.count});
    }
  }
  auto key = [](const PlaceSample& s) { return std::pair(s.place, s.step); };
  std::stable_sort(run_.samples.begin(), run_.samples.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  // Several paths may be one place, several steps one sample.
  std::size_t last = 0;
  for (std::size_t i = 1; i < run_.samples.size(); ++i) {
    PlaceSample& into = run_.samples[last];
    if (key(into) == key(run_.samples[i])) {
      into.device_sum += run_.samples[i].device_sum;
      into.count += run_.samples[i].count;
    } else {
      run_.samples[++last] = run_.samples[i];
    }
  }
  if (!run_.samples.empty()) run_.samples.resize(last + 1);
}

// Class and precision by name, and the shape that most launches have.
void RunPlaces::DescribeKernels() {
  const Hierarchy& hierarchy = totals_.hierarchy();
  const Trace& trace = hierarchy.trace();
  const Kernels& kernels = trace.kernels();
  std::vector<std::unordered_map<LaunchShape, std::uint32_t, ShapeHash>> shapes(run_.places.size());
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    if (!totals_.places()[kernel.value].valid()) continue;
    const std::uint32_t place = OfWork(kernel);
    const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
    const LaunchShape shape = {{kernels.grid_x[row], kernels.grid_y[row], kernels.grid_z[row]},
                               {kernels.block_x[row], kernels.block_y[row], kernels.block_z[row]}};
    RunPlace& of = run_.places[place];
    const std::uint32_t times = ++shapes[place][shape];
    if (!of.is_kernel || times > shapes[place][of.shape]) of.shape = shape;
    if (of.is_kernel) continue;
    of.is_kernel = true;
    const KernelKind& kind = hierarchy.kinds().Of(trace, kernel);
    of.kernel_class = kind.kernel_class;
    of.precision = kind.precision;
  }
}

}  // namespace xsp
