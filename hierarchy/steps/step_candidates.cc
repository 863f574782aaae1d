#include "hierarchy/steps/step_candidates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/ascii.h"
#include "hierarchy/names/name_patterns.h"
#include "hierarchy/steps/repetition.h"

namespace xsp {
namespace {

constexpr std::string_view kLayerWords[] = {"layer", "layers", "block", "blocks", "blk"};

// Ranges of one kind of name, such as "Step #".
struct StepKind {
  int rank = 0;
  std::vector<EventId> ranges;  // In order of time, none inside another.
  DurationNs time = 0;
};

bool IsUserRange(const Trace& trace, EventId e) {
  const EventKind kind = trace.KindOf(e);
  if (!IsNvtxRange(kind)) return false;
  const NvtxDomain& domain = trace.domain(trace.nvtx().domain[trace.Row(e, kind)]);
  return KindOfDomain(trace.strings().Get(domain.name)) == DomainKind::kUser;
}

bool Overlaps(const Trace& trace, EventId a, EventId b) {
  return trace.begin(a) < trace.end(b) && trace.begin(b) < trace.end(a);
}

// All step-like ranges of a process by their kind. Ranges that lie in one of the same kind are
// left out (a recursive name).
std::map<std::string, StepKind> KindsOfSteps(const Trace& trace, const HostRanges& ranges,
                                             const NameTable& names, ProcessId process) {
  std::map<std::string, StepKind> kinds;
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const EventId e = ranges.event(i);
    const NameTable::Entry& entry = names.OfRange(trace.name_of(e));
    if (entry.step_rank == 0 || trace.process_of(e) != process || !IsUserRange(trace, e)) continue;
    StepKind& kind = kinds[KindOfName(names.Text(entry.name))];
    if (!kind.ranges.empty() && Overlaps(trace, kind.ranges.back(), e)) continue;
    kind.rank = entry.step_rank;
    kind.ranges.push_back(e);
    kind.time += trace.duration(e);
  }
  return kinds;
}

// A kind that comes only once is a step only if its name says so plainly, with a number.
bool CanBeSteps(const std::string& name, const StepKind& kind) {
  return kind.ranges.size() > 1 || (kind.rank == 3 && name.find('#') != std::string::npos);
}

// More steps beats a better word only where the word is no worse: a loop "training step" that
// holds all of "step 1", "step 2", ... is not the step.
bool IsBetter(const StepKind& a, const StepKind& b) {
  if (a.rank != b.rank) return a.rank > b.rank;
  if ((a.ranges.size() > 1) != (b.ranges.size() > 1)) return a.ranges.size() > 1;
  return a.time > b.time;
}

bool FitsBetween(const Trace& trace, const StepKind& kind, const std::vector<EventId>& steps) {
  for (EventId e : kind.ranges) {
    auto after = std::lower_bound(steps.begin(), steps.end(), e, [&](EventId step, EventId x) {
      return trace.end(step) <= trace.begin(x);
    });
    if (after != steps.end() && Overlaps(trace, *after, e)) return false;
  }
  return true;
}

// The names of outermost ranges on a process's main thread, as one number each.
struct RangeSequence {
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint8_t> has_digits;
  std::vector<EventId> ranges;
};

RangeSequence OutermostRanges(const Trace& trace, const HostRanges& ranges, const NameTable& names,
                              ProcessId process) {
  RangeSequence sequence;
  const TrackId main = ranges.MainThread(process);
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const EventId e = ranges.event(i);
    if (trace.track_of(e) != main || ranges.parent(i).range != HostRanges::kNone) continue;
    const NameId name = names.OfRange(trace.name_of(e)).name;
    const std::string_view text = names.Text(name);
    sequence.tokens.push_back(name.value);
    sequence.has_digits.push_back(text.find_first_of("0123456789") != text.npos);
    sequence.ranges.push_back(e);
  }
  return sequence;
}

// "blocks.3" of "FSDP::pre_forward (blocks.3._checkpoint_wrapped_module)", "layer 3",
// "TransformerBlock[3]": a module up to its first number.
struct NumberedModule {
  std::string kind;  // "blocks.#", "layer #".
  std::uint64_t number = 0;
};

bool IsWordCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

// Whether a word is one for layers: other words that count up ("batch 3", "request 4") are not.
bool NamesLayer(std::string_view word) {
  const std::string lower = LowerCase(word);
  return std::any_of(std::begin(kLayerWords), std::end(kLayerWords),
                     [&](std::string_view layer) { return lower.ends_with(layer); });
}

