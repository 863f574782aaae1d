// xsp-sample job: a job of many ranks, an export for each.
#pragma once

#include <string>
#include <vector>

namespace xsp::samples {

// Writes what the arguments (those behind "job") ask for and gives what is true of it, as JSON.
// Throws std::runtime_error with what is wrong.
std::string RunJobCommand(const std::vector<std::string>& arguments);
std::string JobHelpText();

}  // namespace xsp::samples
