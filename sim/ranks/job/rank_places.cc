#include "sim/ranks/job/rank_places.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace xsp {
namespace {

// The message of a rank in a step of its own that came first: the one before which nothing was
// received. Receives may be posted long before, so that ends count.
std::optional<std::uint32_t> FirstMessage(const RankTables& rank) {
  // The first step may have begun before the recording.
  const std::int64_t first_step = rank.steps.size() > 1 ? rank.steps[1].step : 1;
  std::optional<std::uint32_t> found;
  for (std::uint32_t i = 0; i < rank.collectives.size(); ++i) {
    const CollectiveInstance& message = rank.collectives[i];
    if (!IsMessage(message) || message.step < first_step) continue;
    if (message.step > first_step) continue;
    if (!found || message.end_ns < rank.collectives[*found].end_ns) found = i;
  }
  return found;
}

template <class Key>
std::vector<std::uint32_t> Numbered(const std::vector<Key>& keys, std::size_t& groups) {
  std::map<Key, std::uint32_t> numbers;
  std::vector<std::uint32_t> result;
  for (const Key& key : keys) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    result.push_back(numbers.emplace(key, next).first->second);
  }
  groups = numbers.size();
  return result;
}

}  // namespace

std::vector<RankPlace> FindPlaces(std::span<const RankTables> ranks,
                                  const MatchedCollectives& matching) {
  std::vector<std::optional<std::uint32_t>> before(ranks.size());
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const auto first = FirstMessage(ranks[rank]);
    if (!first || ranks[rank].collectives[*first].operation != "receive") continue;
    const JointRow joint = matching.joint[matching.first[rank] + *first];
    if (joint == kNoJoint) continue;
    for (const std::uint32_t i : matching.members[joint]) {
      if (matching.RankOf(i) != rank) before[rank] = matching.RankOf(i);
    }
  }
  std::vector<RankPlace> places(ranks.size());
  std::map<std::uint32_t, std::int64_t> replicas;  // By the rank at the first stage.
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    std::uint32_t at = rank;
    std::int64_t stage = 0;
    for (; before[at] && stage < static_cast<std::int64_t>(ranks.size()); ++stage) at = *before[at];
    if (before[at]) {  // Round in a ring: no pipeline.
      at = rank;
      stage = 0;
    }
    places[rank].stage = stage;
    const auto next = static_cast<std::int64_t>(replicas.size());
    places[rank].data_parallel = replicas.emplace(at, next).first->second;
  }
  return places;
}

std::vector<std::uint32_t> FindGroups(std::span<const RankTables> ranks,
                                      const std::vector<RankPlace>& places) {
  const auto by = [&](auto text_of, std::size_t& groups) {
    std::vector<std::pair<std::int64_t, std::string>> keys;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      keys.emplace_back(places[rank].stage, text_of(ranks[rank].facts.fingerprint));
    }
    return Numbered(keys, groups);
  };
  std::size_t groups = 0;
  auto result = by([](const std::string& text) { return text; }, groups);
  if (ranks.size() < 4 || groups <= ranks.size() / 2) return result;
  result =
      by([](const std::string& text) { return text.substr(std::min(text.find('|'), text.size())); },
         groups);
  if (groups <= ranks.size() / 2) return result;
  return by([](const std::string&) { return std::string(); }, groups);
}

}  // namespace xsp
