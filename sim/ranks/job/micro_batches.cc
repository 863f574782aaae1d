#include "sim/ranks/job/micro_batches.h"

#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

namespace xsp {

double MicroBatchLink(const JobOperations& job, const OperationColumns& columns) {
  if (columns.micro_batch.empty()) return 0;
  using Batch = std::tuple<std::uint32_t, WorkerRow, std::int64_t>;
  std::map<Batch, std::array<double, 2>> passes;
  std::vector<std::array<double, 4>> sums(job.workers.size(), {0, 0, 0, 0});
  for (OpRow op = 0; op < job.size(); ++op) {
    const OpRole role = columns.types[job.type[op]].role;
    if (role != OpRole::kForward && role != OpRole::kBackward) continue;
    const std::size_t place = role == OpRole::kForward ? 0 : 1;
    const auto took = static_cast<double>(job.duration[op]);
    passes[{job.step[op], job.worker[op], columns.micro_batch[op]}][place] += took;
    sums[job.worker[op]][place] += took;
    ++sums[job.worker[op]][2 + place];
  }
  double xx = 0, yy = 0, xy = 0;
  for (const auto& [batch, took] : passes) {
    const std::array<double, 4>& sum = sums[std::get<1>(batch)];
    if (took[0] == 0 || took[1] == 0 || sum[2] == 0 || sum[3] == 0) continue;
    const double x = took[0] / (sum[0] / sum[2]) - 1, y = took[1] / (sum[1] / sum[3]) - 1;
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace xsp
