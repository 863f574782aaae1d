#include "diff/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace xsp {
namespace {

// Continued fraction of the incomplete beta function, by Lentz's method.
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 500;
  auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < 1e-14) break;
  }
  return value;
}

// The regularised incomplete beta function I_x(a, b).
double IncompleteBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on this side only.
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

// How many of the ways to put n values of one set and m of another in order give the rank sum
// statistic U at most `u`, as a share of all ways. Counts of ways as doubles: exact up to 2^53, and
// a share of more than that is right to 16 digits.
double ShareOfOrders(std::size_t n, std::size_t m, std::size_t u) {
  // ways[k]: ways in which U is k, with the values taken in one by one (the standard recurrence:
  // the product of (1 - x^(m+i)) / (1 - x^i)).
  const std::size_t most = n * m;
  std::vector<double> ways(most + 1);
  ways[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t k = most; k >= m + i && k <= most; --k) ways[k] -= ways[k - m - i];
    for (std::size_t k = i; k <= most; ++k) ways[k] += ways[k - i];
  }
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  return std::accumulate(ways.begin(), ways.begin() + static_cast<std::ptrdiff_t>(u) + 1, 0.0) /
         all;
}

struct RankSums {
  double sum_of_a = 0;
  double ties = 0;  // Sum of t^3 - t over groups of t equal values.
};

RankSums RanksOf(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, bool>> all;
  all.reserve(a.size() + b.size());
  for (double v : a) all.emplace_back(v, true);
  for (double v : b) all.emplace_back(v, false);
  std::sort(all.begin(), all.end());
  RankSums ranks;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    while (end < all.size() && all[end].first == all[i].first) ++end;
    const double rank = static_cast<double>(i + end + 1) / 2;  // Equal values share their ranks.
    for (std::size_t k = i; k < end; ++k) ranks.sum_of_a += all[k].second ? rank : 0;
    const auto t = static_cast<double>(end - i);
    ranks.ties += t * t * t - t;
    i = end;
  }
  return ranks;
}

double NormalTwoSided(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

// The recurrence is quadratic in the number of values; beyond this the normal form is as good.
constexpr std::size_t kExactUpTo = 20;

}  // namespace

double StudentTwoSided(double t, double df) {
  if (std::isinf(t)) return 0;
  return IncompleteBeta(df / 2, 0.5, df / (df + t * t));
}

double StudentQuantile(double p, double df) {
  const double wanted = 2 * (1 - p);
  double high = 1;
  while (StudentTwoSided(high, df) > wanted && high < 1e12) high *= 2;
  double low = 0;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (StudentTwoSided(middle, df) > wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

RankTest CompareRanks(const std::vector<double>& a, const std::vector<double>& b) {
  RankTest test;
  if (a.empty() || b.empty()) return test;
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const RankSums ranks = RanksOf(a, b);
  const double u_of_a = ranks.sum_of_a - n * (n + 1) / 2;
  const double u = std::min(u_of_a, n * m - u_of_a);
  const bool exact = ranks.ties == 0 && a.size() <= kExactUpTo && b.size() <= kExactUpTo;
  auto p_of = [&](double of) {
    if (exact) {
      return std::min(1.0,
                      2 * ShareOfOrders(a.size(), b.size(), static_cast<std::size_t>(of + 0.5)));
    }
    const double total = n + m;
    const double variance = n * m / 12 * (total + 1 - ranks.ties / (total * (total - 1)));
    if (variance <= 0) return 1.0;  // All values are equal.
    const double distance = std::max(0.0, n * m / 2 - of - 0.5);
    return NormalTwoSided(distance / std::sqrt(variance));
  };
  test.p = p_of(u);
  test.least_p = p_of(0);
  return test;
}

std::vector<double> HolmCorrected(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t k) { return p[i] < p[k]; });
  std::vector<double> corrected(p.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double times = static_cast<double>(order.size() - i);
    least = std::max(least, std::min(1.0, times * p[order[i]]));
    corrected[order[i]] = least;
  }
  return corrected;
}

}  // namespace xsp
