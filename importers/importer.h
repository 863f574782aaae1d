#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "model/progress.h"
#include "model/trace.h"

namespace xsp {

struct ImportOptions {
  bool salvage = false;          // Keep what a damaged file still gives; the trace is then partial.
  unsigned threads = 0;          // 0: as many as the machine has, at most a handful.
  Progress* progress = nullptr;  // May be null; may throw to interrupt.
};

// The first bytes of a file, from which its format is told. Names and extensions do not matter.
struct FileHead {
  std::filesystem::path file;
  std::uint64_t size = 0;  // Of the whole file.
  std::string bytes;       // At most kBytes of it.

  static constexpr std::size_t kBytes = 4096;
};

// One format.
struct Importer {
  std::string_view name;  // "nsys-sqlite".
  bool (*recognizes)(const FileHead& head);
  Trace (*import)(const std::filesystem::path& file, const ImportOptions& options);
};

std::span<const Importer> AllImporters();

// The name of a file's format; empty for one that no importer reads. Throws Error where the file
// cannot be read.
std::string_view FormatOf(const std::filesystem::path& file);

// Reads a file of any known format. Throws Error, which says what the file is if it is no trace or
// one that has to be converted first, and what to do.
Trace ImportFile(const std::filesystem::path& file, const ImportOptions& options = {});

}  // namespace xsp
