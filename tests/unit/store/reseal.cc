#include "tests/unit/store/reseal.h"

#include "store/checksum.h"
#include "store/stored_trace.h"
#include "tests/unit/store/temporary_folder.h"

namespace xsp::test {

void EditManifest(const std::filesystem::path& folder,
                  const std::function<void(nlohmann::ordered_json&)>& edit) {
  const auto file = folder / "manifest.json";
  auto json = nlohmann::ordered_json::parse(ReadFile(file));
  json.erase("manifest_sha256");
  edit(json);
  json["manifest_sha256"] = Sha256Of(json.dump(2));
  WriteFile(file, json.dump(2));
}

void Reseal(const std::filesystem::path& folder, const std::string& table) {
  const auto file = folder / (table + ".parquet");
  EditManifest(folder, [&](nlohmann::ordered_json& json) {
    json["tables"][table]["bytes"] = std::filesystem::file_size(file);
    json["tables"][table]["sha256"] = Sha256OfFile(file);
  });
}

}  // namespace xsp::test
