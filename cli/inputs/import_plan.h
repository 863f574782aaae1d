#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/stored_trace.h"

namespace xsp {

// "a/b/" and "a/b" are one folder.
std::filesystem::path WithoutTrailingSlash(std::filesystem::path path);

// A file to import and where its stored trace goes.
struct ImportJob {
  std::filesystem::path file;
  std::filesystem::path stored;
};

// Where each file goes: NAME.xsp beside it, or as -o says. With one file, -o is the stored trace
// itself unless it is an ordinary folder, which then takes NAME.xsp; with several it is a folder
// for them all. Throws Error if two files would go to one place.
std::vector<ImportJob> PlanImports(const std::vector<std::string>& files, const std::string& out);

// Throws Error, naming -o, if nothing can be made in the folder in which the stored trace will lie
// (or, where that does not exist yet, in the nearest one that does).
void CheckWritable(const std::filesystem::path& stored);

// What stands where the stored trace is to go.
enum class Standing {
  kNothing,
  kSame,     // Made from the same content, in the format this version writes.
  kDamaged,  // Made from the same content, but no longer what was written.
  kOther,    // A stored trace of something else, or of another version, or damaged beyond telling.
};
// `sha256` is that of the file. Throws Error if something is there that is no stored trace: that is
// never replaced.
Standing LookAtTarget(const std::filesystem::path& stored, const std::string& sha256);

}  // namespace xsp
