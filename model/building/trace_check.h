#pragma once

#include <string>

#include "model/trace.h"

// What must hold of the tables of a trace, whoever filled them. A stored trace's checksums stop
// accidents, not people: all that later stages rely on without looking is looked at here, once.
namespace xsp {

// The longest stretch of time that a trace may cover: 2^53 ns, 104 days. TraceBuilder sets rows
// beyond it aside.
inline constexpr DurationNs kLongestSpan = DurationNs{1} << 53;

// Throws Error.
[[noreturn]] void Misfit(const std::string& what);

// The counts per kind add up to the number of events, which 32 bits can count.
void CheckKindCounts(const TraceTables& tables);

}  // namespace xsp
