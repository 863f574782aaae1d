#include "hierarchy/analyses/batch_manifest.h"

#include "base/user_json.h"

namespace xsp {
namespace {

constexpr std::string_view kForm = "write it as [{\"trace\": \"b16.sqlite\", \"batch\": 16}, ...]";

std::vector<ManifestEntry> EntriesOf(const UserJson& document,
                                     const std::filesystem::path& folder) {
  std::vector<ManifestEntry> entries;
  for (const UserJson& row : document.List()) {
    row.OnlyKeys({"trace", "batch"});
    ManifestEntry entry;
    entry.trace = folder / row.At("trace", "a file").Text();
    if (const UserJson* batch = row.Find("batch")) entry.batch = batch->Count(1);
    entries.push_back(entry);
    if (entry.batch.has_value() != entries.front().batch.has_value()) {
      row.Fail("some entries have a \"batch\" and some have none");
    }
  }
  if (entries.empty()) document.Fail("is an empty list");
  return entries;
}

}  // namespace

std::vector<ManifestEntry> ParseBatchManifest(std::string_view text,
                                              const std::filesystem::path& file) {
  return EntriesOf(UserJson::Parse(text, file.string(), kForm), file.parent_path());
}

std::vector<ManifestEntry> ReadBatchManifest(const std::filesystem::path& file) {
  return EntriesOf(UserJson::Read(file, kForm), file.parent_path());
}

}  // namespace xsp
