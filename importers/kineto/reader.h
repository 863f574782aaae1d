#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "importers/importer.h"
#include "importers/kineto/collector.h"
#include "importers/kineto/rows.h"
#include "importers/kineto/top_level.h"

namespace xsp {

// All of a Kineto file, as rows, in the order of the file.
struct KinetoFile {
  KinetoTopLevel top;
  std::vector<KinetoRows> pieces;
  std::string damage;  // Why the file is not whole; empty if it is.
};

// Reads the file piece by piece on several threads; never holds more than a few pieces of its text.
// Throws Error if it is no list of events.
KinetoFile ReadKinetoFile(const std::filesystem::path& file, KinetoShared& shared,
                          const ImportOptions& options);

}  // namespace xsp
