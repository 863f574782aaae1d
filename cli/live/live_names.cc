#include "cli/live/live_names.h"

#include <cstdlib>

#include "base/error.h"
#include "cli/inputs/import_plan.h"

namespace xsp {
namespace fs = std::filesystem;

std::string ExpandName(const std::string& pattern, pid_t pid) {
  std::string name;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%') {
      name += pattern[at];
      continue;
    }
    const char what = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    const std::size_t close = pattern.find('}', at);
    if (what == '%') {
      name += '%';
      ++at;
    } else if (what == 'p') {
      name += std::to_string(pid);
      ++at;
    } else if (pattern.compare(at + 1, 2, "q{") == 0 && close != std::string::npos) {
      const std::string variable = pattern.substr(at + 3, close - at - 3);
      const char* value = std::getenv(variable.c_str());
      if (value == nullptr) {
        throw Error("-o " + pattern + ": " + variable + " is not set in the environment");
      }
      name += value;
      at = close;
    } else {
      throw Error(
          "-o " + pattern + ": cannot understand the % in it",
          "%p is the process id, %q{NAME} a variable of the environment, %% a percent sign");
    }
  }
  return name;
}

fs::path LiveTarget(const std::string& asked, const std::string& program, pid_t pid) {
  if (!asked.empty()) return WithoutTrailingSlash(ExpandName(asked, pid));
  return fs::path(program).filename().string() + "-" + std::to_string(pid) + ".xsp";
}

fs::path SpoolBeside(const fs::path& stored) {
  fs::path spool = stored;
  if (spool.extension() == ".xsp") spool.replace_extension();
  spool += ".spool";
  return spool;
}

fs::path StoredBesideSpool(const fs::path& spool) {
  fs::path stored = WithoutTrailingSlash(spool);
  if (stored.extension() == ".spool") stored.replace_extension();
  stored += ".xsp";
  return stored;
}

fs::path InjectedLibrary() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path library = program.parent_path().parent_path() / "lib/xsp/libxsp_inject.so";
  if (error || !fs::exists(library, error)) {
    throw Error("the library that records is not there: " + library.string(),
                "xsp is not installed as a whole; build it again or install it again");
  }
  return library;
}

}  // namespace xsp
