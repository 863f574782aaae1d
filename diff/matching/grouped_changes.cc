#include "diff/matching/grouped_changes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "diff/matching/numbered_path.h"
#include "model/names/kernel_names.h"

namespace xsp {
namespace {

// Rows of Comparison::changes by pair, for what was added or removed.
std::vector<std::uint32_t> ComingsAndGoings(const Comparison& c) {
  std::vector<std::uint32_t> rows(c.matching.pairs.size(), RunPlace::kNone);
  for (std::uint32_t i = 0; i < c.changes.size(); ++i) {
    const ChangeKind kind = c.changes[i].kind;
    if (kind == ChangeKind::kAdded || kind == ChangeKind::kRemoved) rows[c.changes[i].pair] = i;
  }
  return rows;
}

// The pair above one that is on one side only, if it came or went with it.
std::uint32_t PairAbove(const Comparison& c, std::uint32_t pair) {
  const PlacePair& of = c.matching.pairs[pair];
  const bool was_added = of.base == RunPlace::kNone;
  const Side& side = was_added ? *c.now : *c.base;
  const std::uint32_t parent = side.places()[was_added ? of.now : of.base].parent;
  if (parent == RunPlace::kNone) return RunPlace::kNone;
  const std::uint32_t above =
      was_added ? c.matching.pair_of_now[parent] : c.matching.pair_of_base[parent];
  return c.matching.pairs[above].how == of.how ? above : RunPlace::kNone;
}

std::string ShownPath(const Comparison& c, std::uint32_t pair) {
  const PlacePair& of = c.matching.pairs[pair];
  const Side& side = of.base == RunPlace::kNone ? *c.now : *c.base;
  const std::uint32_t place = of.base == RunPlace::kNone ? of.now : of.base;
  if (!side.places()[place].is_kernel) return side.Path(place);
  const std::string above = side.Path(side.places()[place].parent);
  return (above.empty() ? "" : above + "/") + ShortKernelName(side.places()[place].name);
}

void AddMember(const Comparison& c, std::uint32_t row, ChangeGroup& group) {
  if (group.members.empty()) group.change = c.changes[row];
  group.members.push_back(row);
  const PlacePair& pair = c.matching.pairs[c.changes[row].pair];
  if (pair.base != RunPlace::kNone) {
    group.base_device += c.base->MeanDeviceTime(pair.base);
    group.base_count += c.base->MeanCount(pair.base);
  }
  if (pair.now != RunPlace::kNone) {
    group.now_device += c.now->MeanDeviceTime(pair.now);
    group.now_count += c.now->MeanCount(pair.now);
  }
}

}  // namespace

std::vector<ChangeGroup> GroupChanges(const Comparison& c) {
  const std::vector<std::uint32_t> row_of_pair = ComingsAndGoings(c);
  std::vector<ChangeGroup> groups;
  std::map<std::tuple<ChangeKind, std::string>, std::size_t> alike;
  std::map<std::size_t, std::vector<NumberedPath>> paths;  // By group.
  std::vector<std::size_t> group_of(c.changes.size());
  std::vector<std::uint32_t> inner;  // Rows that stand below another.
  for (std::uint32_t i = 0; i < c.changes.size(); ++i) {
    const Change& change = c.changes[i];
    const bool is_coming = row_of_pair[change.pair] == i;
    if (is_coming && PairAbove(c, change.pair) != RunPlace::kNone) {
      inner.push_back(i);
      continue;
    }
    std::size_t at = groups.size();
    if (is_coming) {
      NumberedPath path = TakeNumbers(ShownPath(c, change.pair));
      at = alike.try_emplace({change.kind, path.pattern}, at).first->second;
      paths[at].push_back(std::move(path));
    }
    if (at == groups.size()) groups.emplace_back();
    AddMember(c, i, groups[at]);
    group_of[i] = at;
  }
  for (std::uint32_t row : inner) {
    std::uint32_t top = c.changes[row].pair;
    for (std::uint32_t above = PairAbove(c, top); above != RunPlace::kNone;
         above = PairAbove(c, top)) {
      top = above;
    }
    ++groups[group_of[row_of_pair[top]]].below;
  }
  for (const auto& [at, of] : paths) {
    std::vector<const NumberedPath*> pointers;
    for (const NumberedPath& path : of) pointers.push_back(&path);
    groups[at].where = PathOf(pointers);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const ChangeGroup& a, const ChangeGroup& b) {
    return std::max(a.base_device, a.now_device) > std::max(b.base_device, b.now_device);
  });
  return groups;
}

}  // namespace xsp
