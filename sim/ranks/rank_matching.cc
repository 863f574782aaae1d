#include "sim/ranks/rank_matching.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/quantile.h"

namespace xsp {
namespace {

constexpr std::string_view kExchange = "exchange";  // Sends and receives at once.
constexpr std::size_t kMostMoves = 256;     // By so many operations a recording may begin later.
constexpr std::size_t kMomentsToMove = 64;  // By so many ends that is told.

// The instances of one communicator, rank by rank.
struct Communicator {
  struct OfRank {
    std::uint32_t rank = 0;
    std::vector<std::uint32_t> instances;  // Collectives, in order.
    std::vector<std::uint32_t> messages;
    std::int64_t moved = 0;  // Added to its count.
  };
  std::vector<OfRank> ranks;
  bool is_counted = false;  // By each rank for itself.

  OfRank& Of(std::uint32_t rank) {
    if (ranks.empty() || ranks.back().rank != rank) ranks.push_back({rank, {}, {}});
    return ranks.back();
  }
};

class Matcher {
 public:
  explicit Matcher(std::span<const RankTables> ranks)
      : ranks_(ranks), starts_(SessionStarts(ranks)) {
    result_.first.push_back(0);
    for (const RankTables& rank : ranks) {
      result_.first.push_back(result_.first.back() +
                              static_cast<std::uint32_t>(rank.collectives.size()));
    }
    result_.joint.assign(result_.first.back(), kNoJoint);
  }

  MatchedCollectives Run() {
    Gather();
    for (Communicator& communicator : communicators_) {
      if (communicator.is_counted) MoveLateOnes(communicator);
      MatchByCount(communicator);
      MatchMessages(communicator);
    }
    result_.members = RowLists::Of(joints_, members_);
    return std::move(result_);
  }

 private:
  const CollectiveInstance& At(std::uint32_t rank, std::uint32_t instance) const {
    return ranks_[rank].collectives[instance - result_.first[rank]];
  }

  void Gather() {
    std::unordered_map<std::string_view, std::size_t> known;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      for (std::uint32_t i = result_.first[rank]; i < result_.first[rank + 1]; ++i) {
        const CollectiveInstance& instance = At(rank, i);
        const auto [at, is_new] = known.emplace(instance.communicator, communicators_.size());
        if (is_new) communicators_.emplace_back();
        Communicator& communicator = communicators_[at->second];
        communicator.is_counted |= !instance.sequence_is_recorded;
        Communicator::OfRank& of_rank = communicator.Of(rank);
        (IsMessage(instance) ? of_rank.messages : of_rank.instances).push_back(i);
      }
    }
  }

  TimeNs EndOf(std::uint32_t rank, std::uint32_t instance) const {
    return starts_[rank] + At(rank, instance).end_ns;
  }

  // How unevenly the ends of `few`, moved by so many, lie to those of `many`: the middle distance
  // from the middle difference; then that difference itself.
  std::pair<DurationNs, DurationNs> Unevenness(const Communicator::OfRank& many,
                                               const Communicator::OfRank& few,
                                               std::size_t moved) const {
    std::vector<DurationNs> differences;
    const std::size_t stride = few.instances.size() / kMomentsToMove + 1;
    for (std::size_t i = 0; i < few.instances.size(); i += stride) {
      differences.push_back(EndOf(few.rank, few.instances[i]) -
                            EndOf(many.rank, many.instances[i + moved]));
    }
    const DurationNs middle = UpperMedian(differences);
    for (DurationNs& difference : differences) difference = std::abs(difference - middle);
    return {UpperMedian(differences), std::abs(middle)};
  }

  void MoveLateOnes(Communicator& communicator) const {
    for (Communicator::OfRank& of_rank : communicator.ranks) {
      std::stable_sort(of_rank.instances.begin(), of_rank.instances.end(),
                       [&](std::uint32_t a, std::uint32_t b) {
                         return At(of_rank.rank, a).sequence < At(of_rank.rank, b).sequence;
                       });
    }
    const auto most = std::max_element(
        communicator.ranks.begin(), communicator.ranks.end(),
        [](const auto& a, const auto& b) { return a.instances.size() < b.instances.size(); });
    for (Communicator::OfRank& few : communicator.ranks) {
      if (few.instances.empty()) continue;
      const std::size_t missing = most->instances.size() - few.instances.size();
      auto best = Unevenness(*most, few, 0);
      for (std::size_t moved = 1; moved <= std::min(missing, kMostMoves); ++moved) {
        const auto found = Unevenness(*most, few, moved);
        if (found >= best) continue;
        best = found;
        few.moved = static_cast<std::int64_t>(moved);
      }
    }
  }

