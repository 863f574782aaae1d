// A policy, and a change recorded in it.
#include "base/error.h"
#include "diff/gates/policy.h"
#include "tests/fuzz/targets/input_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = xsp::fuzz::TextOf(data, size);
  try {
    const xsp::Policy policy = xsp::ParsePolicy(text, "input");
    xsp::FindAccepted(policy, "step", "2026-01-31");
    const std::string more = xsp::WithAccepted(
        text, "input", {"step", 0.05, xsp::LimitUnit::kShare, "why", "2026-01-31", {}});
    xsp::ParsePolicy(more, "input");
  } catch (const xsp::Error&) {
  }
  return 0;
}
