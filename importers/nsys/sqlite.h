#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "importers/importer.h"
#include "model/trace.h"

namespace xsp {

inline constexpr std::string_view kNsysFormat = "nsys-sqlite";

// The name of a journal beside the file that is not empty: another program wrote to the file and
// did not finish, or writes to it still.
std::optional<std::string> LeftoverJournal(const std::filesystem::path& file);

// Reads an SQLite export of Nsight Systems, of any version since 2020. Throws Error for a database
// that is none, or is damaged (unless salvaging), or cannot be opened.
Trace ImportNsysSqlite(const std::filesystem::path& file, const ImportOptions& options);

}  // namespace xsp
