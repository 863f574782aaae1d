#pragma once

#include <string>

#include "graph/trust/trust.h"
#include "report/tables/facts.h"

namespace xsp {

// "34 % of the critical path is polling: ...": one reason against a graph.
std::string WordsOf(const TrustReason& reason, const Trust& trust);

// "high: replay is off by 0.1 %, 99 % of idle time and all long calls are explained"; else the word
// with what speaks against it, the worst first.
std::string TrustWords(const Trust& trust, std::size_t most = kDoubtCount);
// The same as a sentence of its own, with the worst two: "Trust is fair: ...".
std::string TrustSentence(const Trust& trust);

// {level, reasons}, as in all commands that stand on a simulation.
Json TrustJson(const Trust& trust);
// All that can speak against a graph, with its share: what the level is the worst of.
Json DoubtsJson(const Trust& trust);

}  // namespace xsp
