#include "hierarchy/selection/nvtx_ranges.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/glob.h"
#include "base/suggest.h"

namespace xsp {
namespace {

// An NVTX range as the user named it.
struct RangeName {
  std::string name;
  std::optional<std::string> domain;
  std::optional<std::size_t> index;
};

// Takes "/N" and "@DOMAIN" off the end.
RangeName SplitRangeName(std::string_view text) {
  RangeName range;
  if (const std::size_t slash = text.rfind('/'); slash != std::string_view::npos) {
    const char* first = text.data() + slash + 1;
    const char* last = text.data() + text.size();
    std::size_t index = 0;
    const auto [rest, error] = std::from_chars(first, last, index);
    if (error == std::errc() && rest == last) {
      range.index = index;
      text = text.substr(0, slash);
    }
  }
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos && at > 0) {
    range.domain = text.substr(at + 1);
    text = text.substr(0, at);
  }
  range.name = text;
  return range;
}

std::string_view DomainName(const Trace& trace, DomainId id) {
  const NvtxDomain& domain = trace.domain(id);
  return trace.strings().Get(domain.name, domain.number == 0 ? "NVTX" : "");
}

// The name itself, or a pattern with '*'.
bool FitsName(std::string_view name, const std::string& wanted) {
  return name == wanted || (wanted.find('*') != wanted.npos && MatchesGlob(wanted, name));
}

// All ranges of that name, in order of time.
std::vector<EventId> FindRanges(const Trace& trace, const RangeName& wanted) {
  std::vector<EventId> found;
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd}) {
    for (EventId e : trace.OfKind(kind)) {
      if (!FitsName(trace.name(e), wanted.name)) continue;
      const DomainId domain = trace.nvtx().domain[trace.Row(e, kind)];
      if (!wanted.domain || DomainName(trace, domain) == *wanted.domain) found.push_back(e);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](EventId a, EventId b) { return trace.begin(a) < trace.begin(b); });
  return found;
}

// "'step' (40), 'forward' (40) and 12 more": those that take most of the time.
std::string LongestRanges(const Trace& trace) {
  constexpr std::size_t kMost = 6, kLongest = 60;
  struct Sum {
    std::size_t count = 0;
    DurationNs ns = 0;
  };
  std::map<std::string_view, Sum> sums;
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd}) {
    for (EventId e : trace.OfKind(kind)) {
      Sum& sum = sums[trace.name(e)];
      ++sum.count;
      sum.ns += trace.duration(e);
    }
  }
  std::vector<std::pair<std::string_view, Sum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  std::string text;
  for (std::size_t i = 0; i < rows.size() && i < kMost; ++i) {
    text += (i == 0 ? "'" : ", '") + std::string(rows[i].first.substr(0, kLongest)) + "' (" +
            std::to_string(rows[i].second.count) + ")";
  }
  if (rows.size() > kMost) text += " and " + std::to_string(rows.size() - kMost) + " more";
  return text;
}

[[noreturn]] void NoSuchRange(const Trace& trace, const std::string& wanted) {
  std::set<std::string> names;
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd}) {
    for (EventId e : trace.OfKind(kind)) names.insert(std::string(trace.name(e)));
  }
  if (names.empty()) throw Error("--nvtx '" + wanted + "': the trace has no NVTX ranges");
  const std::vector<std::string> candidates(names.begin(), names.end());
  const std::string alike = DidYouMean(SplitRangeName(wanted).name, candidates);
  throw Error("--nvtx '" + wanted + "': no such range in the trace",
              alike.empty() ? "there are " + LongestRanges(trace) : alike);
}

}  // namespace

std::vector<EventId> FindNvtxRanges(const Trace& trace, const std::string& text) {
  // A range may itself be called "load@2/3", so the whole text is tried as a name first.
  std::vector<EventId> found = FindRanges(trace, {text, {}, {}});
  if (!found.empty()) return found;
  const RangeName wanted = SplitRangeName(text);
  found = FindRanges(trace, wanted);
  if (found.empty()) NoSuchRange(trace, text);
  if (!wanted.index) return found;
  if (*wanted.index >= found.size()) {
    throw Error("--nvtx '" + text + "': the last such range is number " +
                std::to_string(found.size() - 1) + ", counted from 0");
  }
  return {found[*wanted.index]};
}

}  // namespace xsp
