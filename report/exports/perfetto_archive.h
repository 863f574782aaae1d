#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"

namespace xsp {

// A file of an archive that Perfetto opens as one trace: ranks on clocks of their own.
struct ArchivedTrace {
  std::string file;       // "rank0.pftrace".
  std::string machine;    // What the viewer calls it: "rank 0".
  DurationNs offset = 0;  // To add to its times to be on the clock of the first one.
};

// What tells Perfetto which files there are and how far they lie apart.
inline constexpr std::string_view kPerfettoManifestName = "perfetto_manifest.json";
std::string PerfettoManifest(const std::vector<ArchivedTrace>& traces);

// The 512 bytes before a file of a TAR (POSIX ustar), and the zeros behind one of `size` bytes; two
// empty blocks end an archive. The same files give the same bytes: nobody's name and no time is in
// it. Throws Error for a name of more than 100 bytes.
std::string TarHeader(std::string_view name, std::uint64_t size);
std::string TarPadding(std::uint64_t size);
std::string TarEnd();

}  // namespace xsp
