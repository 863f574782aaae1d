#pragma once

#include <cstdint>
#include <string>

namespace xsp::bench {

// The least that reading a Kineto file can cost: one pass of simdjson over all of it that looks at
// the phase, name and time of each event and keeps nothing. Gives the number of events. Throws
// std::runtime_error if the file is not as our generator writes it.
std::uint64_t PlainJsonPass(const std::string& file);

// The least that its gzip costs: the bytes that zlib makes of the file, which are dropped.
std::uint64_t PlainInflate(const std::string& file);

}  // namespace xsp::bench
