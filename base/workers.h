#pragma once

#include <cstddef>
#include <functional>

namespace xsp {

// How many threads to work on: those of the machine, at least 1 and no more than `most`.
unsigned ThreadsUpTo(unsigned most);

// Calls work(i, thread) once for each i below `count`, the first ones first, on `threads` threads
// (0: as many as the machine has) of which this one is number 0, and returns when all are done. If
// one throws (an interrupt, say), those that have not begun are left out, and what the first of
// those that failed threw is thrown here.
void ForEachOnThreads(std::size_t count, unsigned threads,
                      const std::function<void(std::size_t i, unsigned thread)>& work);

}  // namespace xsp
