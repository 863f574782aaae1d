// One phase of the import benchmark in one process, so that its peak memory can be measured:
//   import_bench scan|read FILE.sqlite        import_bench load FOLDER.xsp
//   import_bench json|read FILE.json          import_bench inflate|read FILE.json.gz
// Prints seconds and rows.
#include <chrono>
#include <cstdio>
#include <string>

#include "importers/importer.h"
#include "store/stored_trace.h"
#include "tests/bench/plain_json.h"
#include "tests/bench/plain_scan.h"

namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t Run(const std::string& phase, const std::string& path) {
  if (phase == "scan") return xsp::bench::PlainScan(path).rows;
  if (phase == "json") return xsp::bench::PlainJsonPass(path);
  if (phase == "inflate") return xsp::bench::PlainInflate(path);
  if (phase == "read") return xsp::ImportFile(path).log().Total().read;
  return xsp::LoadStoredTrace(path).log().Total().read;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto begin = Clock::now();
  const std::uint64_t rows = Run(argv[1], argv[2]);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::printf("%.6f %llu\n", seconds, static_cast<unsigned long long>(rows));
}
