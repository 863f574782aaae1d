#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

namespace xsp::test {

// Changes the manifest of a stored trace and makes its checksum right again: a damage that only the
// checks behind the checksums can find.
void EditManifest(const std::filesystem::path& folder,
                  const std::function<void(nlohmann::ordered_json&)>& edit);

// Makes the manifest agree with the bytes that one of the tables' files has now.
void Reseal(const std::filesystem::path& folder, const std::string& table);

}  // namespace xsp::test
