#include "live/decode/host_events.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.h"

namespace xsp::live {
namespace {

// Stands in the end of a range until its end is known.
constexpr TimeNs kOpen = std::numeric_limits<TimeNs>::max();

// The union of NVTX holds the value in its first bytes; the model wants integers sign-extended and
// floating point as a double.
std::uint64_t PayloadBits(PayloadType type, std::uint64_t raw) {
  const auto low = static_cast<std::uint32_t>(raw);
  switch (type) {
    case PayloadType::kUint32:
      return low;
    case PayloadType::kInt32:
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(low)});
    case PayloadType::kFloat:
      return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(low)));
    default:
      return raw;
  }
}

Nvtx::Row DetailsOf(DomainId domain, const HostEventView& event) {
  Nvtx::Row range;
  range.domain = domain;
  if (event.category != 0) range.category = event.category;
  if (event.color != 0) range.color = event.color;
  if (event.op == HostOp::kStart) range.range = event.id;
  if (event.payload_type <= static_cast<std::uint64_t>(PayloadType::kFloat)) {
    range.payload_type = static_cast<PayloadType>(event.payload_type);
  }
  if (range.payload_type != PayloadType::kNone) {
    range.payload = PayloadBits(range.payload_type, event.payload);
  }
  return range;
}

}  // namespace

HostEventReader::HostEventReader(ProcessContext& context, RecordingRows& rows)
    : context_(context), rows_(rows) {}

void HostEventReader::Read(SpoolReader& spool) {
  const std::vector<SpoolFacts::EventsBlock>& blocks = context_.facts().host_events;
  Block block;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i == 0 || blocks[i].thread != blocks[i - 1].thread) BeginThread(blocks[i].thread);
    if (!spool.Again(blocks[i].file_offset, &block)) {
      throw Error(context_.facts().file.string() + " changed while it was being read");
    }
    std::string_view rest = block.body;
    HostEventView event;
    while (ReadHostEvent(rest, &event)) Take(event);
  }
  CutAtSwitches(std::numeric_limits<std::uint64_t>::max());
  stacks_.clear();
  MatchStartsAndEnds();
}

void HostEventReader::BeginThread(std::uint32_t thread) {
  CutAtSwitches(std::numeric_limits<std::uint64_t>::max());
  stacks_.clear();
  next_switch_ = 0;
  thread_ = context_.Thread(thread);
}

// Where recording was switched off, what was open then has no end.
void HostEventReader::CutAtSwitches(std::uint64_t time) {
  const std::vector<SpoolFacts::Switch>& switches = context_.facts().switches;
  for (; next_switch_ < switches.size() && switches[next_switch_].time < time; ++next_switch_) {
    if (!switches[next_switch_].on) CloseStacks(context_.FromHost(switches[next_switch_].time));
  }
}

void HostEventReader::CloseStacks(TimeNs end) {
  Events& events = rows_.push_pop.events;
  for (auto& [domain, stack] : stacks_) {
    for (std::size_t row : stack) {
      events.end[row] = std::max(events.begin[row], end);
      events.flags[row] = kUnfinished;
      context_.Note(kNvtxTable, ImportReason::kUnfinished,
                    "begin " + std::to_string(events.begin[row]));
    }
    stack.clear();
  }
}

StringId HostEventReader::MessageOf(const HostEventView& event) {
  if (event.was_cut) ++context_.cut_texts;
  if (event.registered == 0) {
    return event.has_text ? context_.Intern(event.text, kNvtxTable) : StringId();
  }
  auto [it, added] = strings_.try_emplace(event.registered);
  if (added) {
    const auto& known = context_.facts().strings;
    auto text = known.find(event.registered);
    if (text != known.end()) {
      it->second = context_.Intern(text->second, kNvtxTable);
    } else {
      const std::string name = "string_" + std::to_string(event.registered);
      it->second = context_.builder().Intern(name);
      context_.Note(kNvtxTable, ImportReason::kMissingString, name);
    }
  }
  return it->second;
}

