#pragma once

#include <filesystem>
#include <string>

namespace xsp {

// The file that a program's name stands for, as the system finds it; empty where there is none.
std::filesystem::path FindProgram(const std::string& name);

// Whether a program brings all its libraries with it, so that no other can be loaded into it.
bool IsStaticallyLinked(const std::filesystem::path& program);

}  // namespace xsp
