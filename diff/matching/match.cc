#include "diff/matching/match.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "diff/matching/kernel_key.h"
#include "model/names/kernel_names.h"

namespace xsp {
namespace {

using Places = std::vector<std::uint32_t>;

// Keys of names, each made once: names repeat in hundreds of places.
class KeyCache {
 public:
  using Maker = std::string (*)(std::string_view);
  explicit KeyCache(Maker make) : make_(make) {}

  const std::string& Of(const std::string& name) {
    const auto [it, is_new] = keys_.try_emplace(name);
    if (is_new) it->second = make_(name);
    return it->second;
  }

 private:
  Maker make_;
  std::unordered_map<std::string, std::string> keys_;
};

class Matcher {
 public:
  Matcher(const Side& base, const Side& now)
      : base_(base),
        now_(now),
        now_of_(base.places().size(), RunPlace::kNone),
        base_of_(now.places().size(), RunPlace::kNone),
        how_(base.places().size(), MatchKind::kRemoved) {}

  Matching Run() {
    Join(0, 0, MatchKind::kExact);
    MatchBelowJoined();
    FindMoved();
    FindReplaced();
    return Result();
  }

 private:
  void Join(std::uint32_t base, std::uint32_t now, MatchKind how) {
    now_of_[base] = now;
    base_of_[now] = base;
    how_[base] = how;
    joined_.emplace_back(base, now);
  }

  // Goes down from every pair that has been joined since.
  void MatchBelowJoined() {
    for (; next_ < joined_.size(); ++next_) {
      const auto [base, now] = joined_[next_];
      MatchChildren(base, now);
    }
  }

  Places Unmatched(const Places& places, const std::vector<std::uint32_t>& other) const {
    Places left;
    for (std::uint32_t place : places) {
      if (other[place] == RunPlace::kNone) left.push_back(place);
    }
    return left;
  }

  // Joins what has the same key, in order. A key of "" joins nothing.
  template <class KeyOf>
  void JoinByKey(const Places& of_base, const Places& of_now, MatchKind how, KeyOf key_of) {
    std::map<std::pair<Level, std::string>, Places> by_key;
    for (auto it = of_now.rbegin(); it != of_now.rend(); ++it) {
      if (base_of_[*it] != RunPlace::kNone) continue;
      const RunPlace& place = now_.places()[*it];
      std::string key = key_of(place);
      if (!key.empty()) by_key[{place.level, std::move(key)}].push_back(*it);
    }
    if (by_key.empty()) return;
    for (std::uint32_t base : of_base) {
      if (now_of_[base] != RunPlace::kNone) continue;
      const RunPlace& place = base_.places()[base];
      const auto found = by_key.find({place.level, key_of(place)});
      if (found == by_key.end() || found->second.empty()) continue;
      Join(base, found->second.back(), how);
      found->second.pop_back();
    }
  }

  void MatchChildren(std::uint32_t base, std::uint32_t now) {
    Places of_base = base_.children()[base];
    Places of_now = now_.children()[now];
    JoinByKey(of_base, of_now, MatchKind::kExact, [](const RunPlace& p) { return p.name; });
    of_base = Unmatched(of_base, now_of_);
    of_now = Unmatched(of_now, base_of_);
    if (of_base.empty() || of_now.empty()) return;
    for (KeyCache* keys : {&canonical_, &tuning_free_, &type_free_}) {
      JoinByKey(of_base, of_now, MatchKind::kRenamed,
                [&](const RunPlace& p) { return p.is_kernel ? keys->Of(p.name) : std::string(); });
    }
    JoinByKey(of_base, of_now, MatchKind::kRenamed,
              [&](const RunPlace& p) { return p.IsRange() ? loose_.Of(p.name) : std::string(); });
    MatchRangesByContent(Unmatched(of_base, now_of_), Unmatched(of_now, base_of_));
  }

  // What a range does: its kernels, whatever their precision.
  std::set<std::string> ContentOf(const Side& side, std::uint32_t range) {
    std::set<std::string> content;
    Places stack = {range};
    while (!stack.empty()) {
      const std::uint32_t place = stack.back();
      stack.pop_back();
      if (side.places()[place].is_kernel) content.insert(type_free_.Of(side.places()[place].name));
      stack.insert(stack.end(), side.children()[place].begin(), side.children()[place].end());
    }
    return content;
  }

  static double ShareInCommon(const std::set<std::string>& a, const std::set<std::string>& b) {
    std::size_t both = 0;
    for (const std::string& key : a) both += b.contains(key);
    const std::size_t either = a.size() + b.size() - both;
    return either == 0 ? 0 : static_cast<double>(both) / static_cast<double>(either);
  }

  // Ranges of the same level that hold mostly the same kernels, the most alike first.
  void MatchRangesByContent(const Places& of_base, const Places& of_now) {
    constexpr std::size_t kMost = 64;  // Quadratic; so many new names are another program.
    constexpr double kLeastInCommon = 0.5;
    auto ranges_of = [](const Side& side, const Places& places) {
      Places ranges;
      for (std::uint32_t p : places) {
        if (side.places()[p].IsRange()) ranges.push_back(p);
      }
      return ranges;
    };
    const Places base_ranges = ranges_of(base_, of_base);
    const Places now_ranges = ranges_of(now_, of_now);
    if (base_ranges.empty() || now_ranges.empty()) return;
    if (base_ranges.size() > kMost || now_ranges.size() > kMost) return;
    std::vector<std::set<std::string>> now_content;
    for (std::uint32_t p : now_ranges) now_content.push_back(ContentOf(now_, p));
    std::vector<std::tuple<double, std::uint32_t, std::uint32_t>> likeness;
    for (std::uint32_t b : base_ranges) {
      const std::set<std::string> content = ContentOf(base_, b);
      for (std::size_t i = 0; i < now_ranges.size(); ++i) {
        if (base_.places()[b].level != now_.places()[now_ranges[i]].level) continue;
        const double share = ShareInCommon(content, now_content[i]);
        if (share >= kLeastInCommon) likeness.emplace_back(-share, b, now_ranges[i]);
      }
    }
    std::sort(likeness.begin(), likeness.end());
    for (const auto& [share, b, n] : likeness) {
      if (now_of_[b] == RunPlace::kNone && base_of_[n] == RunPlace::kNone)
        Join(b, n, MatchKind::kRenamed);
    }
  }

