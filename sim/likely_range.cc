#include "sim/likely_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "sim/plan/plan.h"

namespace xsp {
namespace {

// Calibrated on generated programs (tests/proof/ranges): the least that hold the truth of 8 in 10.
// What even an unchanged program is off by in another run; and what is off where a graph is trusted
// less.
constexpr double kAnotherRun = 0.018, kOfFairTrust = 0.04, kOfLowTrust = 0.15;
// What a change is off by, as a share of it: waits that nobody saw come into being or go, and the
// host takes another time for what is put in.
constexpr double kOfStructural = 0.06, kOfScaling = 0.08, kOfInserted = 0.15;
// Of what a replay does not explain nobody knows whether it stays: half of it may go.
constexpr double kOfTheReplay = 1.5, kMostOfTheReplay = 0.5;
constexpr double kOfTheMean = 2;

double ShareOfChange(std::uint8_t evidence) {
  if ((evidence & kInserted) != 0) return kOfInserted;
  return (evidence & kScaling) != 0 ? kOfScaling : kOfStructural;
}

double ShareOfTrust(TrustLevel trust) {
  if (trust == TrustLevel::kLow) return kOfLowTrust;
  return trust == TrustLevel::kFair ? kOfFairTrust : kAnotherRun;
}

double Square(double value) { return value * value; }

// How much wider than for many steps a range is that holds the mean 8 times in 10 where a few of
// them must tell how much all differ: by Student's t, of so many degrees of freedom.
double FewStepsFactor(std::size_t steps) {
  constexpr double kOfMany = 1.282;
  constexpr std::array kOfFew = {3.078, 1.886, 1.638, 1.533, 1.476,
                                 1.44,  1.415, 1.397, 1.383, 1.372};
  if (steps < 2) return 1;
  return steps - 2 < kOfFew.size() ? kOfFew[steps - 2] / kOfMany : 1;
}

// By which factor somebody else's work changes that does the same.
double FactorOfOthers(const Uncertainty& of) {
  if (of.device_before <= 0) return 1;
  return static_cast<double>(of.device_after) / static_cast<double>(of.device_before);
}

// What does not depend on which durations were touched; parts that know nothing of each other.
double HalfWidth(const Uncertainty& of) {
  const auto forecast = static_cast<double>(of.forecast);
  const double mean = FewStepsFactor(of.steps) * of.spread /
                      std::sqrt(static_cast<double>(std::max<std::size_t>(1, of.steps)));
  // As much of the forecast, or what is kept of the step that was measured though nothing tells
  // why.
  const double off = std::abs(of.replay_error);
  const double replay = std::max(std::min(kMostOfTheReplay, kOfTheReplay * off) * forecast,
                                 std::min(off * static_cast<double>(of.measured), forecast / 2));
  // What is left of a large gain is not less certain than what was there.
  const double change =
      std::min(forecast, std::abs(static_cast<double>(of.forecast - of.measured)));
  return std::sqrt(Square(ShareOfTrust(of.trust) * forecast) +
                   Square(kOfTheMean * mean * forecast) + Square(replay) +
                   Square(ShareOfChange(of.evidence) * change) +
                   Square(static_cast<double>(of.other_steps)));
}

}  // namespace

LikelyRange LikelyRangeOf(const Uncertainty& of) {
  const double half = HalfWidth(of);
  const auto forecast = static_cast<double>(of.forecast);
  const auto company = static_cast<double>(of.other_company);
  // Times cannot be below none: what may be twice as long may be half as long, too.
  const double below = half * forecast / (forecast + half);
  double fast = forecast - std::hypot(below, static_cast<double>(of.forecast - of.fast),
                                      std::max(0.0, company));
  double slow = forecast + std::hypot(half, static_cast<double>(of.slow - of.forecast),
                                      std::max(0.0, -company));
  // A wait for somebody else grows by what the rest gains, and takes up what the rest loses; work
  // does neither; a wait for what became faster shrinks with it.
  const double may_wait = static_cast<double>(of.may_wait + of.unseen_ranks);
  const auto gained = static_cast<double>(of.measured - of.forecast);
  if (gained > 0) {
    slow += std::min(may_wait, gained);
    fast -= may_wait * gained / static_cast<double>(of.measured);
  } else {
    fast -= std::min(may_wait, -gained);
  }
  // Or for somebody who does the same work, as another rank.
  const double others = FactorOfOthers(of);
  const auto for_others = static_cast<double>(of.for_others);
  if (others < 1) fast = std::min(fast, forecast - below - for_others * (1 - others));
  if (others > 1) slow = std::max(slow, forecast + half + for_others * (others - 1));
  const double least = 1;  // Never without width.
  return {static_cast<DurationNs>(std::max(0.0, std::min(fast, forecast - least))),
          static_cast<DurationNs>(std::max(slow, forecast + least))};
}

double MarginOfBest(const Uncertainty& of) {
  constexpr double kLeast = 0.05, kMost = 0.5;
  const auto steps = static_cast<double>(std::max<std::size_t>(1, of.steps));
  return std::min(kMost, kLeast + std::abs(of.replay_error) + 3 * of.spread / std::sqrt(steps));
}

}  // namespace xsp
