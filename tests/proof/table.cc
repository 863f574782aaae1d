// xsp-proof: proves every case and prints the table, for docs/replay.md.
#include <cmath>
#include <cstdio>
#include <string_view>

#include "tests/proof/prove.h"

namespace xsp::proof {
namespace {

double Milliseconds(DurationNs ns) { return static_cast<double>(ns) / 1e6; }

// Those whose name has `part` in it.
int PrintTable(std::string_view part) {
  std::puts(
      "| program | change | before, ms | replay error, % | after, ms | forecast, ms | error, % | "
      "naive error, % |");
  std::puts("|---|---|--:|--:|--:|--:|--:|--:|");
  int misses = 0;
  for (const ProofCase& proof : AllCases()) {
    if (proof.name.find(part) == std::string::npos) continue;
    const ProofResult r = Prove(proof);
    std::printf("| %s | %s | %.3f | %+.2f | %.3f | %.3f | %+.2f | %+.1f |\n", proof.program.c_str(),
                proof.change.c_str(), Milliseconds(r.before), 100 * r.replay_error,
                Milliseconds(r.after), Milliseconds(r.forecast), 100 * r.forecast_error,
                100 * r.naive_error);
    const bool holds =
        std::abs(r.replay_error) <= kReplayBound && std::abs(r.forecast_error) <= kForecastBound;
    if (holds) continue;
    ++misses;
    std::fprintf(stderr, "xsp-proof: out of bounds: %s\n", proof.name.c_str());
  }
  return misses == 0 ? 0 : 1;
}

}  // namespace
}  // namespace xsp::proof

int main(int argc, char** argv) { return xsp::proof::PrintTable(argc > 1 ? argv[1] : ""); }
