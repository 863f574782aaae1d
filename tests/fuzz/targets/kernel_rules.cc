// Rules for kernel classes.
#include "model/names/kernel_rules.h"

#include "base/error.h"
#include "model/names/kernel_rules_json.h"
#include "tests/fuzz/targets/input_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = xsp::fuzz::TextOf(data, size);
  try {
    // Putting the built-in rules behind them takes milliseconds: only for files that are rules.
    if (xsp::ParseKernelRules(xsp::UserJson::Parse(text, "input", "")).empty()) return 0;
    const xsp::KernelRules rules = xsp::KernelRules::FromJson(text, "input");
    rules.Classify("void cutlass::Kernel<half, 3>(float*, int)");
    rules.Classify(text);
  } catch (const xsp::Error&) {
  }
  return 0;
}