  // Keys with the instances that have them, put together.
  using Keyed = std::vector<std::pair<std::array<std::int64_t, 4>, std::uint32_t>>;
  void Join(Keyed& keyed) {
    std::sort(keyed.begin(), keyed.end());
    for (std::size_t i = 0; i < keyed.size();) {
      std::size_t end = i;
      while (end < keyed.size() && keyed[end].first == keyed[i].first) ++end;
      // One rank twice is no joint operation: the source counts otherwise.
      bool is_joint = end - i > 1;
      for (std::size_t k = i + 1; k < end; ++k) {
        is_joint &= result_.RankOf(keyed[k].second) != result_.RankOf(keyed[k - 1].second);
      }
      for (std::size_t k = i; is_joint && k < end; ++k) {
        result_.joint[keyed[k].second] = joints_;
        members_.emplace_back(joints_, keyed[k].second);
      }
      joints_ += is_joint ? 1 : 0;
      i = end;
    }
  }

  void MatchByCount(const Communicator& communicator) {
    Keyed keyed;
    for (const Communicator::OfRank& of_rank : communicator.ranks) {
      for (const std::uint32_t i : of_rank.instances) {
        keyed.push_back({{At(of_rank.rank, i).sequence + of_rank.moved, 0, 0, 0}, i});
      }
    }
    Join(keyed);
  }

  // Ranks in a communicator are numbered in the order of their numbers in the job.
  void MatchMessages(const Communicator& communicator) {
    Keyed keyed;
    for (std::size_t place = 0; place < communicator.ranks.size(); ++place) {
      const Communicator::OfRank& of_rank = communicator.ranks[place];
      std::map<std::pair<std::int64_t, std::string_view>, std::int64_t> counts;
      for (const std::uint32_t i : of_rank.messages) {
        const CollectiveInstance& message = At(of_rank.rank, i);
        const auto self = SelfIn(communicator, place, message);
        if (!self || message.peer == kMissing<std::int64_t>) continue;
        const std::int64_t count = counts[{message.peer, message.operation}]++;
        const bool is_exchange = message.operation == kExchange;
        const bool comes_first = is_exchange ? *self < message.peer : message.operation == "send";
        const std::int64_t from = comes_first ? *self : message.peer;
        const std::int64_t to = comes_first ? message.peer : *self;
        keyed.push_back({{from, to, is_exchange ? 1 : 0, count}, i});
      }
    }
    Join(keyed);
  }

  std::optional<std::int64_t> SelfIn(const Communicator& communicator, std::size_t place,
                                     const CollectiveInstance& message) const {
    const RankFacts& facts = ranks_[communicator.ranks[place].rank].facts;
    if (message.participants == 2) return 1 - message.peer;
    const bool is_world =
        message.participants == kMissing<std::int64_t> || message.participants == facts.world_size;
    if (is_world && facts.global_rank != kMissing<std::int64_t>) return facts.global_rank;
    if (message.participants == static_cast<std::int64_t>(communicator.ranks.size())) {
      return static_cast<std::int64_t>(place);
    }
    return std::nullopt;
  }

  std::span<const RankTables> ranks_;
  const std::vector<TimeNs> starts_;
  std::vector<Communicator> communicators_;
  MatchedCollectives result_;
  JointRow joints_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> members_;
};

}  // namespace

std::uint32_t MatchedCollectives::RankOf(std::uint32_t instance) const {
  const auto after = std::upper_bound(first.begin(), first.end(), instance);
  return static_cast<std::uint32_t>(after - first.begin()) - 1;
}

std::vector<TimeNs> SessionStarts(std::span<const RankTables> ranks) {
  std::vector<TimeNs> starts;
  TimeNs earliest = kMissing<std::int64_t>;
  for (const RankTables& rank : ranks) {
    const TimeNs start = rank.facts.session_start_ns;
    starts.push_back(start);
    if (start == kMissing<std::int64_t>) continue;
    if (earliest == kMissing<std::int64_t> || start < earliest) earliest = start;
  }
  for (TimeNs& start : starts) start = start == kMissing<std::int64_t> ? 0 : start - earliest;
  return starts;
}

bool IsMessage(const CollectiveInstance& instance) {
  return instance.operation == "send" || instance.operation == "receive" ||
         instance.operation == kExchange;
}

MatchedCollectives MatchCollectives(std::span<const RankTables> ranks) {
  return Matcher(ranks).Run();
}

}  // namespace xsp
