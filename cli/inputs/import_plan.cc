#include "cli/inputs/import_plan.h"

#include <unistd.h>

#include <map>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/inputs/open_trace.h"
#include "cli/inputs/source_stamp.h"

namespace xsp {
namespace fs = std::filesystem;
namespace {

bool IsOrdinaryFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && !IsStoredTrace(path);
}

fs::path TargetOf(const fs::path& file, const fs::path& out, bool several) {
  const fs::path beside = StoredBeside(file);
  if (out.empty()) return beside;
  const bool is_itself = !several && (out.extension() == ".xsp" || !IsOrdinaryFolder(out));
  return is_itself ? out : out / beside.filename();
}

}  // namespace

fs::path WithoutTrailingSlash(fs::path path) {
  if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
  return path;
}

std::vector<ImportJob> PlanImports(const std::vector<std::string>& files, const std::string& out) {
  std::vector<ImportJob> jobs;
  std::map<fs::path, fs::path> taken;
  for (const std::string& name : files) {
    CheckExists(name);
    const fs::path file = WithoutTrailingSlash(name);
    if (IsStoredTrace(file)) throw Error(name + ": a stored trace already, nothing to import");
    fs::path stored = TargetOf(file, WithoutTrailingSlash(out), files.size() > 1);
    const auto [it, is_new] = taken.emplace(fs::absolute(stored).lexically_normal(), file);
    if (!is_new) {
      throw Error(
          it->second.string() + " and " + file.string() + " would both become " + stored.string(),
          "import them one by one, each with its own -o");
    }
    jobs.push_back({file, std::move(stored)});
  }
  return jobs;
}

void CheckWritable(const fs::path& stored) {
  fs::path folder = fs::absolute(stored).parent_path();
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  const UnfinishedWork trying;
  // Only trying tells: permissions, read-only file systems and quotas all have a say.
  const fs::path probe = folder / (".xsp-probe-" + std::to_string(getpid()));
  fs::create_directory(probe, error);
  if (error) {
    throw Error("cannot write " + stored.string() + ": " + folder.string() + ": " + error.message(),
                "choose another place with -o");
  }
  fs::remove(probe, error);
}

Standing LookAtTarget(const fs::path& stored, const std::string& sha256) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(stored, error))) return Standing::kNothing;
  if (!IsStoredTrace(stored)) {
    throw Error(stored.string() + " exists and is no stored trace: it is left alone",
                "choose another place with -o");
  }
  try {
    const StoredManifest manifest = ReadManifest(stored);
    const bool same = manifest.source.sha256 == sha256 && manifest.major == kFormatMajor &&
                      manifest.minor == kFormatMinor;
    if (!same) return Standing::kOther;
  } catch (const Error&) {
    return Standing::kOther;
  }
  try {
    LoadStoredTrace(stored);
    return Standing::kSame;
  } catch (const Error&) {
    return Standing::kDamaged;
  }
}

}  // namespace xsp
