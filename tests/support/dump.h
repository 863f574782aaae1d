#pragma once

#include <string>

#include "model/trace.h"

namespace xsp::test {

// A trace as text that people can read and tests can compare: one line per process, GPU, context,
// track, domain, event, collective, frame, table of the log and oddity. Facts that the source did
// not give are left out. What the capture lacks (TraceInfo::missing) is not part of it.
//
// Tracks are called P<pid>.T<thread>, P<pid>.D<device>.C<context>.S<stream>, P<pid>.D<device>.M
// (migrations), P<pid>.D<device>, P<pid> and G<gpu> (counters).
std::string Dump(const Trace& trace);

}  // namespace xsp::test
