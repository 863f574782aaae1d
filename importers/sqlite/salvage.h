#pragma once

#include <filesystem>
#include <memory>

#include "importers/sqlite/db.h"

namespace xsp {

// Reads a file whose list of tables is damaged into memory and gives it a new list, of what can be
// found of the old one; its tables stay where they are, and some of their pages may be missing.
// Nothing if no table can be found. Nothing is written.
std::shared_ptr<const SqliteImage> RebuildTableList(const std::filesystem::path& file);

}  // namespace xsp
