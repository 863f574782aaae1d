// xsp-proof: proves cases and prints a table, for docs/replay.md.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "importers/importer.h"
#include "tests/proof/prove.h"
#include "tests/proof/whatif_case.h"

namespace xsp::proof {
namespace {

constexpr char kUsage[] =
    "usage: xsp-proof generated [PART OF A NAME]   the GPU span of every generated program\n"
    "       xsp-proof steps [PART OF A NAME]       the steady step of every one that has steps\n"
    "       xsp-proof whatifs [PART OF A NAME]     the steady step after a named what-if\n"
    "       xsp-proof unmodelled                   what the graph has no means to know\n"
    "       xsp-proof unmodelled-steps             the same of steps\n"
    "       xsp-proof pair BEFORE AFTER            two runs, in the second faster kernels\n";

double Milliseconds(DurationNs ns) { return static_cast<double>(ns) / 1e6; }

void PrintHeader() {
  std::puts(
      "| program | change | before, ms | replay error, % | after, ms | forecast, ms | error, % | "
      "naive error, % |");
  std::puts("|---|---|--:|--:|--:|--:|--:|--:|");
}

void PrintRow(std::string_view program, std::string_view change, const ProofResult& r) {
  std::printf("| %.*s | %.*s | %.3f | %+.2f | %.3f | %.3f | %+.2f | %+.1f |\n",
              static_cast<int>(program.size()), program.data(), static_cast<int>(change.size()),
              change.data(), Milliseconds(r.before), 100 * r.replay_error, Milliseconds(r.after),
              Milliseconds(r.forecast), 100 * r.forecast_error, 100 * r.naive_error);
}

// 1 if one of them is out of bounds.
int PrintProofs(const std::vector<ProofCase>& proofs, ProofResult (*prove)(const ProofCase&),
                std::string_view part_of_name) {
  PrintHeader();
  int code = 0;
  for (const ProofCase& proof : proofs) {
    if (proof.name.find(part_of_name) == std::string::npos) continue;
    const ProofResult result = prove(proof);
    PrintRow(proof.program, proof.change, result);
    if (Holds(result)) continue;
    code = 1;
    std::fprintf(stderr, "xsp-proof: out of bounds: %s\n", proof.name.c_str());
  }
  return code;
}

int PrintWhatIfs(std::string_view part_of_name) {
  PrintHeader();
  for (const WhatIfCase& proof : AllWhatIfCases()) {
    if (proof.name.find(part_of_name) == std::string::npos) continue;
    try {
      PrintRow(proof.program, "`" + proof.options + "`", ProveWhatIf(proof));
    } catch (const std::exception& error) {
      throw std::runtime_error(proof.name + ": " + error.what());
    }
  }
  return 0;
}

int PrintUnmodelled(const std::vector<ProofCase>& proofs, ProofResult (*prove)(const ProofCase&)) {
  PrintHeader();
  for (const ProofCase& proof : proofs) PrintRow(proof.program, proof.change, prove(proof));
  return 0;
}

int PrintPair(const std::string& before, const std::string& after) {
  PrintHeader();
  PrintRow("real", "kernels scaled by what they became",
           ProveFasterKernels(ImportFile(before), ImportFile(after)));
  return 0;
}

int Main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const std::string_view part_of_name = argc > 2 ? argv[2] : "";
  if (what == "generated" && argc <= 3) return PrintProofs(AllCases(), Prove, part_of_name);
  if (what == "steps" && argc <= 3) return PrintProofs(AllStepCases(), ProveStep, part_of_name);
  if (what == "whatifs" && argc <= 3) return PrintWhatIfs(part_of_name);
  if (what == "unmodelled" && argc == 2) return PrintUnmodelled(UnmodelledCases(), Prove);
  if (what == "unmodelled-steps" && argc == 2) return PrintUnmodelled(UnmodelledSteps(), ProveStep);
  if (what == "pair" && argc == 4) return PrintPair(argv[2], argv[3]);
  std::fputs(kUsage, stderr);
  return 2;
}

}  // namespace
}  // namespace xsp::proof

int main(int argc, char** argv) {
  try {
    return xsp::proof::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xsp-proof: %s\n", error.what());
    return 2;
  }
}
