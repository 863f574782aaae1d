#include "graph/load_ranges.h"

#include <string_view>

#include "hierarchy/name_patterns.h"

namespace xsp {
namespace {

bool StartsWith(std::string_view text, std::string_view lower_word) {
  if (text.size() < lower_word.size()) return false;
  for (std::size_t i = 0; i < lower_word.size(); ++i) {
    if ((text[i] | 0x20) != lower_word[i]) return false;
  }
  return true;
}

// Whether a range's name speaks of loading data. A cheap look rules most names out before a careful
// one: exports hold millions of distinct names.
bool NamesLoading(std::string_view name) {
  name = name.substr(0, name.find(','));  // Behind it PyTorch puts sequence numbers and sizes.
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    if (StartsWith(rest, "load") || StartsWith(rest, "batch") || StartsWith(rest, "fetch") ||
        StartsWith(rest, "reader")) {
      return PhaseOfName(name) == Phase::kDataLoading;
    }
  }
  return false;
}

}  // namespace

std::vector<LoadRanges> FindLoadRanges(const Trace& trace) {
  std::vector<LoadRanges> loads(trace.tracks().size());
  enum class Verdict : std::uint8_t { kUnknown, kNo, kYes };
  std::vector<Verdict> verdicts(trace.strings().size());
  for (EventId range : trace.OfKind(EventKind::kNvtxPushPop)) {
    const StringId name = trace.name_of(range);
    if (!name.valid()) continue;
    Verdict& verdict = verdicts[name.value];
    if (verdict == Verdict::kUnknown) {
      verdict = NamesLoading(trace.strings()[name]) ? Verdict::kYes : Verdict::kNo;
    }
    if (verdict == Verdict::kNo) continue;
    LoadRanges& list = loads[trace.track_of(range).value];
    if (list.empty() || trace.end(list.back()) <= trace.begin(range)) list.push_back(range);
  }
  return loads;
}

}  // namespace xsp
