#pragma once

#include <filesystem>
#include <string_view>

#include "importers/importer.h"

namespace xsp {

inline constexpr std::string_view kKinetoFormat = "kineto";

// Whether a file is a PyTorch profiler trace (decompressed if need be): by its first bytes, or
// where those tell nothing and are JSON, by its list of events, however far into the file it
// begins.
bool IsKineto(const FileHead& head);

// Reads a trace of the PyTorch profiler (Kineto): .json or .json.gz. docs/kineto.md says what
// becomes of it. Throws Error.
Trace ImportKineto(const std::filesystem::path& file, const ImportOptions& options);

}  // namespace xsp
