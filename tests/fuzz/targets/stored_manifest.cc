// manifest.json of a stored trace, sealed with the checksum that it has.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "store/checksum.h"
#include "store/manifest_json.h"
#include "tests/fuzz/targets/input_file.h"

namespace {

// Beyond this, writing the JSON takes more stack than there is: xsp itself refuses it unread.
bool IsDeep(std::string_view text) {
  int depth = 0, deepest = 0;
  for (char c : text) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest > 200;
}

std::string Sealed(std::string_view text) {
  if (IsDeep(text)) return std::string(text);
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return std::string(text);
  try {
    json.erase("manifest_sha256");
    json["manifest_sha256"] = xsp::Sha256Of(json.dump(2));
    return json.dump(2);
  } catch (const nlohmann::json::exception&) {
    return std::string(text);  // Not UTF-8: cannot be written.
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    xsp::ManifestText(xsp::ParseManifest(Sealed(xsp::fuzz::TextOf(data, size))));
  } catch (const xsp::Error&) {
  }
  return 0;
}
