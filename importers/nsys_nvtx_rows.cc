#include "importers/nsys_nvtx_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

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

}  // namespace

void NsysNvtxRows::Add(Run run) {
  std::lock_guard lock(mutex_);
  runs_.push_back(std::move(run));
}

void NsysNvtxRows::Close(TraceBuilder& builder, std::string_view table) {
  TimeNs latest = 0;
  bool any = false;
  for (const Run& run : runs_) {
    if (run.any) latest = any ? std::max(latest, run.latest) : run.latest;
    any |= run.any;
  }
  std::vector<Name> names;
  for (Run& run : runs_) {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      Part& part = run.parts[i];
      for (std::uint32_t row : part.open) {
        part.events.end[row] = std::max(part.events.begin[row], latest);
      }
      builder.Add(kKinds[i], run.order, table, std::move(part.events), std::move(part.details));
    }
    names.insert(names.end(), run.names.begin(), run.names.end());
    builder.AddCollectives(run.collectives);
  }
  runs_.clear();
  SetNames(builder, std::move(names));
}

}  // namespace xsp
