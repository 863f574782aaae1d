// xsp-ranges: how often ranges of forecasts hold the truth, and how wide they are, for
// docs/accuracy.md.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "base/quantile.h"
#include "tests/proof/ranges/coverage.h"

namespace xsp::proof {
namespace {

constexpr char kUsage[] =
    "usage: xsp-ranges calibration [SEEDS]   programs that the width was calibrated on\n"
    "       xsp-ranges held-out [SEEDS]      programs of other structures, other seeds\n"
    "       xsp-ranges rows calibration|held-out [SEEDS]   each forecast, for a spreadsheet\n";

constexpr std::uint64_t kCalibrationSeed = 1'000, kHeldOutSeed = 500'000;

std::vector<RangeResult> RunAll(std::string_view set, std::uint64_t seeds) {
  const bool is_held_out = set == "held-out";
  const std::vector<Structure>& structures =
      is_held_out ? HeldOutStructures() : CalibrationStructures();
  const std::uint64_t first = is_held_out ? kHeldOutSeed : kCalibrationSeed;
  std::vector<RangeResult> all;
  for (std::size_t i = 0; i < structures.size(); ++i) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      for (RangeResult& result : RunProgram(structures[i], first + 1'000 * i + seed)) {
        all.push_back(std::move(result));
      }
    }
  }
  for (std::uint64_t seed = 0; seed < (seeds + 7) / 8; ++seed) {
    for (RangeResult& result : RunNamed(first + 99'000 + seed)) all.push_back(std::move(result));
  }
  return all;
}

void PrintRows(const std::vector<RangeResult>& all) {
  std::puts(
      "structure\tchange\tsort\ttrust\tmeasured\treplayed\tother\tforecast\tfast\tslow\tbound\t"
      "truth\terror\thalf_width\tsimulated_fast\tsimulated_slow\tspread\tsteps\tmay_wait\t"
      "unseen_ranks\tother_company");
  for (const RangeResult& r : all) {
    const Uncertainty& of = r.forecast.uncertainty;
    std::printf(
        "%s\t%s\t%d\t%d\t%ld\t%ld\t%ld\t%ld\t%ld\t%ld\t%ld\t%ld\t%.4f\t%.4f\t%ld\t%ld\t%.4f\t%zu\t"
        "%ld\t%ld\t%ld\n",
        r.structure.c_str(), r.change.c_str(), static_cast<int>(SortOf(r.evidence)),
        static_cast<int>(r.trust), long{r.forecast.measured}, long{r.forecast.replayed},
        long{r.forecast.OtherSteps()}, long{r.forecast.forecast}, long{r.forecast.fast},
        long{r.forecast.slow}, long{r.forecast.bound}, long{r.truth}, r.Error(), r.HalfWidth(),
        long{of.fast}, long{of.slow}, of.spread, of.steps, long{of.may_wait}, long{of.unseen_ranks},
        long{of.other_company});
  }
}

void PrintRow(const char* what, const std::vector<const RangeResult*>& rows) {
  if (rows.empty()) return;
  std::vector<double> widths, errors;
  std::size_t covered = 0, beaten = 0;
  for (const RangeResult* row : rows) {
    widths.push_back(row->HalfWidth());
    errors.push_back(std::abs(row->Error()));
    covered += row->Covers() ? 1 : 0;
    beaten += row->BeatsBound() ? 1 : 0;
  }
  const auto count = static_cast<double>(rows.size());
  std::printf("| %s | %zu | %.1f | %.1f | %.1f | %.0f | %zu |\n", what, rows.size(),
              100 * UpperMedian(errors), 100 * NthOf(errors, errors.size() * 9 / 10),
              100 * UpperMedian(widths), 100 * static_cast<double>(covered) / count, beaten);
}

int PrintTable(const std::vector<RangeResult>& all) {
  std::puts(
      "| what-ifs | forecasts | error, median, % | error, 9 of 10 within, % | half-width, median, "
      "% | truth in the range, % | best case beaten |");
  std::puts("|---|--:|--:|--:|--:|--:|--:|");
  constexpr std::array<const char*, 3> kSorts = {"structural", "inserted", "scaling"};
  std::vector<const RangeResult*> every;
  for (const RangeResult& result : all) every.push_back(&result);
  for (std::size_t sort = 0; sort < kSorts.size(); ++sort) {
    std::vector<const RangeResult*> rows;
    for (const RangeResult* result : every) {
      if (SortOf(result->evidence) == static_cast<RangeSort>(sort)) rows.push_back(result);
    }
    PrintRow(kSorts[sort], rows);
  }
  PrintRow("all", every);
  return 0;
}

int Main(int argc, char** argv) {
  constexpr std::uint64_t kSeeds = 12;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const bool wants_rows = !words.empty() && words[0] == "rows";
  const std::size_t at = wants_rows ? 1 : 0;
  if (words.size() <= at || (words[at] != "calibration" && words[at] != "held-out")) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const std::uint64_t seeds = words.size() > at + 1 ? std::stoul(argv[at + 2]) : kSeeds;
  const std::vector<RangeResult> all = RunAll(words[at], seeds);
  if (!wants_rows) return PrintTable(all);
  PrintRows(all);
  return 0;
}

}  // namespace
}  // namespace xsp::proof

int main(int argc, char** argv) {
  try {
    return xsp::proof::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xsp-ranges: %s\n", error.what());
    return 2;
  }
}
