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
      return IsAnnotation(event.name) ? AddRange(event, KinetoDomain::kUser) : AddOperator(event);
    case Category::kAnnotation:
      return IsTorchOperation(event.name) ? AddOperator(event)
                                          : AddRange(event, KinetoDomain::kUser);
    case Category::kPython:
      return event.name.starts_with(kModulePrefix) ? AddModule(event)
                                                   : AddRange(event, KinetoDomain::kPython);
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

bool KinetoCollector::AddTimes(const KinetoEvent& event, TrackId track, StringId name,
                               Events& events) {
  // Times that differ by more than a clock can count have no distance.
  constexpr TimeNs kFarthest = std::numeric_limits<TimeNs>::max() / 2;
  if (event.begin == kAbsent || event.begin < -kFarthest || event.begin > kFarthest) {
    rows_.log.AddIssue(table_, ImportReason::kNoBegin, std::string(event.name));
    return false;
  }
  const DurationNs duration = event.duration == kAbsent ? 0 : event.duration;
  const bool is_odd = duration < 0 || event.begin > kFarthest - duration;
  if (is_odd) {
    rows_.log.AddIssue(table_, ImportReason::kBadEnd,
                       std::string(event.name) + ", dur " + std::to_string(duration) + " ns");
  }
  kept_.Add(table_);
  events.begin.push_back(event.begin);
  events.end.push_back(is_odd ? event.begin : event.begin + duration);
  events.track.push_back(track);
  events.name.push_back(name);
  events.correlation.push_back(Correlation(event.correlation));
  events.flags.push_back(is_odd ? kBadEnd : 0);
  return true;
}

void KinetoCollector::AddRange(const KinetoEvent& event, KinetoDomain domain) {
  const TrackId track = rows_.PlaceOf(ThreadOf(event));
  const bool is_mark = event.phase != 'X';
  auto& part = is_mark ? rows_.marks : rows_.ranges;
  if (!AddTimes(event, track, texts_.Intern(event.name), part.events)) return;
  Nvtx& n = part.details;
  n.domain.emplace_back(static_cast<std::size_t>(domain));
  n.category.push_back(kNone32);
  n.color.push_back(kNone32);
  n.range.push_back(kNone64);
  n.end_thread.emplace_back();
  n.payload_type.push_back(PayloadType::kNone);
  n.payload.push_back(0);
  n.json.emplace_back();
  n.source_row.push_back(rows_.events);
}

void KinetoCollector::AddOperator(const KinetoEvent& event) {
  const std::size_t before = rows_.ranges.events.begin.size();
  AddRange(event, KinetoDomain::kOperators);
  if (rows_.ranges.events.begin.size() == before) return;
  Operators& o = rows_.operators;
  const bool has_forward = event.forward_thread > 0;
  if (has_forward) {
    rows_.forward_threads.emplace_back(static_cast<std::uint32_t>(o.event.size()),
                                       event.forward_thread);
  }
  o.event.emplace_back(rows_.events);
  o.name.push_back(rows_.ranges.events.name.back());
  o.role.push_back(OperatorRole::kOperation);
  o.is_backward.push_back(has_forward || IsBackwardName(event.name) ? 1 : 0);
  o.sequence.push_back(event.sequence < 0 ? kMissing<std::int64_t> : event.sequence);
  o.id.push_back(Large(event.external_id));
  o.signature.push_back(SignatureOf(event));
  o.module.push_back(InternOrNone(event.module));
  o.forward_thread.emplace_back();
  if (!event.collective.empty()) AddCollective(event);
}

// "nn.Module: Linear_3".
void KinetoCollector::AddModule(const KinetoEvent& event) {
  const std::size_t before = rows_.ranges.events.begin.size();
  AddRange(event, KinetoDomain::kPython);
  if (rows_.ranges.events.begin.size() == before) return;
  Operators& o = rows_.operators;
  o.event.emplace_back(rows_.events);
  o.name.push_back(texts_.Intern(event.name.substr(kModulePrefix.size())));
  o.role.push_back(OperatorRole::kModule);
  o.is_backward.push_back(0);
  o.sequence.push_back(kMissing<std::int64_t>);
  o.id.push_back(Large(event.python_module));
  o.signature.emplace_back();
  o.module.emplace_back();
  o.forward_thread.emplace_back();
}

void KinetoCollector::AddCollective(const KinetoEvent& event) {
  Collectives& c = rows_.collectives;
  c.event.emplace_back(rows_.events);
  c.communicator.push_back(Large(event.communicator));
  c.bytes.push_back(MessageBytes(event));
  c.ranks.push_back(Small(event.group_size));
  c.rank.push_back(Small(event.rank));
  const bool sends = event.target_rank >= 0 && event.target_rank != event.rank;
  c.peer.push_back(Small(sends ? event.target_rank : event.source_rank));
  c.operation.push_back(InternOrNone(event.collective));
  c.group.push_back(InternOrNone(event.group_name));
  c.type.push_back(InternOrNone(event.element_type));
  c.sequence.push_back(Large(event.collective_sequence));
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

SignatureId KinetoCollector::SignatureOf(const KinetoEvent& event) {
  if (event.input_sizes.empty() && event.input_types.empty()) return {};
  signature_key_.assign(event.input_sizes);
  signature_key_ += '\n';
  signature_key_ += event.input_types;
  if (const auto it = signatures_.find(signature_key_); it != signatures_.end()) return it->second;
  // Texts first: the builder has a lock of its own.
  const std::vector<KinetoInput> inputs = ReadKinetoInputs(event.input_sizes, event.input_types);
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
