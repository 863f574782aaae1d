#pragma once

#include <string>
#include <string_view>

// How to record more with the tool that made a trace: the one place that knows what each of them
// can be told. Commands name what they lack by the option of `nsys profile` that records it.
namespace xsp {

// What stands before the options of the tool, by TraceInfo::format: "nsys profile", "xsp live";
// empty where MissingData::flag and what ToRecord gives are whole by themselves.
std::string_view RecorderCommand(std::string_view format);

// What made the trace, to stand before its version: "nsys"; "CUPTI" for `xsp live`.
std::string_view RecorderName(std::string_view format);

// What to record with, given what would do with `nsys profile` (options, and what the program must
// say of itself): the same for a trace of nsys; for one of PyTorch's profiler what one writes in
// Python, for one of `xsp live` its own options, or the whole command of nsys where only that can.
std::string ToRecord(std::string_view format, std::string_view nsys_option);

}  // namespace xsp
