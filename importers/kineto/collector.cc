#include "importers/kineto/collector.h"

#include <algorithm>
#include <limits>

#include "importers/kineto/inputs.h"
#include "importers/kineto/places.h"
#include "importers/kineto/text.h"
#include "importers/operators/operator_text.h"

namespace xsp {
namespace {

// What a category of events becomes. Names changed with the years; what AMD, Intel and others
// record goes by the same ones with other prefixes.
enum class Category : std::uint8_t {
  kUnused,
  kKernel,
  kCopy,
  kMemset,
  kRuntime,
  kDriver,
  kSync,
  kOperator,
  kAnnotation,
  kPython,
  kOverhead,
  kDeviceAnnotation,
  kSpan,
};

struct CategoryName {
  std::string_view name;
  Category category;
};
constexpr CategoryName kCategories[] = {
    {"cpu_op", Category::kOperator},
    {"Operator", Category::kOperator},
    {"python_function", Category::kPython},
    {"kernel", Category::kKernel},
    {"Kernel", Category::kKernel},
    {"cuda_runtime", Category::kRuntime},
    {"Runtime", Category::kRuntime},
    {"cuda_driver", Category::kDriver},
    {"gpu_memcpy", Category::kCopy},
    {"Memcpy", Category::kCopy},
    {"gpu_memset", Category::kMemset},
    {"Memset", Category::kMemset},
    {"cuda_sync", Category::kSync},
    {"user_annotation", Category::kAnnotation},
    {"gpu_user_annotation", Category::kDeviceAnnotation},
    {"overhead", Category::kOverhead},
    {"Trace", Category::kSpan},
    {"hip_runtime", Category::kRuntime},
    {"hip_driver", Category::kDriver},
    {"xpu_runtime", Category::kRuntime},
    {"xpu_driver", Category::kDriver},
    {"mtia_runtime", Category::kRuntime},
    {"privateuse1_runtime", Category::kRuntime},
    {"privateuse1_driver", Category::kDriver},
};

Category CategoryOf(std::string_view name) {
  for (const CategoryName& known : kCategories) {
    if (known.name == name) return known.category;
  }
  return Category::kUnused;
}

constexpr std::string_view kModulePrefix = "nn.Module: ";

// The "Rank" of these is their root's.
bool HasRoot(std::string_view collective) {
  constexpr std::string_view kRooted[] = {"broadcast",   "_broadcast_oop", "reduce",
                                          "_reduce_oop", "gather",         "scatter"};
  return std::find(std::begin(kRooted), std::end(kRooted), collective) != std::end(kRooted);
}

// Old files have no category for what users wrote.
bool IsAnnotation(std::string_view name) {
  return name.starts_with("ProfilerStep#") || name.starts_with("enumerate(DataLoader)") ||
         name.starts_with("Optimizer.") || name.starts_with("DistributedDataParallel.");
}

}  // namespace

TrackId KinetoRows::PlaceOf(const KinetoTrack& track) {
  if (last_.second < tracks.size() && last_.first == track) return TrackId(last_.second);
  const auto [it, is_new] = place_of_.try_emplace(track, static_cast<std::uint32_t>(tracks.size()));
  if (is_new) tracks.push_back(track);
  last_ = {track, it->second};
  return TrackId(it->second);
}

void KinetoTally::Add(std::string_view table) {
  if (last_ >= counts_.size() || counts_[last_].first != table) {
    const auto it = std::find_if(counts_.begin(), counts_.end(),
                                 [&](const auto& entry) { return entry.first == table; });
    last_ = static_cast<std::size_t>(it - counts_.begin());
    if (it == counts_.end()) counts_.emplace_back(table, 0);
  }
  ++counts_[last_].second;
}

StringId KinetoTexts::Intern(std::string_view text) {
  if (const auto it = known_.find(text); it != known_.end()) return it->second;
  const auto [id, view] = builder_.InternView(text);
  known_.emplace(view, id);
  return id;
}

StringId KinetoCollector::InternOrNone(std::string_view text) {
  return text.empty() ? StringId() : texts_.Intern(text);
}

KinetoRows KinetoCollector::Take() {
  for (const auto& [table, count] : kept_.counts()) rows_.log.AddKept(table, count);
  for (const auto& [table, count] : halves_.counts()) {
    rows_.log.AddIssue(table, ImportReason::kPseudoRow, "a row of " + table, count);
  }
  kept_.Clear();
  halves_.Clear();
  KinetoRows done = std::move(rows_);
  rows_ = KinetoRows();
  return done;
}

void KinetoCollector::NoteDamage(const std::string& sample) {
  rows_.log.AddIssue("traceEvents", ImportReason::kDamaged, sample);
}

void KinetoCollector::Add(const KinetoEvent& event) {
  table_ = event.category.empty() ? "traceEvents" : event.category;
  switch (event.phase) {
    case 'X':
      AddComplete(event);
      break;
    case 'i':
    case 'I':
      AddInstant(event);
      break;
    case 's':
    case 'f':
      AddFlow(event);
      break;
    case 'M':
      AddName(event);
      break;
    default:
      Unused(event);
  }
  ++rows_.events;
}

void KinetoCollector::AddComplete(const KinetoEvent& event) {
  switch (CategoryOf(event.category)) {
    case Category::kKernel:
      AddKernel(event);
      return NoteLoose(event, EventKind::kKernel, rows_.kernels.events);
    case Category::kCopy:
      AddCopy(event);
      return NoteLoose(event, EventKind::kMemcpy, rows_.copies.events);
    case Category::kMemset:
      AddMemset(event);
      return NoteLoose(event, EventKind::kMemset, rows_.memsets.events);
    case Category::kRuntime:
    case Category::kDriver:
      AddCall(event);
      return NoteLoose(event, EventKind::kApi, rows_.calls.events);
    case Category::kSync:
      return AddSync(event);
    case Category::kOperator:
      if (!IsAnnotation(event.name)) return AddOperator(event);
      AddRange(event, KinetoDomain::kUser);
      return;
    case Category::kAnnotation:
      if (IsTorchOperation(event.name)) return AddOperator(event);
      return AddAnnotation(event);
    case Category::kPython:
      if (event.name.starts_with(kModulePrefix)) return AddModule(event);
      AddRange(event, KinetoDomain::kPython);
      return;
    case Category::kOverhead:
      return AddOverhead(event);
    case Category::kDeviceAnnotation:
      // The image of a range on the GPU's row: the range itself is in the file as well.
      return halves_.Add(table_);
    case Category::kSpan:
      if (event.duration > rows_.session.value_or(0)) rows_.session = event.duration;
      return Unused(event);
    case Category::kUnused:
      return Unused(event);
  }
}

void KinetoCollector::NoteLoose(const KinetoEvent& event, EventKind kind, const Events& events) {
  const bool was_kept = !events.begin.empty() && events.begin.back() == event.begin;
  if (Correlation(event.correlation) != 0 || !was_kept) return;
  const bool launches = event.name.find("Launch") != event.name.npos ||
                        event.name.find("Memcpy") != event.name.npos ||
                        event.name.find("Memset") != event.name.npos;
  rows_.loose.push_back(
      {kind, static_cast<std::uint32_t>(events.begin.size() - 1), event.external_id, launches});
}

void KinetoCollector::Unused(const KinetoEvent& event) {
  ++rows_
        .unused[std::string(event.category.empty() ? "events without a category" : event.category)];
}

std::optional<Events::Row> KinetoCollector::Place(const KinetoEvent& event, TrackId track,
                                                  StringId name) {
  // Times that differ by more than a clock can count have no distance.
  constexpr TimeNs kFarthest = std::numeric_limits<TimeNs>::max() / 2;
  if (event.begin == kAbsent || event.begin < -kFarthest || event.begin > kFarthest) {
    rows_.log.AddIssue(table_, ImportReason::kNoBegin, std::string(event.name));
    return {};
  }
  const DurationNs duration = event.duration == kAbsent ? 0 : event.duration;
  const bool is_odd = duration < 0 || event.begin > kFarthest - duration;
  if (is_odd) {
    rows_.log.AddIssue(table_, ImportReason::kBadEnd,
                       std::string(event.name) + ", dur " + std::to_string(duration) + " ns");
  }
  kept_.Add(table_);
  Events::Row row;
  row.begin = event.begin;
  row.end = is_odd ? event.begin : event.begin + duration;
  row.track = track;
  row.name = name;
  row.correlation = Correlation(event.correlation);
  row.flags = is_odd ? kBadEnd : 0;
  return row;
}

bool KinetoCollector::AddRange(const KinetoEvent& event, KinetoDomain domain) {
  const auto place = Place(event, rows_.PlaceOf(ThreadOf(event)), texts_.Intern(event.name));
  if (!place) return false;
  Nvtx::Row range;
  range.domain = DomainId(static_cast<std::size_t>(domain));
  range.source_row = rows_.events;
  (event.phase == 'X' ? rows_.ranges : rows_.marks).Add(*place, range);
  return true;
}

void KinetoCollector::AddOperator(const KinetoEvent& event) {
  if (!AddRange(event, KinetoDomain::kOperators)) return;
  const bool has_forward = event.forward_thread > 0;
  if (has_forward) {
    rows_.forward_threads.emplace_back(static_cast<std::uint32_t>(rows_.operators.event.size()),
                                       event.forward_thread);
  }
  Operators::Row op;
  op.event = EventId(rows_.events);
  op.name = rows_.ranges.events.name.back();
  op.is_backward = has_forward || IsBackwardName(event.name) ? 1 : 0;
  if (event.sequence >= 0) op.sequence = event.sequence;
  op.id = Large(event.external_id);
  op.signature = SignatureOf(event.input_sizes, event.input_types);
  op.module = InternOrNone(event.module);
  rows_.operators.Add(op);
  if (!event.collective.empty()) AddCollective(event);
}

// A user's range; what names a module is a layer, as the texts of NVTX ranges are.
void KinetoCollector::AddAnnotation(const KinetoEvent& event) {
  if (!AddRange(event, KinetoDomain::kUser) || event.phase != 'X') return;
  const auto [it, is_new] = module_of_text_.try_emplace(rows_.ranges.events.name.back());
  if (is_new) {
    if (const std::optional<OperatorText> parsed = ParseModuleText(event.name)) {
      it->second.name = texts_.Intern(parsed->module);
      it->second.signature = SignatureOf(parsed->inputs, {});
    }
  }
  if (!it->second.name.valid()) return;
  Operators::Row module;
  module.event = EventId(rows_.events);
  module.name = module.module = it->second.name;
  module.role = OperatorRole::kModule;
  module.signature = it->second.signature;
  rows_.operators.Add(module);
}

// "nn.Module: Linear_3".
void KinetoCollector::AddModule(const KinetoEvent& event) {
  if (!AddRange(event, KinetoDomain::kPython)) return;
  Operators::Row module;
  module.event = EventId(rows_.events);
  module.name = texts_.Intern(event.name.substr(kModulePrefix.size()));
  module.role = OperatorRole::kModule;
  module.id = Large(event.python_module);
  rows_.operators.Add(module);
}

void KinetoCollector::AddCollective(const KinetoEvent& event) {
  Collectives::Row row;
  row.event = EventId(rows_.events);
  row.bytes = MessageBytes(event);
  row.ranks = Small(event.group_size);
  const bool is_message = event.collective == "send" || event.collective == "recv";
  if (is_message) {
    // By the group's numbers, where those are told; the others are the job's.
    const std::int64_t peer = event.collective == "send" ? event.target_rank : event.source_rank;
    row.peer = Small(event.rank >= 0 ? event.rank : peer);
  } else if (!HasRoot(event.collective)) {
    row.rank = Small(event.rank);
  }
  row.operation = InternOrNone(event.collective);
  row.group = InternOrNone(event.group_name);
  row.type = InternOrNone(event.element_type);
  row.sequence = Large(event.collective_sequence);
  rows_.collectives.Add(row);
}

void KinetoCollector::AddInstant(const KinetoEvent& event) {
  if (event.name == "[memory]") return AddMemory(event);
  // "Iteration Start: ..." and "Record Window End" belong to no process.
  if (event.process.number == kAbsent) return Unused(event);
  AddRange(event, KinetoDomain::kUser);
}

void KinetoCollector::AddFlow(const KinetoEvent& event) {
  const bool is_whole = event.flow != kAbsent && event.begin != kAbsent;
  if (event.category != "fwdbwd" || !is_whole) {
    // From a call to its work: both carry the same correlation id, unless one is loose. An arrow
    // stands behind its row, so only the first of a piece may belong to a row before it.
    constexpr std::size_t kAtSeam = 2;
    if (is_whole && (!rows_.loose.empty() || rows_.launch_ends.size() < kAtSeam)) {
      rows_.launch_ends.push_back({event.flow, event.phase == 's', NumberOf(event.process),
                                   NumberOf(event.thread), event.begin});
    }
    return halves_.Add(table_);
  }
  kept_.Add(table_);
  auto& ends = event.phase == 's' ? rows_.forward_ends : rows_.backward_ends;
  ends.push_back({event.flow, rows_.PlaceOf(ThreadOf(event)).value, event.begin});
}

void KinetoCollector::AddName(const KinetoEvent& event) {
  table_ = "names";
  kept_.Add(table_);
  const bool of_thread = event.name == "thread_name";
  if ((!of_thread && event.name != "process_name") || event.given_name.empty()) return;
  KinetoTrack track = ThreadOf(event);
  if (!of_thread) track = {.kind = TrackKind::kProcess, .process = track.process};
  rows_.names.push_back({track, texts_.Intern(BareThreadName(event.given_name))});
}

SignatureId KinetoCollector::SignatureOf(std::string_view sizes, std::string_view element_types) {
  if (sizes.empty() && element_types.empty()) return {};
  signature_key_.assign(sizes);
  signature_key_ += '\n';
  signature_key_ += element_types;
  if (const auto it = signatures_.find(signature_key_); it != signatures_.end()) return it->second;
  // Texts first: the builder has a lock of its own.
  const std::vector<KinetoInput> inputs = ReadKinetoInputs(sizes, element_types);
  std::vector<StringId> types;
  for (const KinetoInput& input : inputs) types.push_back(InternOrNone(input.type));
  std::lock_guard lock(shared_.mutex);
  SignatureId id;
  if (!shared_.signatures.Find(signature_key_, &id)) {
    shared_.signatures.Begin(signature_key_);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      shared_.signatures.Add(inputs[i].operand, inputs[i].element, types[i], inputs[i].sizes);
    }
    id = shared_.signatures.End();
  }
  signatures_.emplace(signature_key_, id);
  return id;
}

}  // namespace xsp
