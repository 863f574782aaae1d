// What Nsight Compute prints with --csv.
#include "importers/ncu/ncu_csv.h"

#include "base/error.h"
#include "tests/fuzz/targets/input_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    xsp::ParseNcuCsv(xsp::fuzz::TextOf(data, size), "input");
  } catch (const xsp::Error&) {
  }
  return 0;
}
