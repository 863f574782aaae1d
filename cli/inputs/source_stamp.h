#pragma once

#include <filesystem>

#include "store/stored_trace.h"

namespace xsp {

// Name, size and time of a file, as a stored trace remembers them; not hashed. Throws Error if the
// file cannot be looked at.
SourceStamp StampOf(const std::filesystem::path& file);

// Whether a stored trace was made from the file in the state that `now` describes, by name, size
// and time, in a format that this version writes.
bool IsFresh(const StoredManifest& manifest, const SourceStamp& now);

// Where the stored trace of a file lies by custom: NAME.xsp beside NAME.sqlite.
std::filesystem::path StoredBeside(const std::filesystem::path& file);

}  // namespace xsp
