#include "diff/matching/grouped.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "diff/matching/numbered_path.h"
#include "hierarchy/totals/path_text.h"
#include "model/names/kernel_names.h"

namespace xsp {
namespace {

// The side on which a pair is shown, and its place there.
std::pair<const Side*, std::uint32_t> ShownPlace(const Comparison& c, std::uint32_t pair) {
  const PlacePair& of = c.matching.pairs[pair];
  return of.base != RunPlace::kNone ? std::pair(c.base, of.base) : std::pair(c.now, of.now);
}

// For each place of a side the ranges above it down to layers; where there are none, to the first
// operation. Places lie below those of smaller numbers, so one pass finds all of them.
class LayerPaths {
 public:
  explicit LayerPaths(const Side& side)
      : side_(side), paths_(side.places().size()), chains_(side.places().size()) {
    for (std::uint32_t place = 1; place < chains_.size(); ++place) Follow(place);
  }

  std::string Of(std::uint32_t place) const {
    const Chain& chain = chains_[place];
    const bool has_layer = chain.above_layers != TreePaths::kNone &&
                           side_.places()[chain.above_layers].level == Level::kLayer;
    const std::uint32_t last =
        has_layer || chain.below == TreePaths::kNone ? chain.above_layers : chain.below;
    if (last == TreePaths::kNone) return "";
    return paths_.Text(last,
                       [&](std::uint32_t of) { return std::string_view(side_.places()[of].name); });
  }

 private:
  // The ranges from the outermost to a place.
  struct Chain {
    std::uint32_t last = TreePaths::kNone;          // Of all,
    std::uint32_t above_layers = TreePaths::kNone;  // of those that are layers, or above layers,
    std::uint32_t below = TreePaths::kNone;         // and the first behind that.
  };

  void Follow(std::uint32_t place) {
    const RunPlace& of = side_.places()[place];
    Chain& chain = chains_[place];
    chain = chains_[of.parent];
    if (!of.IsRange()) return;
    paths_.Place(place, chain.last);
    chain.last = place;
    if (of.level <= Level::kLayer) {
      chain.above_layers = place;
      chain.below = TreePaths::kNone;
    } else if (chain.below == TreePaths::kNone) {
      chain.below = place;
    }
  }

