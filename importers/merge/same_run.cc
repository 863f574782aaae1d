#include "importers/merge/same_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "base/hash.h"

namespace xsp {
namespace {

using Pairs = std::vector<std::pair<EventId, EventId>>;  // Kernels of the first and the second.

// Recorders spell template arguments and namespaces in their own ways; the bare name of the
// function is the same: "vectorized_elementwise_kernel".
std::string_view BareName(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  name = name.substr(0, name.find_first_of("<("));
  if (name.empty()) return name;
  const std::size_t colon = name.rfind("::");
  return colon == name.npos ? name : name.substr(colon + 2);
}

// What tells kernels apart, as one number.
std::size_t TokenOf(const Trace& trace, EventId kernel) {
  const Kernels& k = trace.kernels();
  const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
  std::size_t token = std::hash<std::string_view>()(BareName(trace.name(kernel)));
  for (std::uint32_t size : {k.grid_x[row], k.grid_y[row], k.grid_z[row], k.block_x[row],
                             k.block_y[row], k.block_z[row]}) {
    token = HashWith(token, size);
  }
  return token;
}

// The kernels of a process in order of time.
struct KernelList {
  std::vector<EventId> kernels;
  std::vector<std::size_t> tokens;
};

std::vector<KernelList> KernelsByProcess(const Trace& trace) {
  std::vector<KernelList> lists(trace.processes().size());
  for (EventId e : trace.OfKind(EventKind::kKernel)) {
    const ProcessId process = trace.process_of(e);
    if (!process.valid()) continue;
    lists[process.value].kernels.push_back(e);
    lists[process.value].tokens.push_back(TokenOf(trace, e));
  }
  return lists;
}

Pairs PairByCorrelation(const Trace& first, const KernelList& a, const Trace& second,
                        const KernelList& b) {
  std::unordered_map<std::uint32_t, std::size_t> place;
  for (std::size_t i = 0; i < a.kernels.size(); ++i) {
    place.try_emplace(first.events().correlation[a.kernels[i].value], i);
  }
  Pairs pairs;
  for (std::size_t i = 0; i < b.kernels.size(); ++i) {
    const auto it = place.find(second.events().correlation[b.kernels[i].value]);
    if (it == place.end() || a.tokens[it->second] != b.tokens[i]) continue;
    pairs.emplace_back(a.kernels[it->second], b.kernels[i]);
  }
  return pairs;
}

// How many places the kernels of `b` stand behind those of `a`: what most runs of four say.
std::optional<std::ptrdiff_t> ShiftOf(const KernelList& a, const KernelList& b) {
  constexpr std::size_t kRun = 4;
  constexpr std::size_t kCommon = 16;  // A run that comes more often says nothing.
  auto runs_of = [](const KernelList& list) {
    std::unordered_map<std::size_t, std::vector<std::size_t>> runs;
    for (std::size_t i = 0; i + kRun <= list.tokens.size(); ++i) {
      std::size_t run = 0;
      for (std::size_t k = 0; k < kRun; ++k) run = run * 31 + list.tokens[i + k];
      auto& places = runs[run];
      if (places.size() <= kCommon) places.push_back(i);
    }
    return runs;
  };
  const auto runs_a = runs_of(a);
  std::map<std::ptrdiff_t, std::size_t> votes;
  for (const auto& [run, places] : runs_of(b)) {
    const auto it = runs_a.find(run);
    if (it == runs_a.end() || it->second.size() > kCommon || places.size() > kCommon) continue;
    for (std::size_t of_a : it->second) {
      for (std::size_t of_b : places) {
        ++votes[static_cast<std::ptrdiff_t>(of_a) - static_cast<std::ptrdiff_t>(of_b)];
      }
    }
  }
  if (votes.empty()) return std::nullopt;
  return std::max_element(votes.begin(), votes.end(),
                          [](const auto& x, const auto& y) { return x.second < y.second; })
      ->first;
}

Pairs PairByOrder(const KernelList& a, const KernelList& b) {
  Pairs pairs;
  const std::optional<std::ptrdiff_t> shift = ShiftOf(a, b);
  if (!shift) return pairs;
  for (std::size_t i = 0; i < b.kernels.size(); ++i) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) + *shift;
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(a.kernels.size())) continue;
    const auto place = static_cast<std::size_t>(at);
    if (a.tokens[place] == b.tokens[i]) pairs.emplace_back(a.kernels[place], b.kernels[i]);
  }
  return pairs;
}

