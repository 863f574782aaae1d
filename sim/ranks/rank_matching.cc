#include "sim/ranks/rank_matching.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/quantile.h"

namespace xsp {
namespace {

constexpr std::string_view kExchange = "exchange";  // Sends and receives at once.
constexpr std::string_view kGuess = "kernel:";      // Begins the name of who is not known.
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
  bool is_guessed = false;  // The source told of none: all that do the same are put together.

  OfRank& Of(std::uint32_t rank) {
    if (ranks.empty() || ranks.back().rank != rank) ranks.push_back({rank, {}, {}});
    return ranks.back();
  }
};

// A communicator has a stream of its own on each rank. Where the source told of none, streams stand
// for them, in the order in which they are used: that is the same on ranks of one program.
class GuessedStreams {
 public:
  std::string NameOf(const CollectiveInstance& instance) {
    if (!instance.communicator.starts_with(kGuess)) return instance.communicator;
    auto& streams = streams_[instance.communicator];
    const auto number = streams.try_emplace(instance.stream, streams.size()).first->second;
    return instance.communicator + " " + std::to_string(number);
  }

 private:
  std::map<std::string, std::map<std::int64_t, std::size_t>> streams_;
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
      if (communicator.is_guessed) {
        const std::vector<Communicator> parts = Split(communicator);
        result_.is_guessed |= parts.size() > 1;
        for (const Communicator& part : parts) MatchByCount(part);
        continue;
      }
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
    std::unordered_map<std::string, std::size_t> known;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      GuessedStreams streams;
      for (std::uint32_t i = result_.first[rank]; i < result_.first[rank + 1]; ++i) {
        const CollectiveInstance& instance = At(rank, i);
        const auto [at, is_new] = known.emplace(streams.NameOf(instance), communicators_.size());
        if (is_new) communicators_.emplace_back();
        Communicator& communicator = communicators_[at->second];
        communicator.is_counted |= !instance.sequence_is_recorded;
        communicator.is_guessed = instance.communicator.starts_with(kGuess);
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

  // Moves `few` to where its ends lie to those of `many` most evenly; how evenly that is.
  std::pair<DurationNs, DurationNs> Move(const Communicator::OfRank& many,
                                         Communicator::OfRank& few) const {
    const std::size_t missing = many.instances.size() - few.instances.size();
    auto best = Unevenness(many, few, 0);
    few.moved = 0;
    for (std::size_t moved = 1; moved <= std::min(missing, kMostMoves); ++moved) {
      const auto found = Unevenness(many, few, moved);
      if (found >= best) continue;
      best = found;
      few.moved = static_cast<std::int64_t>(moved);
    }
    return best;
  }

  void SortBySequence(Communicator& communicator) const {
    for (Communicator::OfRank& of_rank : communicator.ranks) {
      std::stable_sort(of_rank.instances.begin(), of_rank.instances.end(),
                       [&](std::uint32_t a, std::uint32_t b) {
                         return At(of_rank.rank, a).sequence < At(of_rank.rank, b).sequence;
                       });
    }
  }

  void MoveLateOnes(Communicator& communicator) const {
    SortBySequence(communicator);
    const auto most = std::max_element(
        communicator.ranks.begin(), communicator.ranks.end(),
        [](const auto& a, const auto& b) { return a.instances.size() < b.instances.size(); });
    for (Communicator::OfRank& few : communicator.ranks) {
      if (!few.instances.empty()) Move(*most, few);
    }
  }

  bool ShareClock(std::uint32_t a, std::uint32_t b) const {
    const RankFacts& one = ranks_[a].facts;
    const RankFacts& other = ranks_[b].facts;
    constexpr auto kUnknown = kMissing<std::int64_t>;
    return one.session_start_ns != kUnknown && other.session_start_ns != kUnknown &&
           !one.host.empty() && one.host == other.host;
  }

  // Ends of one operation lie no farther apart: far less than those of the next one.
  DurationNs MostApart(const Communicator::OfRank& of_rank) const {
    constexpr DurationNs kLeast = 50'000;
    constexpr std::int64_t kPartOfTurn = 20;
    const auto turns = static_cast<std::int64_t>(of_rank.instances.size());
    const DurationNs time = EndOf(of_rank.rank, of_rank.instances.back()) -
                            EndOf(of_rank.rank, of_rank.instances.front());
    return std::max(kLeast, time / turns / kPartOfTurn);
  }

  // Ranks that do the same need not do it with each other: those do whose ends go together.
  std::vector<Communicator> Split(Communicator& communicator) const {
    constexpr std::size_t kMostParts = 64;
    SortBySequence(communicator);
    std::stable_sort(
        communicator.ranks.begin(), communicator.ranks.end(),
        [](const auto& a, const auto& b) { return a.instances.size() > b.instances.size(); });
    std::vector<Communicator> parts;
    for (Communicator::OfRank& of_rank : communicator.ranks) {
      if (of_rank.instances.empty()) continue;
      const auto found = std::find_if(parts.begin(), parts.end(), [&](const Communicator& part) {
        const Communicator::OfRank& first = part.ranks.front();
        const auto [apart, ahead] = Move(first, of_rank);
        const DurationNs most = MostApart(first);
        return apart <= most && (ahead <= most || !ShareClock(first.rank, of_rank.rank));
      });
      if (found != parts.end()) {
        found->ranks.push_back(std::move(of_rank));
      } else if (parts.size() < kMostParts) {
        of_rank.moved = 0;
        parts.emplace_back().ranks.push_back(std::move(of_rank));
      }
    }
    return parts;
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
    // The largest communicator that a recording knows may be a part of the job.
    const bool is_whole = facts.world_size >= static_cast<std::int64_t>(ranks_.size()) &&
                          facts.global_rank < facts.world_size;
    const bool is_world = message.participants == kMissing<std::int64_t> ||
                          (is_whole && message.participants == facts.world_size);
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

MatchedCollectives MatchCollectives(std::span<const RankTables> ranks) {
  return Matcher(ranks).Run();
}

}  // namespace xsp
