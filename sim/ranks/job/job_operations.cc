#include "sim/ranks/job/job_operations.h"

#include <algorithm>

namespace xsp {

RowLists RowLists::Of(std::size_t lists,
                      const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  RowLists result;
  result.first.assign(lists + 1, 0);
  result.rows.resize(pairs.size());
  for (const auto& [list, row] : pairs) ++result.first[list + 1];
  for (std::size_t list = 0; list < lists; ++list) result.first[list + 1] += result.first[list];
  std::vector<std::uint32_t> next(result.first.begin(), result.first.end() - 1);
  for (const auto& [list, row] : pairs) result.rows[next[list]++] = row;
  return result;
}

std::vector<TimeNs> LastArrivals(const JobOperations& job) {
  std::vector<TimeNs> last(job.members.size(), std::numeric_limits<TimeNs>::min());
  for (OpRow op = 0; op < job.size(); ++op) {
    if (job.joint[op] == kNoJoint) continue;
    last[job.joint[op]] = std::max(last[job.joint[op]], job.begin[op]);
  }
  return last;
}

std::vector<DurationNs> OwnTimes(const JobOperations& job) {
  const std::vector<TimeNs> last = LastArrivals(job);
  std::vector<DurationNs> own = job.duration;
  for (OpRow op = 0; op < job.size(); ++op) {
    if (job.joint[op] == kNoJoint) continue;
    own[op] = std::clamp<DurationNs>(job.End(op) - last[job.joint[op]], 0, job.duration[op]);
  }
  return own;
}

}  // namespace xsp