// Kernels of one run took the same time in both recordings: both ask the same GPU. One that counts
// microseconds may be off by one.
double ShareOfEqualDurations(const Trace& first, const Trace& second, const Pairs& pairs) {
  const bool in_microseconds = std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return second.duration(pair.second) % 1'000 == 0;
  });
  const DurationNs most = in_microseconds ? 1'500 : 200;
  const auto equal = std::count_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return std::abs(first.duration(pair.first) - second.duration(pair.second)) <= most;
  });
  return static_cast<double>(equal) / static_cast<double>(pairs.size());
}

[[noreturn]] void Refuse(const std::string& why) {
  throw Error("these are not recordings of one run: " + why,
              "--merge joins two recordings of the same run, or the ranks of one job; compare two "
              "runs with xsp diff");
}

void CheckTimes(const Trace& first, const Trace& second, const Pairs& pairs, const ClockFit& fit) {
  const double equal = ShareOfEqualDurations(first, second, pairs);
  constexpr double kLeastEqual = 0.9;
  if (equal < kLeastEqual) {
    Refuse(
        fmt::format("their kernels have the same names, but only {:.0f} % of them took the same "
                    "time in both",
                    equal * 100));
  }
  // Clocks of two recorders drift apart by some ten microseconds a second at most.
  const DurationNs span = second.begin(pairs.back().second) - second.begin(pairs.front().second);
  const DurationNs most = 100'000 + std::abs(span) / 20'000;
  if (fit.farthest > most) {
    Refuse(
        fmt::format("their kernels have the same names, but their clocks drift apart by {:.1f} "
                    "ms: two runs of one program",
                    static_cast<double>(fit.farthest) / 1e6));
  }
}

}  // namespace

SameRun MatchRuns(const Trace& first, const Trace& second) {
  const std::vector<KernelList> of_first = KernelsByProcess(first);
  const std::vector<KernelList> of_second = KernelsByProcess(second);
  SameRun best;
  Pairs pairs;
  for (std::uint32_t b = 0; b < of_second.size(); ++b) {
    for (std::uint32_t a = 0; a < of_first.size(); ++a) {
      Pairs found = PairByCorrelation(first, of_first[a], second, of_second[b]);
      const bool is_most = found.size() * 10 >= of_second[b].kernels.size() * 9;
      bool by_correlation = !found.empty();
      if (!by_correlation || !is_most) {
        Pairs by_order = PairByOrder(of_first[a], of_second[b]);
        by_correlation = by_correlation && found.size() >= by_order.size();
        if (!by_correlation) found = std::move(by_order);
      }
      if (found.size() <= pairs.size()) continue;
      pairs = std::move(found);
      best = {ProcessId(a), ProcessId(b),   of_second[b].kernels.size(),
              pairs.size(), by_correlation, {}};
    }
  }
  if (second.OfKind(EventKind::kKernel).empty() || first.OfKind(EventKind::kKernel).empty()) {
    Refuse("one of them has no kernels, and kernels are what they are joined by");
  }
  constexpr std::size_t kLeastPairs = 3;
  if (pairs.size() < kLeastPairs || best.matched * 2 < best.kernels) {
    Refuse(fmt::format("of {} kernels of the second only {} are in the first",
                       best.kernels == 0 ? second.OfKind(EventKind::kKernel).size() : best.kernels,
                       pairs.size()));
  }
  std::vector<DurationNs> differences;
  for (const auto& [a, b] : pairs) differences.push_back(first.begin(a) - second.begin(b));
  best.clock = FitClock(std::move(differences));
  CheckTimes(first, second, pairs, best.clock);
  return best;
}

}  // namespace xsp