  const Side& side_;
  TreePaths paths_;
  std::vector<Chain> chains_;
};

std::string WhatOf(const RunPlace& place, CostKind kind) {
  if (!place.IsDeviceWork()) return "";
  if (kind != CostKind::kDevice && kind != CostKind::kCommunication && kind != CostKind::kCopy) {
    return "";
  }
  if (!place.is_kernel) return place.name;
  if (place.kernel_class != KernelClass::kOther) return std::string(NameOf(place.kernel_class));
  return ShortKernelName(place.name);
}

void AddRow(const Comparison& c, std::uint32_t row, ContributionGroup& group) {
  const Contribution& contribution = c.contributions[row];
  group.base += contribution.base;
  group.now += contribution.now;
  group.delta += contribution.delta;
  group.rows.push_back(row);
}

using GroupKey = std::tuple<std::string, CostKind, std::string>;

// One group for each layer, kind and class.
std::vector<ContributionGroup> GroupsByLayer(const Comparison& c) {
  std::map<GroupKey, std::size_t> index;
  std::vector<ContributionGroup> groups;
  const LayerPaths base(*c.base), now(*c.now);
  for (std::uint32_t row = 0; row < c.contributions.size(); ++row) {
    const Contribution& contribution = c.contributions[row];
    if (contribution.pair == Contribution::kNoPair) continue;
    const auto [side, place] = ShownPlace(c, contribution.pair);
    std::string where = (side == c.base ? base : now).Of(place);
    std::string what = WhatOf(side->places()[place], contribution.kind);
    const auto [it, is_new] = index.try_emplace({where, contribution.kind, what}, groups.size());
    if (is_new) {
      groups.emplace_back();
      groups.back().where = std::move(where);
      groups.back().what = std::move(what);
      groups.back().kind = contribution.kind;
    }
    AddRow(c, row, groups[it->second]);
  }
  return groups;
}

// Puts groups together that differ only by numbers, but for one that is most of their change.
std::vector<ContributionGroup> MergeNumbered(const Comparison& c,
                                             std::vector<ContributionGroup> groups) {
  std::vector<NumberedPath> paths;
  std::map<GroupKey, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    paths.push_back(TakeNumbers(groups[i].where));
    alike[{paths[i].pattern, groups[i].kind, groups[i].what}].push_back(i);
  }
  std::vector<ContributionGroup> merged;
  for (const auto& [key, members] : alike) {
    DurationNs sum = 0;
    for (std::size_t i : members) sum += std::abs(groups[i].delta);
    ContributionGroup together;
    std::vector<const NumberedPath*> of;
    for (std::size_t i : members) {
      if (members.size() > 1 && 2 * std::abs(groups[i].delta) > sum) {
        merged.push_back(groups[i]);
        continue;
      }
      of.push_back(&paths[i]);
      for (std::uint32_t row : groups[i].rows) AddRow(c, row, together);
    }
    if (of.empty()) continue;
    together.where = PathOf(of);
    together.what = std::get<2>(key);
    together.kind = std::get<1>(key);
    merged.push_back(std::move(together));
  }
  return merged;
}

Series SumOfRows(const Comparison& c, const Side& side, const ContributionGroup& group) {
  Series sum = side.Zeros();
  for (std::uint32_t row : group.rows) {
    const Contribution& contribution = c.contributions[row];
    const PlacePair& pair = c.matching.pairs[contribution.pair];
    const std::uint32_t place = &side == c.base ? pair.base : pair.now;
    if (place != RunPlace::kNone) sum += side.PathTime(place, contribution.kind);
  }
  return sum;
}

void TestGroups(const Comparison& c, std::vector<ContributionGroup>& groups) {
  if (!c.unit.interval) {
    const double least = c.unit.floor * c.unit.base;
    for (ContributionGroup& group : groups) {
      group.significant = static_cast<double>(std::abs(group.delta)) > least;
    }
    return;
  }
  const double least = kRowShare * std::max(c.unit.base, c.unit.now);
  std::vector<ContributionGroup*> tested;
  std::vector<double> p;
  for (ContributionGroup& group : groups) {
    if (static_cast<double>(std::max(std::abs(group.base), std::abs(group.now))) < least) continue;
    tested.push_back(&group);
    p.push_back(QuickP(SumOfRows(c, *c.base, group), SumOfRows(c, *c.now, group)));
  }
  const std::vector<bool> significant = AreSignificant(p);
  for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->significant = significant[i];
}

// The places below which a group's rows lie, on one side: ranges.
std::set<std::uint32_t> RangesOf(const Comparison& c, const ContributionGroup& group,
                                 const Side& side) {
  std::set<std::uint32_t> ranges;
  for (std::uint32_t row : group.rows) {
    const PlacePair& pair = c.matching.pairs[c.contributions[row].pair];
    std::uint32_t place = &side == c.base ? pair.base : pair.now;
    if (place == RunPlace::kNone) continue;
    if (!side.places()[place].IsRange()) place = side.places()[place].parent;
    ranges.insert(place);
  }
  return ranges;
}

// Device operations that were launched in some ranges.
double OperationsIn(const Side& side, const std::set<std::uint32_t>& ranges) {
  double count = 0;
  for (std::uint32_t range : ranges) {
    for (std::uint32_t child : side.children()[range]) {
      if (side.places()[child].IsDeviceWork()) count += side.MeanCount(child);
    }
  }
  return count;
}

void AddDeviceFacts(const Comparison& c, std::uint32_t i, double& most, GroupFacts& facts) {
  const PlacePair& pair = c.matching.pairs[i];
  const double base = pair.base == RunPlace::kNone ? 0 : c.base->MeanDeviceTime(pair.base);
  const double now = pair.now == RunPlace::kNone ? 0 : c.now->MeanDeviceTime(pair.now);
  facts.base_device += base;
  facts.now_device += now;
  facts.base_count += pair.base == RunPlace::kNone ? 0 : c.base->MeanCount(pair.base);
  facts.now_count += pair.now == RunPlace::kNone ? 0 : c.now->MeanCount(pair.now);
  ++facts.places;
  facts.added += pair.how == MatchKind::kAdded;
  facts.removed += pair.how == MatchKind::kRemoved;
  facts.renamed += pair.how == MatchKind::kRenamed;
  facts.replaced += pair.how == MatchKind::kReplaced;
  facts.moved += pair.how == MatchKind::kMoved;
  if (pair.IsMatch()) {
    facts.reshaped += c.base->places()[pair.base].shape != c.now->places()[pair.now].shape;
  }
  if (facts.largest != Contribution::kNoPair && std::max(base, now) <= most) return;
  most = std::max(base, now);
  facts.largest = i;
}

// The call whose number changed most, of those in the group or its ranges.
void AddCallFacts(const Comparison& c, const ContributionGroup& group, GroupFacts& facts) {
  std::map<std::string, double> change;
  auto add = [&](const Side& side, double sign) {
    for (std::uint32_t range : RangesOf(c, group, side)) {
      for (std::uint32_t child : side.children()[range]) {
        if (side.places()[child].IsCall()) {
          change[side.places()[child].name] += sign * side.MeanCount(child);
        }
      }
    }
  };
  add(*c.base, -1);
  add(*c.now, 1);
  for (const auto& [name, difference] : change) {
    if (group.kind == CostKind::kSync && name.find("ync") == name.npos) continue;
    if (std::abs(difference) <= std::abs(facts.call_change)) continue;
    facts.call = name;
    facts.call_change = difference;
  }
}

}  // namespace

std::vector<ContributionGroup> GroupContributions(const Comparison& c) {
  std::vector<ContributionGroup> groups = MergeNumbered(c, GroupsByLayer(c));
  TestGroups(c, groups);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const ContributionGroup& a, const ContributionGroup& b) {
                     return std::abs(a.delta) > std::abs(b.delta);
                   });
  return groups;
}

GroupFacts FactsOf(const Comparison& c, const ContributionGroup& group) {
  GroupFacts facts;
  double most = 0;
  std::set<std::uint32_t> seen;
  for (std::uint32_t row : group.rows) {
    const std::uint32_t pair = c.contributions[row].pair;
    if (!c.Place(pair).IsDeviceWork() || !seen.insert(pair).second) continue;
    AddDeviceFacts(c, pair, most, facts);
  }
  const bool on_device = group.kind <= CostKind::kCopy;
  if (on_device) return facts;
  facts.base_count = OperationsIn(*c.base, RangesOf(c, group, *c.base));
  facts.now_count = OperationsIn(*c.now, RangesOf(c, group, *c.now));
  AddCallFacts(c, group, facts);
  return facts;
}

}  // namespace xsp
