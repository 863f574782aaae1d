#include "importers/nsys/tables/nvtx_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "importers/operators/nvtx_payload.h"

namespace xsp {
namespace {

// A domain keeps the name under which it was first made. Categories and threads can be renamed:
// their last name counts.
void SetNames(TraceBuilder& builder, std::vector<NsysNvtxRows::Name> names) {
  using Naming = NsysNvtxRows::Naming;
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.time, a.row) < std::tuple(b.time, b.row);
  });
  std::map<std::pair<DomainId, std::uint32_t>, StringId> categories;
  for (const NsysNvtxRows::Name& name : names) {
    if (name.what == Naming::kDomain) {
      NvtxDomain& domain = builder.domain(name.domain);
      if (!domain.name.valid()) domain.name = name.name;
    } else if (name.what == Naming::kThread) {
      builder.track(name.thread).name = name.name;
    } else {
      categories[{name.domain, name.category}] = name.name;
    }
  }
  for (const auto& [key, name] : categories) builder.AddCategory({key.first, key.second, name});
}

// Collects what payloads say of collectives.
class CollectiveFinder {
 public:
  explicit CollectiveFinder(TraceBuilder& builder) : builder_(builder) {}

  void Look(const NsysNvtxRows::Part& part) {
    for (std::size_t i = 0; i < part.details.json.size(); ++i) {
      if (!part.details.json[i].valid()) continue;
      const std::optional<CollectiveFacts>& facts = FactsOf(part.details.json[i]);
      if (!facts) continue;
      processes_.push_back(builder_.track(part.events.track[i]).process);
      Collectives::Row row;
      row.event = EventId(part.details.source_row[i]);
      row.communicator = facts->communicator;
      row.bytes = facts->bytes;
      row.ranks = facts->ranks;
      row.rank = facts->rank;
      row.peer = facts->peer;
      rows_.Add(row);
    }
  }

  // A communicator says its size and this rank only when it is made: later operations of the same
  // process on it get both from there.
  Collectives Complete() {
    std::map<std::pair<ProcessId, std::uint64_t>, std::pair<std::uint32_t, std::uint32_t>> made;
    for (std::size_t i = 0; i < rows_.event.size(); ++i) {
      if (rows_.ranks[i] == kMissing<std::uint32_t>) continue;
      made.try_emplace({processes_[i], rows_.communicator[i]}, rows_.ranks[i], rows_.rank[i]);
    }
    for (std::size_t i = 0; i < rows_.event.size(); ++i) {
      auto it = made.find({processes_[i], rows_.communicator[i]});
      if (it == made.end() || rows_.ranks[i] != kMissing<std::uint32_t>) continue;
      std::tie(rows_.ranks[i], rows_.rank[i]) = it->second;
    }
    return std::move(rows_);
  }

 private:
  const std::optional<CollectiveFacts>& FactsOf(StringId json) {
    auto [it, is_new] = facts_.try_emplace(json);
    if (is_new) it->second = FindCollective(builder_.text(json));
    return it->second;
  }

  TraceBuilder& builder_;
  std::unordered_map<StringId, std::optional<CollectiveFacts>> facts_;
  std::vector<ProcessId> processes_;
  Collectives rows_;
};

}  // namespace

void NsysNvtxRows::Part::Append(Part part) {
  const auto before = static_cast<std::uint32_t>(events.begin.size());
  for (std::uint32_t row : part.open) open.push_back(before + row);
  AppendRows(events, part.events);
  AppendRows(details, part.details);
}

void NsysNvtxRows::Append(Run run, std::size_t most_rows) {
  if (!all_.any) {
    all_.order = run.order;
    ReserveRows(all_.parts[0].events, most_rows);
    ReserveRows(all_.parts[0].details, most_rows);
  }
  if (run.any) all_.latest = all_.any ? std::max(all_.latest, run.latest) : run.latest;
  all_.any |= run.any;
  for (std::size_t i = 0; i < kKinds.size(); ++i) all_.parts[i].Append(std::move(run.parts[i]));
  all_.names.insert(all_.names.end(), run.names.begin(), run.names.end());
}

void NsysNvtxRows::Close(TraceBuilder& builder, std::string_view table) {
  CollectiveFinder collectives(builder);
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    Part& part = all_.parts[i];
    for (std::uint32_t row : part.open) {
      part.events.end[row] = std::max(part.events.begin[row], all_.latest);
    }
    collectives.Look(part);
    builder.Add(kKinds[i], all_.order, table, std::move(part.events), std::move(part.details));
  }
  builder.AddCollectives(collectives.Complete());
  SetNames(builder, std::exchange(all_.names, {}));
}

}  // namespace xsp
