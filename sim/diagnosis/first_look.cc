#include "sim/diagnosis/first_look.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "model/duration.h"

namespace xsp {
namespace {

// The longest kernels, each once however many devices ran it.
std::vector<TopKernel> TopKernels(const std::vector<SummaryKernel>& kernels) {
  std::map<std::string_view, TopKernel> by_name;
  for (const SummaryKernel& row : kernels) {
    TopKernel& kernel = by_name[row.name];
    kernel.name = row.name;
    kernel.ns += row.total_ns;
    kernel.blocks = std::max(kernel.blocks, row.blocks);
    kernel.is_other = row.kernel_class == KernelClass::kOther;
  }
  std::vector<TopKernel> top;
  for (auto& [name, kernel] : by_name) top.push_back(std::move(kernel));
  std::stable_sort(top.begin(), top.end(),
                   [](const TopKernel& a, const TopKernel& b) { return a.ns > b.ns; });
  return top;
}

}  // namespace

DurationNs FirstLook::WorkSum() const {
  DurationNs sum = 0;
  for (const WorkRow& row : work) sum += row.ns;
  return sum;
}

DurationNs FirstLook::SumOf(WorkKind kind) const {
  DurationNs sum = 0;
  for (const WorkRow& row : work) sum += row.kind == kind ? row.ns : 0;
  return sum;
}

double FirstLook::IdleShare() const { return ShareOf(idle, length); }

double FirstLook::WorkShare(WorkKind kind) const { return ShareOf(SumOf(kind), WorkSum()); }

double FirstLook::CollectiveShare() const {
  return WorkShare(WorkKind::kTransfer) + WorkShare(WorkKind::kWaiting) +
         WorkShare(WorkKind::kCollectives);
}

std::vector<std::pair<IdleCause, DurationNs>> CausesOf(const IdleReport& idle) {
  std::vector<std::pair<IdleCause, DurationNs>> causes;
  for (std::size_t i = 0; i < kIdleCauseCount; ++i) {
    DurationNs ns = 0;
    for (const DeviceIdle& device : idle.devices) ns += device.causes[i].ns;
    if (ns > 0) causes.emplace_back(static_cast<IdleCause>(i), ns);
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return causes;
}

FirstLook LookAt(const IdleReport& idle, const std::vector<DeviceWork>& work) {
  FirstLook look;
  look.devices = idle.devices.size();
  for (const DeviceIdle& device : idle.devices) {
    look.busy += device.busy;
    look.idle += device.idle;
  }
  look.length = look.busy + look.idle;
  look.causes = CausesOf(idle);
  for (const DeviceWork& device : work) {
    for (const WorkRow& row : device.rows) {
      look.operations += row.count;
      auto it = std::find_if(look.work.begin(), look.work.end(),
                             [&](const WorkRow& sum) { return sum.what == row.what; });
      if (it == look.work.end()) {
        look.work.push_back(row);
        continue;
      }
      it->ns += row.ns;
      it->count += row.count;
      it->bytes += row.bytes;
    }
  }
  std::stable_sort(look.work.begin(), look.work.end(),
                   [](const WorkRow& a, const WorkRow& b) { return a.ns > b.ns; });
  return look;
}

FirstLook LookAt(const Summary& summary) {
  FirstLook look = LookAt(summary.idle, summary.work);
  look.is_step = summary.unit.is_step;
  look.program = summary.program.value_or(0);
  look.kernels = TopKernels(summary.kernels);
  look.multiprocessors = summary.multiprocessors;
  return look;
}

bool IsTiny(const FirstLook& look) {
  return !look.is_step && look.busy < 1'000'000 && look.busy * 1000 < look.program;
}

}  // namespace xsp
