#include <algorithm>
#include <limits>
#include <string>

#include "hierarchy/hierarchy.h"
#include "hierarchy/placing/hierarchy_builder.h"
#include "model/names/call_names.h"

// Names for what the trace does not name, and small facts about all nodes.
namespace xsp {
namespace {

constexpr std::array<std::string_view, 14> kDirections = {"unknown", "HtoD", "DtoH", "HtoA", "AtoH",
                                                          "AtoA",    "AtoD", "DtoA", "DtoD", "HtoH",
                                                          "PtoP",    "HtoD", "DtoH", "DtoD"};

// Places in Hierarchy::work_names_: copies, then migrations, by direction; then the rest.
constexpr std::size_t kMigrations = 16, kMemset = 32, kGraph = 33, kKernel = 34;

}  // namespace

void HierarchyBuilder::InternNames() {
  for (std::string_view name : {"[unattributed]", "step"}) h_.names_.Intern(name);
  for (std::size_t i = 0; i < kKernelClassCount; ++i) {
    h_.class_names_[i] = h_.names_.Intern(NameOf(static_cast<KernelClass>(i)));
  }
  auto& names = h_.work_names_;
  for (std::size_t i = 0; i < kDirections.size(); ++i) {
    const std::string direction(kDirections[i]);
    names[i] = h_.names_.Intern("[CUDA memcpy " + direction + "]");
    names[kMigrations + i] = h_.names_.Intern("[CUDA migration " + direction + "]");
  }
  names[kMemset] = h_.names_.Intern("[CUDA memset]");
  names[kGraph] = h_.names_.Intern("[CUDA graph]");
  names[kKernel] = h_.names_.Intern("[unnamed kernel]");
  for (EventId call : trace_.OfKind(EventKind::kApi)) {
    const auto [it, is_new] = h_.call_names_.try_emplace(trace_.name_of(call));
    if (is_new) it->second = h_.names_.Intern(CallName(trace_.name(call)));
  }
  for (const Track& track : trace_.tracks()) {
    if (!track.process.valid()) continue;
    const Process& process = trace_.process(track.process);
    std::string name(trace_.strings().Get(process.name, "process"));
    name += " [" + std::to_string(process.pid) + "]";
    if (track.device != kMissing<std::uint32_t>) name += " GPU " + std::to_string(track.device);
    NameId& id = h_.rank_names_[{track.process, track.device}];
    if (!id.valid()) id = h_.names_.Intern(name);
  }
}

NameId Hierarchy::NameOfWork(EventId work) const {
  const EventKind kind = trace_->KindOf(work);
  switch (kind) {
    case EventKind::kKernel: {
      const StringId name = trace_->name_of(work);
      return name.valid() ? names_.OfString(name) : work_names_[kKernel];
    }
    case EventKind::kMemcpy:
    case EventKind::kMigration: {
      auto direction =
          static_cast<std::size_t>(trace_->copies().copy_kind[trace_->Row(work, kind)]);
      if (direction >= kDirections.size()) direction = 0;
      return work_names_[direction + (kind == EventKind::kMigration ? kMigrations : 0)];
    }
    case EventKind::kMemset:
      return work_names_[kMemset];
    default:
      return work_names_[kGraph];
  }
}

NameId Hierarchy::NameOfCall(EventId call) const { return call_names_.at(trace_->name_of(call)); }

NameId Hierarchy::NameOfRank(ProcessId process, std::uint32_t device) const {
  auto it = rank_names_.find({process, device});
  return it == rank_names_.end() ? nodes_.name[NodeOfProcess(process).value] : it->second;
}

std::uint32_t Hierarchy::StepOfNode(NodeId step_node) const {
  auto it = step_of_node_.find(step_node);
  return it == step_of_node_.end() ? Steps::kOutside : it->second;
}

std::vector<TimeNs> Hierarchy::LastDeviceEnds() const {
  std::vector<TimeNs> ends(nodes_.size(), std::numeric_limits<TimeNs>::min());
  for (EventId work : trace_->DeviceWork()) {
    TimeNs& end = ends[NodeOfWork(work).value];
    end = std::max(end, trace_->end(work));
  }
  const std::vector<NodeId> order = TopDown();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const NodeId parent = nodes_.parent[it->value];
    if (parent.valid()) ends[parent.value] = std::max(ends[parent.value], ends[it->value]);
  }
  return ends;
}

}  // namespace xsp
