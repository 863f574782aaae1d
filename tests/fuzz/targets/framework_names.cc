// Packs of texts that frameworks write, and the texts themselves.
#include "model/names/framework_names.h"

#include "base/error.h"
#include "model/names/framework_names_json.h"
#include "tests/fuzz/targets/input_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = xsp::fuzz::TextOf(data, size);
  xsp::FrameworkNames::BuiltIn().Match(text);
  try {
    // Putting the built-in packs behind them takes milliseconds: only for files that are packs.
    if (xsp::ParseFrameworkPack(xsp::UserJson::Parse(text, "input", "")).empty()) return 0;
    const xsp::FrameworkNames names = xsp::FrameworkNames::FromJson(text, "input");
    names.Match("execute_context_2(2048)_generation_0(0)");
    names.Match(text);
  } catch (const xsp::Error&) {
  }
  return 0;
}
