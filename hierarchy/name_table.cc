#include "hierarchy/name_table.h"

#include "hierarchy/name_patterns.h"

namespace xsp {

NameTable::NameTable(const Trace& trace) : trace_(&trace) {
  place_.resize(trace.strings().size(), 0);
  entries_.push_back({.name = Intern("[unnamed]")});
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd, EventKind::kLibrary,
                         EventKind::kMpi, EventKind::kDirective}) {
    for (EventId e : trace.OfKind(kind)) AddRange(trace.name_of(e));
  }
}

void NameTable::AddRange(StringId text) {
  if (!text.valid() || place_[text.value] != 0) return;
  const std::string_view raw = trace_->strings()[text];
  if (raw.empty()) return;
  const ParsedRangeName parsed = ParseRangeName(raw);
  const std::string_view shown = parsed.own.empty() ? parsed.text : std::string_view(parsed.own);
  Entry entry{.name = shown.size() == raw.size() ? OfString(text) : Intern(shown),
              .sequence = parsed.sequence,
              .level = parsed.level.value_or(Level::kTrace),
              .is_backward = parsed.is_backward};
  const Words& words = WordsOf(entry.name);
  entry.phase = words.phase;
  entry.is_library = words.is_library;
  if (!parsed.level) entry.step_rank = words.step_rank;
  has_backward_ |= entry.is_backward;
  place_[text.value] = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(entry);
}

// Millions of texts may show a few names: "aten::mm, op_id = 1", "aten::mm, op_id = 2", ...
const NameTable::Words& NameTable::WordsOf(NameId name) {
  if (name.value >= words_.size()) words_.resize(name.value + 1 + words_.size() / 2);
  Words& words = words_[name.value];
  if (!words.is_known) {
    const std::string_view text = Text(name);
    words = {PhaseOfName(text), static_cast<std::uint8_t>(StepRank(text)), IsLibraryCall(text),
             true};
  }
  return words;
}

NameId NameTable::Intern(std::string_view text) {
  if (StringId known = trace_->strings().Find(text); known.valid()) return OfString(known);
  return NameId(trace_->strings().size() + own_.Intern(text).value);
}

NameId NameTable::Find(std::string_view text) const {
  if (StringId known = trace_->strings().Find(text); known.valid()) return OfString(known);
  const StringId own = own_.Find(text);
  return own.valid() ? NameId(trace_->strings().size() + own.value) : NameId();
}

std::string_view NameTable::Text(NameId name) const {
  const std::size_t of_trace = trace_->strings().size();
  if (!name.valid()) return {};
  return name.value < of_trace ? trace_->strings()[StringId(name.value)]
                               : own_[StringId(name.value - of_trace)];
}

}  // namespace xsp
