// A trace of the PyTorch profiler.
#include "base/error.h"
#include "importers/importer.h"
#include "importers/job_facts.h"
#include "importers/kineto/kineto.h"
#include "tests/fuzz/targets/input_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    xsp::ImportOptions options;
    options.threads = 1;
    const auto file = xsp::fuzz::InputFile(xsp::fuzz::TextOf(data, size));
    xsp::ReadJobFacts(file);
    xsp::ImportKineto(file, options);
  } catch (const xsp::Error&) {
  }
  return 0;
}
