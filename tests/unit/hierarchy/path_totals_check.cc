#include "tests/unit/hierarchy/path_totals_check.h"

#include <numeric>

namespace xsp {
namespace {

class Check {
 public:
  explicit Check(const PathTotals& totals)
      : totals_(totals),
        has_graphs_(!totals.hierarchy().trace().OfKind(EventKind::kGraphSpan).empty()),
        below_(totals.nodes().size()) {
    for (const PathNode& node : totals.nodes()) {
      if (node.parent.valid()) below_[node.parent.value].Add(node.total);
    }
  }

  std::vector<std::string> Run() {
    for (std::size_t n = 0; n < totals_.nodes().size(); ++n) CheckNode(PathId(n));
    const DurationNs covered =
        std::accumulate(totals_.coverage().begin(), totals_.coverage().end(), DurationNs{0});
    if (covered != totals_.root().total.device_sum) faults_.push_back("coverage does not add up");
    if (totals_.options().steps.is_whole()) CheckWhole();
    return std::move(faults_);
  }

 private:
  void CheckNode(PathId id) {
    const PathNode& node = totals_[id];
    auto fault = [&](const std::string& what) {
      faults_.push_back(std::string(NameOf(node.level)) + " " + std::string(totals_.Name(id)) +
                        ": " + what);
    };
    const PathSample& below = below_[id.value];
    if (node.level != Level::kDevice && below.device_sum != node.total.device_sum) {
      fault("children " + std::to_string(below.device_sum) + " are not " +
            std::to_string(node.total.device_sum));
    }
    if (node.level != Level::kDevice && below.operations != node.total.operations) {
      fault("operations were lost");
    }
    if (!has_graphs_ && node.total.device_busy > node.total.device_sum) fault("busy exceeds sum");
    const bool has_one_device = node.level == Level::kDevice || node.level == Level::kRank;
    if (has_one_device && node.total.device_busy > node.total.wall) fault("busy exceeds wall");
    PathSample sum;
    for (const PathSample& sample : totals_.Samples(id)) {
      sum.Add(sample);
      if (!totals_.options().steps.is_whole() && !totals_.options().steps.Contains(sample.step)) {
        fault("a sample of a step that was not asked for");
      }
    }
    if (sum.device_sum != node.total.device_sum || sum.count != node.total.count) {
      fault("samples do not add up");
    }
  }

  void CheckWhole() {
    const Trace& trace = totals_.hierarchy().trace();
    DurationNs of_tracks = 0;
    for (EventId work : trace.DeviceWork()) {
      if (!trace.OfKind(EventKind::kGraphSpan).Contains(work)) of_tracks += trace.duration(work);
    }
    if (of_tracks != totals_.root().total.device_sum) faults_.push_back("device time was lost");
  }

  const PathTotals& totals_;
  const bool has_graphs_;
  std::vector<PathSample> below_;  // By path: its children together.
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> FaultsOf(const PathTotals& totals) { return Check(totals).Run(); }

}  // namespace xsp
