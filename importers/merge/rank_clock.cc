#include "importers/merge/rank_clock.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "model/names/communication.h"
#include "model/names/kernel_rules.h"

namespace xsp {
namespace {

struct Collective {
  std::string_view name;
  TimeNs begin = 0;
  TimeNs end = 0;
};

// The collectives of a rank in order of time.
std::vector<Collective> CollectivesOf(const Trace& trace) {
  const KernelKinds kinds(trace, KernelRules::BuiltIn());
  std::vector<Collective> found;
  for (EventId e : trace.OfKind(EventKind::kKernel)) {
    if (!IsCommunication(kinds.Of(trace, e).kernel_class)) continue;
    const std::string_view name = trace.name(e);
    found.push_back({name.substr(0, name.find('(')), trace.begin(e), trace.end(e)});
  }
  return found;
}

// Differences of the ends, if the n-th of `b` goes with the (n + shift)-th of `a`.
std::vector<DurationNs> ByOrder(const std::vector<Collective>& a, const std::vector<Collective>& b,
                                std::ptrdiff_t shift) {
  std::vector<DurationNs> differences;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) + shift;
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(a.size())) continue;
    const Collective& other = a[static_cast<std::size_t>(at)];
    if (other.name == b[i].name) differences.push_back(other.end - b[i].end);
  }
  return differences;
}

// The same, if those go together that run at the same time once `b` is moved by `guess`. A rank
// that comes first waits in its kernel for the others, so they do.
std::vector<DurationNs> ByTime(const std::vector<Collective>& a, const std::vector<Collective>& b,
                               DurationNs guess) {
  std::vector<DurationNs> differences;
  std::size_t first = 0;
  for (const Collective& one : b) {
    const TimeNs begin = one.begin + guess;
    const TimeNs end = one.end + guess;
    while (first < a.size() && a[first].end <= begin) ++first;
    DurationNs longest = 0;
    DurationNs difference = 0;
    for (std::size_t i = first; i < a.size() && a[i].begin < end; ++i) {
      const DurationNs together = std::min(end, a[i].end) - std::max(begin, a[i].begin);
      if (a[i].name != one.name || together <= longest) continue;
      longest = together;
      difference = a[i].end - one.end;
    }
    if (longest > 0) differences.push_back(difference);
  }
  return differences;
}

}  // namespace

std::size_t CountCollectives(const Trace& trace) { return CollectivesOf(trace).size(); }

std::optional<ClockFit> FitRankClock(const Trace& first, const Trace& second,
                                     std::optional<DurationNs> guess) {
  const std::vector<Collective> a = CollectivesOf(first);
  const std::vector<Collective> b = CollectivesOf(second);
  constexpr std::size_t kLeast = 3;
  constexpr DurationNs kClose = 500'000;
  std::optional<ClockFit> best;
  auto consider = [&](std::vector<DurationNs> differences, std::size_t least) {
    if (differences.size() < least) return;
    const ClockFit fit = FitClock(std::move(differences));
    if (fit.residual > kClose) return;
    if (!best || fit.residual < best->residual) best = fit;
  };
  // Recordings of ranks begin and end a few collectives apart.
  constexpr std::ptrdiff_t kFarthest = 64;
  const std::size_t most = std::max(kLeast, std::min(a.size(), b.size()) * 3 / 4);
  for (std::ptrdiff_t shift = -kFarthest; shift <= kFarthest; ++shift) {
    consider(ByOrder(a, b, shift), most);
  }
  // Where some are missing in between, the order says nothing, but the time of day may.
  if (!best && guess) consider(ByTime(a, b, *guess), kLeast);
  return best;
}

}  // namespace xsp
