#pragma once

#include <string>
#include <string_view>

#include "store/stored_trace.h"

namespace xsp {

inline constexpr std::string_view kManifestFile = "manifest.json";

// Every manifest begins with these characters: that is how one is told from any other JSON file.
inline constexpr std::string_view kManifestStart = "{\n  \"xsp_stored_trace\": {";

// The text of manifest.json, its own checksum included. Throws Error if a text in it is not UTF-8.
std::string ManifestText(const StoredManifest& manifest);

// The reverse. Throws Error: newer version, damaged, or a field that is missing or odd.
StoredManifest ParseManifest(std::string_view text);

}  // namespace xsp
