#include "sim/ranks/collective_rows.h"

#include <algorithm>
#include <map>

namespace xsp {

std::vector<CollectiveRow> CollectivesByType(const JobOperations& job) {
  const std::vector<DurationNs> own = OwnTimes(job);
  std::map<std::string, CollectiveRow> rows;
  std::map<std::string, std::uint64_t> parts;
  std::vector<bool> is_counted(job.members.size(), false);
  for (OpRow op = 0; op < job.size(); ++op) {
    if (!job.IsCommunication(op)) continue;
    const std::string& name = job.types[job.type[op]].shown;
    CollectiveRow& row = rows[name];
    row.operation = name;
    ++parts[name];
    row.ns += static_cast<double>(job.duration[op]);
    row.transfer_ns += static_cast<double>(own[op]);
    const JointRow joint = job.joint[op];
    if (joint == kNoJoint) {
      ++row.unmatched;
      ++row.count;
    } else if (!is_counted[joint]) {
      is_counted[joint] = true;
      ++row.count;
    }
  }
  std::vector<CollectiveRow> sorted;
  for (auto& [name, row] : rows) {
    const auto n = static_cast<double>(parts[name]);
    row.ns /= n;
    row.transfer_ns /= n;
    row.waiting_ns = row.ns - row.transfer_ns;
    sorted.push_back(row);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
    return a.ns * static_cast<double>(parts[a.operation]) >
           b.ns * static_cast<double>(parts[b.operation]);
  });
  return sorted;
}

}  // namespace xsp
