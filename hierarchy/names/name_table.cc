#include "hierarchy/names/name_table.h"

#include <set>

#include "hierarchy/names/name_patterns.h"

namespace xsp {

std::optional<Level> LevelOfOperator(const Trace& trace, EventId range) {
  const std::uint32_t op = trace.OperatorOf(range);
  if (op == Trace::kNoOperator) return std::nullopt;
  switch (trace.operators().role[op]) {
    case OperatorRole::kOperation:
    case OperatorRole::kModuleBegin:
    case OperatorRole::kModuleEnd:
      return Level::kOp;
    case OperatorRole::kModule:
      return Level::kLayer;
    case OperatorRole::kProgram:
      return Level::kPhase;
  }
  return std::nullopt;
}

std::optional<Level> LevelOf(TextRole role) {
  switch (role) {
    case TextRole::kStep:
      return std::nullopt;
    case TextRole::kPhase:
    case TextRole::kHost:
    case TextRole::kCommunication:
      return Level::kPhase;
    case TextRole::kLayer:
      return Level::kLayer;
    case TextRole::kOperator:
      return Level::kOp;
  }
  return std::nullopt;
}

NameTable::NameTable(const Trace& trace, const FrameworkNames& frameworks)
    : trace_(&trace), frameworks_(&frameworks) {
  place_.resize(trace.strings().size(), 0);
  entries_.push_back({.name = Intern("[unnamed]")});
  known_texts_.emplace_back();
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd, EventKind::kLibrary,
                         EventKind::kMpi, EventKind::kDirective}) {
    for (EventId e : trace.OfKind(kind)) AddRange(e);
  }
  DropWeak();
  for (Entry& entry : entries_) Recognise(entry);
}

// Texts that say little by themselves count only beside others of the same framework.
void NameTable::DropWeak() {
  const auto pattern_of = [&](const Entry& entry) -> const FrameworkPattern& {
    return frameworks_->patterns()[known_texts_[entry.known_text].pattern];
  };
  std::set<std::string_view> seen;
  for (const Entry& entry : entries_) {
    if (entry.known_text != 0 && !pattern_of(entry).is_weak)
      seen.insert(pattern_of(entry).framework);
  }
  for (Entry& entry : entries_) {
    if (entry.known_text == 0 || !pattern_of(entry).is_weak) continue;
    if (!seen.contains(pattern_of(entry).framework)) entry.known_text = 0;
  }
}

// Who knows what a framework means by a text does not guess by its words.
void NameTable::Recognise(Entry& entry) {
  if (entry.known_text == 0) return;
  const FrameworkText& text = known_texts_[entry.known_text];
  entry.step_rank = 0;
  if (text.role == TextRole::kOperator) return;
  entry.is_library = false;
  entry.phase = Phase::kNone;
  if (text.role == TextRole::kPhase) entry.phase = PhaseFromName(text.word).value_or(Phase::kNone);
  if (text.role == TextRole::kCommunication) entry.phase = Phase::kCommunication;
  if (text.role == TextRole::kLayer && !text.module.empty()) entry.name = Intern(text.module);
}

void NameTable::AddRange(EventId range) {
  const StringId text = trace_->name_of(range);
  if (!text.valid() || place_[text.value] != 0 || trace_->strings()[text].empty()) return;
  const std::uint32_t op = trace_->OperatorOf(range);
  const bool is_operator = op != Trace::kNoOperator;
  Entry entry{.name = OfString(is_operator ? trace_->operators().name[op] : text)};
  const Words& words = WordsOf(entry.name);
  entry.phase = words.phase;
  entry.is_library = words.is_library;
  // No operation, layer or program is a step, whatever its name.
  if (!LevelOfOperator(*trace_, range)) entry.step_rank = words.step_rank;
  if (std::optional<FrameworkText> known = frameworks_->Match(trace_->strings()[text])) {
    entry.known_text = static_cast<std::uint32_t>(known_texts_.size());
    known_texts_.push_back(std::move(*known));
  }
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
