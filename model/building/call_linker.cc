#include "model/building/call_linker.h"

#include <algorithm>
#include <utility>

namespace xsp {
namespace {

constexpr std::uint32_t kNone = Id<struct CallTag>::kNone;

// Ids that leave more than this many free places per call are kept in a hash table.
constexpr std::uint64_t kMaxPlacesPerCall = 16;

}  // namespace

CallLinker::Index CallLinker::MakeIndex(const Events& calls,
                                        const std::vector<std::uint32_t>& rows) {
  Index index;
  if (rows.empty()) return index;
  auto [lowest, highest] = std::minmax_element(rows.begin(), rows.end(), [&](auto a, auto b) {
    return calls.correlation[a] < calls.correlation[b];
  });
  index.lowest = calls.correlation[*lowest];
  const std::uint64_t places = std::uint64_t{calls.correlation[*highest]} - index.lowest + 1;
  if (places <= kMaxPlacesPerCall * rows.size() + 1024) index.dense.assign(places, kNone);
  return index;
}

std::uint32_t* CallLinker::Slot(Index& index, std::uint32_t correlation) {
  if (!index.dense.empty()) return &index.dense[correlation - index.lowest];
  return &index.sparse.try_emplace(correlation, kNone).first->second;
}

CallLinker::CallLinker(const Events& calls, const std::vector<ProcessId>& process_of_call)
    : calls_(calls) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::uint32_t row = 0; row < process_of_call.size(); ++row) {
    const std::uint32_t process = process_of_call[row].value;
    if (calls.correlation[row] == 0 || process == ProcessId::kNone) continue;
    if (process >= rows.size()) rows.resize(process + 1);
    rows[process].push_back(row);
  }
  for (const auto& process_rows : rows) {
    Index& index = by_process_.emplace_back(MakeIndex(calls, process_rows));
    for (std::uint32_t row : process_rows) {
      std::uint32_t* slot = Slot(index, calls.correlation[row]);
      if (*slot != kNone) {
        auto rows_of_id = reused_.extract(*slot);  // The list moves on to its new last row.
        if (rows_of_id.empty()) {
          reused_[row] = {*slot, row};
        } else {
          rows_of_id.key() = row;
          rows_of_id.mapped().push_back(row);
          reused_.insert(std::move(rows_of_id));
        }
      }
      *slot = row;
    }
  }
}

std::uint32_t CallLinker::Last(ProcessId process, std::uint32_t correlation) const {
  if (correlation == 0 || !process.valid() || process.value >= by_process_.size()) return kNone;
  const Index& index = by_process_[process.value];
  if (!index.dense.empty()) {
    const std::uint64_t place = std::uint64_t{correlation} - index.lowest;
    return place < index.dense.size() ? index.dense[place] : kNone;
  }
  auto it = index.sparse.find(correlation);
  return it == index.sparse.end() ? kNone : it->second;
}

CallLinker::Link CallLinker::Find(ProcessId process, std::uint32_t correlation,
                                  TimeNs work_begin) const {
  Link link{Last(process, correlation), false};
  if (!link.found()) return link;
  const auto reused = reused_.find(link.row);
  if (reused == reused_.end()) return link;
  // Rows of calls are in order of begin. Work from before all of them goes to the first.
  const std::vector<std::uint32_t>& rows = reused->second;
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), work_begin,
                       [&](TimeNs time, std::uint32_t row) { return time < calls_.begin[row]; });
  return {after == rows.begin() ? rows.front() : *(after - 1), true};
}

}  // namespace xsp
