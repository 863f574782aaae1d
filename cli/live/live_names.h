#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace xsp {

// "%p" becomes the id of the recorded process, "%q{RANK}" the value of RANK in the environment, and
// "%%" a percent sign. Throws Error for a variable that is not set, or another "%".
std::string ExpandName(const std::string& pattern, pid_t pid);

// Where the stored trace goes: what was asked for, or PROGRAM-PID.xsp in the current folder.
std::filesystem::path LiveTarget(const std::string& asked, const std::string& program, pid_t pid);

// Where spools lie while the program runs: NAME.spool beside NAME.xsp.
std::filesystem::path SpoolBeside(const std::filesystem::path& stored);
// Where the trace of a kept spool goes if nobody says.
std::filesystem::path StoredBesideSpool(const std::filesystem::path& spool);

// The library that is loaded into the program: ../lib/xsp beside the folder that this program is
// in. Throws Error if it is not there.
std::filesystem::path InjectedLibrary();

}  // namespace xsp
