#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace xsp {

// Something worth telling the user that is no error.
using NoteSink = std::function<void(const std::string&)>;

// Whether a file is one of nsys' own reports (.nsys-rep, .qdrep), by its first bytes.
bool IsNsysReport(const std::filesystem::path& file);

// The .sqlite export of an nsys report: the one beside it if that is newer than the report, else
// made now with `nsys export`, beside the report or, where that cannot be written or an older
// export is in the way, in the user's cache folder. Exported once: the next call finds it there.
// Throws Error with the command to run if there is no nsys, or if it fails.
std::filesystem::path ExportOfNsysReport(const std::filesystem::path& report, const NoteSink& note);

}  // namespace xsp
