#include "hierarchy/analyses/batch_manifest.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "model/error.h"

namespace xsp {
namespace {

constexpr const char* kForm = "write it as [{\"trace\": \"b16.sqlite\", \"batch\": 16}, ...]";

ManifestEntry EntryOf(const nlohmann::json& row, const std::string& where,
                      const std::filesystem::path& folder) {
  if (!row.is_object()) throw Error(where + " is not an object", kForm);
  ManifestEntry entry;
  for (const auto& [key, value] : row.items()) {
    if (key == "trace" && value.is_string()) {
      entry.trace = folder / value.get<std::string>();
    } else if (key == "batch" && value.is_number_unsigned() && value.get<std::uint64_t>() > 0) {
      entry.batch = value.get<std::uint64_t>();
    } else if (key == "trace" || key == "batch") {
      throw Error(where + " has a \"" + key + "\" that is none", kForm);
    } else {
      throw Error(where + " has an unknown field \"" + key + "\"", kForm);
    }
  }
  if (entry.trace.empty()) throw Error(where + " has no \"trace\"", kForm);
  return entry;
}

}  // namespace

std::vector<ManifestEntry> ParseBatchManifest(std::string_view text,
                                              const std::filesystem::path& file) {
  const auto document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) throw Error(file.string() + " is no JSON", kForm);
  if (!document.is_array() || document.empty()) {
    throw Error(file.string() + " is no list of traces", kForm);
  }
  std::vector<ManifestEntry> entries;
  for (const auto& row : document) {
    const std::string where = file.string() + ": entry " + std::to_string(entries.size() + 1);
    entries.push_back(EntryOf(row, where, file.parent_path()));
  }
  for (const ManifestEntry& entry : entries) {
    if (entry.batch.has_value() != entries.front().batch.has_value()) {
      throw Error(file.string() + ": some entries have a \"batch\" and some have none", kForm);
    }
  }
  return entries;
}

std::vector<ManifestEntry> ReadBatchManifest(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) throw Error("cannot read " + file.string());
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return ParseBatchManifest(text, file);
}

}  // namespace xsp