std::size_t HostEventReader::AddRange(Rows<Nvtx>& rows, const HostEventView& event) {
  Events::Row row;
  row.begin = context_.FromHost(event.time);
  row.end = kOpen;
  row.track = thread_;
  row.name = MessageOf(event);
  rows.Add(row, DetailsOf(context_.Domain(event.domain), event));
  context_.Keep(kNvtxTable);
  return rows.events.begin.size() - 1;
}

void HostEventReader::Take(const HostEventView& event) {
  CutAtSwitches(event.time);
  switch (event.op) {
    case HostOp::kPush:
      stacks_[event.domain].push_back(AddRange(rows_.push_pop, event));
      break;
    case HostOp::kPop:
      TakePop(event);
      break;
    case HostOp::kStart:
      starts_[event.id] = AddRange(rows_.start_end, event);
      break;
    case HostOp::kEnd:
      ends_[event.id] = {context_.FromHost(event.time), thread_};
      break;
    case HostOp::kMark: {
      const std::size_t row = AddRange(rows_.marks, event);
      rows_.marks.events.end[row] = rows_.marks.events.begin[row];
      break;
    }
    case HostOp::kGraphNode:
    case HostOp::kGraph:
    case HostOp::kGraphExec:
      TakeGraphObject(event);
      break;
    default:  // Names, which are facts already.
      break;
  }
}

void HostEventReader::TakePop(const HostEventView& event) {
  std::vector<std::size_t>& stack = stacks_[event.domain];
  if (stack.empty()) {
    context_.Note(kNvtxTable, ImportReason::kNoBegin,
                  "pop at " + std::to_string(context_.FromHost(event.time)));
    return;
  }
  rows_.push_pop.events.end[stack.back()] = context_.FromHost(event.time);
  stack.pop_back();
}

void HostEventReader::TakeGraphObject(const HostEventView& event) {
  std::string_view name = "CUDA graph node creation";
  GraphObjects::Row object;
  object.id = event.id;
  std::uint64_t& other = event.op == HostOp::kGraphExec ? object.exec : object.original;
  if (event.id2 != 0) other = event.id2;
  if (event.op == HostOp::kGraph) {
    object.object_kind = event.id2 == 0 ? GraphObjectKind::kGraph : GraphObjectKind::kClone;
    name = event.id2 == 0 ? "CUDA graph creation" : "CUDA graph clone";
  } else if (event.op == HostOp::kGraphExec) {
    object.object_kind = GraphObjectKind::kExec;
    name = "CUDA graph exec creation";
  }
  Events::Row row;
  row.begin = context_.FromHost(event.time);
  row.end = row.begin;
  row.track = thread_;
  row.name = context_.builder().Intern(name);
  rows_.graph_objects.Add(row, object);
  context_.Keep(kGraphObjectTable);
}

// A range can end on another thread than it began on.
void HostEventReader::MatchStartsAndEnds() {
  Events& events = rows_.start_end.events;
  for (const auto& [range, end] : ends_) {
    auto start = starts_.find(range);
    if (start == starts_.end()) {
      context_.Note(kNvtxTable, ImportReason::kNoBegin, "end of range " + std::to_string(range));
      continue;
    }
    const std::size_t row = start->second;
    events.end[row] = std::max(events.begin[row], end.time);
    if (end.thread != events.track[row]) rows_.start_end.details.end_thread[row] = end.thread;
  }
}

std::uint64_t CloseOpenRanges(RecordingRows& rows) {
  TimeNs latest = std::numeric_limits<TimeNs>::min();
  for (const Rows<Nvtx>* kind : {&rows.push_pop, &rows.start_end, &rows.marks}) {
    for (TimeNs begin : kind->events.begin) latest = std::max(latest, begin);
    for (TimeNs end : kind->events.end) latest = std::max(latest, end == kOpen ? latest : end);
  }
  std::uint64_t open = 0;
  for (Rows<Nvtx>* kind : {&rows.push_pop, &rows.start_end}) {
    for (std::size_t i = 0; i < kind->events.end.size(); ++i) {
      if (kind->events.end[i] != kOpen) continue;
      kind->events.end[i] = latest;
      kind->events.flags[i] = kUnfinished;
      ++open;
    }
  }
  return open;
}

}  // namespace xsp::live
