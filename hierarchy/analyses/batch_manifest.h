#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xsp {

// One trace of a manifest and the batch size it was recorded with.
struct ManifestEntry {
  std::filesystem::path trace;  // As given to the system: relative ones lie beside the manifest.
  std::optional<std::uint64_t> batch;

  bool operator==(const ManifestEntry&) const = default;
};

// Reads [{"trace": "b16.sqlite", "batch": 16}, ...]; entries of one batch size are runs of it.
// Throws Error with the entry that is wrong.
std::vector<ManifestEntry> ReadBatchManifest(const std::filesystem::path& file);
std::vector<ManifestEntry> ParseBatchManifest(std::string_view text,
                                              const std::filesystem::path& file);

}  // namespace xsp