  // All that is still alone, in the order of places: parents first.
  static Places Alone(const std::vector<std::uint32_t>& other) {
    Places alone;
    for (std::uint32_t place = 0; place < other.size(); ++place) {
      if (other[place] == RunPlace::kNone) alone.push_back(place);
    }
    return alone;
  }

  void FindMoved() {
    // Ranges first, one at a time: what is in one goes with it.
    std::map<std::pair<Level, std::string>, Places> by_name;
    for (std::uint32_t place : Alone(base_of_)) {
      const RunPlace& p = now_.places()[place];
      if (p.IsRange()) by_name[{p.level, p.name}].push_back(place);
    }
    for (std::uint32_t base : Alone(now_of_)) {
      const RunPlace& p = base_.places()[base];
      if (!p.IsRange() || now_of_[base] != RunPlace::kNone) continue;
      const auto found = by_name.find({p.level, p.name});
      if (found == by_name.end()) continue;
      const auto free =
          std::find_if(found->second.begin(), found->second.end(),
                       [&](std::uint32_t n) { return base_of_[n] == RunPlace::kNone; });
      if (free == found->second.end()) continue;
      Join(base, *free, MatchKind::kMoved);
      MatchBelowJoined();
    }
    const Places of_base = Alone(now_of_);
    const Places of_now = Alone(base_of_);
    JoinByKey(of_base, of_now, MatchKind::kMoved,
              [](const RunPlace& p) { return p.IsDeviceWork() ? p.name : std::string(); });
    for (KeyCache* keys : {&canonical_, &tuning_free_}) {
      JoinByKey(of_base, of_now, MatchKind::kMoved,
                [&](const RunPlace& p) { return p.is_kernel ? keys->Of(p.name) : std::string(); });
    }
  }

  // Kernels without a counterpart below places that have one.
  void FindReplaced() {
    for (std::uint32_t base = 0; base < now_of_.size(); ++base) {
      const std::uint32_t now = now_of_[base];
      if (now == RunPlace::kNone) continue;
      Places of_base = KernelsAlone(base_, base_.children()[base], now_of_);
      Places of_now = KernelsAlone(now_, now_.children()[now], base_of_);
      if (of_base.empty() || of_now.empty()) continue;
      ByTime(base_, of_base);
      ByTime(now_, of_now);
      JoinByKey(of_base, of_now, MatchKind::kReplaced, [](const RunPlace& p) {
        return p.kernel_class == KernelClass::kOther ? std::string()
                                                     : std::string(NameOf(p.kernel_class));
      });
      // The only one of its place that is left, on both sides.
      of_base = Unmatched(of_base, now_of_);
      of_now = Unmatched(of_now, base_of_);
      if (of_base.size() == 1 && of_now.size() == 1) {
        Join(of_base.front(), of_now.front(), MatchKind::kReplaced);
      }
    }
  }

  Places KernelsAlone(const Side& side, const Places& children,
                      const std::vector<std::uint32_t>& other) const {
    Places kernels;
    for (std::uint32_t place : Unmatched(children, other)) {
      if (side.places()[place].is_kernel) kernels.push_back(place);
    }
    return kernels;
  }

  static void ByTime(const Side& side, Places& places) {
    std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
      return side.MeanDeviceTime(a) > side.MeanDeviceTime(b);
    });
  }

  Matching Result() const {
    Matching result;
    result.pair_of_base.resize(now_of_.size());
    result.pair_of_now.resize(base_of_.size());
    for (std::uint32_t base = 0; base < now_of_.size(); ++base) {
      result.pair_of_base[base] = static_cast<std::uint32_t>(result.pairs.size());
      if (now_of_[base] != RunPlace::kNone)
        result.pair_of_now[now_of_[base]] = result.pair_of_base[base];
      result.pairs.push_back({base, now_of_[base], how_[base]});
    }
    for (std::uint32_t now : Alone(base_of_)) {
      result.pair_of_now[now] = static_cast<std::uint32_t>(result.pairs.size());
      result.pairs.push_back({RunPlace::kNone, now, MatchKind::kAdded});
    }
    return result;
  }

  static std::string CanonicalName(std::string_view name) { return ReadKernelName(name).name; }

  const Side& base_;
  const Side& now_;
  std::vector<std::uint32_t> now_of_, base_of_;  // By place; RunPlace::kNone: not found yet.
  std::vector<MatchKind> how_;                   // By place of the base.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> joined_;
  std::size_t next_ = 0;  // In joined_: below these nobody has looked yet.
  KeyCache canonical_{CanonicalName};
  KeyCache tuning_free_{TuningFreeKey};
  KeyCache type_free_{TypeFreeKey};
  KeyCache loose_{LooseRangeName};
};

}  // namespace

Matching MatchSides(const Side& base, const Side& now) { return Matcher(base, now).Run(); }

}  // namespace xsp
