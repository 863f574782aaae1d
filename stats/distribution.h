#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "model/time.h"
#include "stats/rounding.h"
#include "stats/stats_table.h"

namespace xsp {

// What NVIDIA's summaries say about a set of values. Not rounded.
struct Distribution {
  std::int64_t count = 0;
  std::int64_t total = 0;
  double average = 0;
  double median = 0;  // Of an even number of values: the mean of the two in the middle.
  std::int64_t min = 0;
  std::int64_t max = 0;
  double deviation = 0;  // Of a sample (n - 1); 0 for one value.
};

// Reorders the values. There must be at least one.
Distribution Describe(std::span<std::int64_t> values);

// The value below which `share` (0 to 1) of the values lie: the one at rank ceil(share * n).
// Reorders the values. There must be at least one.
std::int64_t Percentile(std::span<std::int64_t> values, double share);

// Collects values under keys and describes each key's values, in O(n). `Width` 32-bit numbers make
// a key, most often ids.
template <std::size_t Width>
class GroupedValues {
 public:
  using Key = std::array<std::uint32_t, Width>;
  struct Group {
    Key key;
    Distribution values;
  };

  // The number of the key's group: 0, 1, ... in order of first use.
  std::uint32_t GroupOf(const Key& key) {
    if (!keys_.empty() && keys_[last_] == key) return last_;
    auto [it, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(key);
    return last_ = it->second;
  }

  std::uint32_t Add(const Key& key, std::int64_t value) {
    const std::uint32_t group = GroupOf(key);
    groups_.push_back(group);
    values_.push_back(value);
    return group;
  }

  bool empty() const { return values_.empty(); }

  // One entry per key, in order of first use. Keys without values are described by zeros.
  std::vector<Group> Finish() const;

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      std::uint64_t hash = 0;
      for (std::uint32_t part : key) hash = HashWith(hash, part);
      return hash;
    }
  };

  std::unordered_map<Key, std::uint32_t, Hash> index_;
  std::vector<Key> keys_;
  std::uint32_t last_ = 0;
  std::vector<std::uint32_t> groups_;
  std::vector<std::int64_t> values_;
};

// The values group by group: those of group g are sorted[first[g]] up to sorted[first[g + 1]].
struct ValuesByGroup {
  std::vector<std::size_t> first;
  std::vector<std::int64_t> sorted;
};
ValuesByGroup SortByGroup(std::span<const std::uint32_t> group, std::span<const std::int64_t> value,
                          std::size_t group_count);

template <std::size_t Width>
auto GroupedValues<Width>::Finish() const -> std::vector<Group> {
  ValuesByGroup by_group = SortByGroup(groups_, values_, keys_.size());
  std::vector<Group> result;
  result.reserve(keys_.size());
  for (std::size_t g = 0; g < keys_.size(); ++g) {
    std::span<std::int64_t> own(by_group.sorted.data() + by_group.first[g],
                                by_group.first[g + 1] - by_group.first[g]);
    result.push_back({keys_[g], own.empty() ? Distribution{} : Describe(own)});
  }
  return result;
}

// The share of the whole in percent with one decimal; unknown (NaN) if the whole is 0.
double PercentOf(std::int64_t part, std::int64_t whole);

// The sum, at most the largest number there is.
std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b);

// The eight columns that most of NVIDIA's summaries begin with. `count` is what the third is
// called.
std::vector<StatsColumn> TimeSummaryColumns(std::string_view count,
                                            std::vector<StatsColumn> more_columns);

// Adds a row to a table with those columns.
template <class... More>
void AddTimeSummary(StatsTable& table, const Distribution& d, std::int64_t total_of_all,
                    const More&... more) {
  table.AddRow(PercentOf(d.total, total_of_all), d.total, d.count, RoundTenth(d.average),
               RoundTenth(d.median), d.min, d.max, RoundTenth(d.deviation), more...);
}

// A row of such a table before it is sorted: the values and the text columns, the name last.
template <std::size_t Texts>
struct SummaryRow {
  Distribution values;
  std::array<std::string_view, Texts> texts;
};

// Adds the rows, the largest total first; percentages are of the sum of all. Equal totals: the
// smaller count first, then by name.
template <std::size_t Texts>
void AddSummaries(StatsTable& table, std::vector<SummaryRow<Texts>> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    if (a.values.total != b.values.total) return a.values.total > b.values.total;
    if (a.values.count != b.values.count) return a.values.count < b.values.count;
    return std::lexicographical_compare(a.texts.rbegin(), a.texts.rend(), b.texts.rbegin(),
                                        b.texts.rend());
  });
  std::int64_t total = 0;
  for (const auto& row : rows) total = SaturatingAdd(total, row.values.total);
  for (const auto& row : rows) {
    std::apply([&](const auto&... texts) { AddTimeSummary(table, row.values, total, texts...); },
               row.texts);
  }
}

// The same for groups whose only text is a name: `name_of(key)`.
template <std::size_t Width, class NameOf>
void AddNamedSummaries(StatsTable& table, const GroupedValues<Width>& values, NameOf name_of) {
  std::vector<SummaryRow<1>> rows;
  for (const auto& group : values.Finish()) {
    rows.push_back({group.values, {std::string_view(name_of(group.key))}});
  }
  AddSummaries(table, std::move(rows));
}

}  // namespace xsp