std::optional<NumberedModule> ModuleIn(std::string_view text) {
  constexpr std::size_t kMostDigits = 6;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!IsDigit(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && IsDigit(text[end])) ++end;
    const bool ends = end == text.size() || !IsWordCharacter(text[end]);
    std::size_t word_end = at;
    while (word_end > 0 && !IsWordCharacter(text[word_end - 1]) && at - word_end < 2) --word_end;
    if (word_end > 0 && text[word_end - 1] == '_') --word_end;
    const bool is_path = at - word_end == 1 && text[word_end] == '.';
    std::size_t begin = word_end;
    while (begin > 0 && (IsWordCharacter(text[begin - 1]) || text[begin - 1] == '.')) --begin;
    const std::string_view word = text.substr(begin, word_end - begin);
    if (ends && end - at <= kMostDigits && !word.empty() && !IsDigit(word.back()) &&
        (is_path || NamesLayer(word))) {
      NumberedModule module{std::string(text.substr(begin, at - begin)) + "#", 0};
      for (std::size_t i = at; i < end; ++i) {
        module.number = module.number * 10 + static_cast<std::uint64_t>(text[i] - '0');
      }
      return module;
    }
    at = end;
  }
  return std::nullopt;
}

}  // namespace

std::string LayersCountedIn(const Trace& trace, const HostRanges& ranges, const NameTable& names,
                            ProcessId process, const std::vector<HostStep>& rounds) {
  constexpr std::uint64_t kNoNumber = ~std::uint64_t{0};
  struct Seen {
    std::vector<std::uint64_t> first;  // By round, the number of the first such module.
    std::uint32_t rounds = 0;
  };
  std::map<std::string, Seen> kinds;
  std::unordered_map<NameId, std::optional<NumberedModule>> known;
  for (std::uint32_t i = 0; i < ranges.size() && !rounds.empty(); ++i) {
    const EventId e = ranges.event(i);
    if (trace.process_of(e) != process) continue;
    const NameId name = names.OfRange(trace.name_of(e)).name;
    const auto [it, is_new] = known.try_emplace(name);
    if (is_new) it->second = ModuleIn(names.Text(name));
    if (!it->second) continue;
    const auto next = std::partition_point(
        rounds.begin(), rounds.end(),
        [&](const HostStep& round) { return round.host.begin <= trace.begin(e); });
    if (next == rounds.begin() || std::prev(next)->host.end <= trace.begin(e)) continue;
    Seen& seen = kinds[it->second->kind];
    seen.first.resize(rounds.size(), kNoNumber);
    std::uint64_t& first = seen.first[static_cast<std::size_t>(std::prev(next) - rounds.begin())];
    if (first == kNoNumber) {
      first = it->second->number;
      ++seen.rounds;
    }
  }
  for (const auto& [kind, seen] : kinds) {
    std::size_t up = 0;
    for (std::size_t i = 1; i < seen.first.size(); ++i) {
      up += seen.first[i] != kNoNumber && seen.first[i] == seen.first[i - 1] + 1;
    }
    // Nearly everywhere: at an end another network may begin.
    if (seen.rounds > 2 && up * 5 >= (rounds.size() - 1) * 4) return kind;
  }
  return "";
}

std::vector<HostStep> StepsFromNames(const Trace& trace, const HostRanges& ranges,
                                     const NameTable& names, ProcessId process) {
  const std::map<std::string, StepKind> kinds = KindsOfSteps(trace, ranges, names, process);
  const StepKind* best = nullptr;
  for (const auto& [name, kind] : kinds) {
    if (CanBeSteps(name, kind) && (best == nullptr || IsBetter(kind, *best))) best = &kind;
  }
  if (best == nullptr) return {};
  // "Warm-up Step 1" and "Timed Step 1" are of two kinds, yet both are steps.
  std::vector<EventId> steps = best->ranges;
  for (const auto& [name, kind] : kinds) {
    if (&kind == best || kind.rank != best->rank || !CanBeSteps(name, kind)) continue;
    if (!FitsBetween(trace, kind, steps)) continue;
    steps.insert(steps.end(), kind.ranges.begin(), kind.ranges.end());
    std::sort(steps.begin(), steps.end(),
              [&](EventId a, EventId b) { return trace.begin(a) < trace.begin(b); });
  }
  std::vector<HostStep> result;
  for (EventId e : steps) {
    result.push_back({{trace.begin(e), trace.end(e)}, e, trace.track_of(e)});
  }
  return result;
}

std::vector<HostStep> StepsFromRepeatedRanges(const Trace& trace, const HostRanges& ranges,
                                              const NameTable& names, ProcessId process) {
  const RangeSequence sequence = OutermostRanges(trace, ranges, names, process);
  // A name with a number that changes from round to round ("blocks.3") tells layers, not steps.
  const std::optional<Repetition> found = FindRepetition(sequence.tokens, sequence.has_digits);
  if (!found || std::uint64_t{found->period} * found->rounds * 2 < sequence.tokens.size()) {
    return {};
  }
  std::vector<HostStep> steps;
  for (std::uint32_t round = 0; round < found->rounds; ++round) {
    const std::uint32_t first = found->first + round * found->period;
    const EventId last = sequence.ranges[first + found->period - 1];
    steps.push_back({{trace.begin(sequence.ranges[first]), trace.end(last)},
                     found->period == 1 ? last : EventId(),
                     trace.track_of(last)});
  }
  return steps;
}

}  // namespace xsp
