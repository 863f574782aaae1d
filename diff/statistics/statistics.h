#pragma once

#include <vector>

// The few textbook functions that verdicts rest on. Nothing here knows what was measured.
namespace xsp {

// The chance that a Student-t value of `df` degrees of freedom lies further from 0 than `t`, on
// either side. df > 0.
double StudentTwoSided(double t, double df);

// The t that a value of `df` degrees of freedom stays below with chance `p`; 0.5 <= p < 1.
double StudentQuantile(double p, double df);

// Mann and Whitney's rank test: do two sets of values come from one distribution? It asks only
// which value is larger, so a single outlier cannot decide it.
struct RankTest {
  double p = 1;        // Two-sided.
  double least_p = 1;  // The smallest p that so many values can give: all of one below the other.

  // Whether the ranks speak for a difference as clearly as so few values can.
  bool Significant(double level) const { return p <= level || p <= least_p * (1 + 1e-9); }
};
// Exact for few values without ties, else by the normal distribution with ties corrected for.
// Says nothing (p = 1) where a set is empty.
RankTest CompareRanks(const std::vector<double>& a, const std::vector<double>& b);

// Holm's correction: p-values of many tests made at once, so that the chance of even one false
// alarm among those below a level stays below that level. In the order of the input.
std::vector<double> HolmCorrected(const std::vector<double>& p);

}  // namespace xsp
