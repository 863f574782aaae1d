#include "sim/whatifs/parallel/training_pass.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/names/communication.h"

namespace xsp {
namespace {

// Shares are quotients of sums: what differs by less is the same.
constexpr double kSame = 1e-9;

std::size_t FirstFrom(const std::vector<double>& sums, double share) {
  // The kernel that begins at the share or behind it: its predecessor has ended there.
  const double at = share * sums.back() * (1 - kSame) - kSame;
  const auto ended = std::lower_bound(sums.begin(), sums.end(), at);
  const std::size_t next = share <= kSame ? 0 : static_cast<std::size_t>(ended - sums.begin()) + 1;
  return std::min(next, sums.size() - 1);
}

void Sum(const Plan& plan, const std::vector<TaskId>& ops, std::vector<double>& sums) {
  double sum = 0;
  for (const TaskId op : ops) sums.push_back(sum += static_cast<double>(plan.Own(op)));
}

}  // namespace

std::size_t TrainingPass::BackwardOf(double forward_share) const {
  return FirstFrom(backward_ns, 1 - forward_share);
}

std::size_t TrainingPass::ForwardOf(double backward_share) const {
  return FirstFrom(forward_ns, 1 - backward_share);
}

std::vector<TrainingPass> FindPasses(const Plan& plan) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, TrainingPass> passes;
  for (const TaskId op : plan.KernelsInOrder()) {
    const WorkFact& fact = plan.facts()[op];
    if (fact.phase != Phase::kForward && fact.phase != Phase::kBackward) continue;
    if (IsCommunication(fact.kind.kernel_class)) continue;
    const std::uint32_t device = plan.graph().DeviceOf(op);
    TrainingPass& pass = passes[{device, fact.step}];
    pass.step = fact.step;
    pass.device = device;
    (fact.phase == Phase::kForward ? pass.forward : pass.backward).push_back(op);
  }
  std::vector<TrainingPass> whole;
  for (auto& [place, pass] : passes) {
    Sum(plan, pass.forward, pass.forward_ns);
    Sum(plan, pass.backward, pass.backward_ns);
    if (pass.forward.empty() || pass.backward.empty()) continue;
    if (pass.forward_ns.back() > 0 && pass.backward_ns.back() > 0) whole.push_back(std::move(pass));
  }
  return whole;
}

std::vector<LayerPiece> CutPass(const TrainingPass& pass, std::uint32_t pieces) {
  std::vector<LayerPiece> cut;
  LayerPiece open;
  for (std::size_t i = 0; i < pass.forward.size(); ++i) {
    const double wanted = static_cast<double>(cut.size() + 1) / std::max(1u, pieces);
    const bool is_last = i + 1 == pass.forward.size();
    if (!is_last && pass.ForwardEnd(i) < wanted - kSame) continue;
    open.forward_end = i + 1;
    open.backward_begin = pass.BackwardOf(pass.ForwardEnd(i));
    const double begin = open.forward_begin == 0 ? 0 : pass.ForwardEnd(open.forward_begin - 1);
    open.share = pass.ForwardEnd(i) - begin;
    cut.push_back(open);
    open = {};
    open.forward_begin = i + 1;
  }
  return cut;
}

}  // namespace xsp
