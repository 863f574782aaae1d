#pragma once

#include <cstddef>
#include <unordered_set>
#include <vector>

#include "model/time.h"
#include "model/trace.h"

namespace xsp {

// Going to sleep and being woken takes this; a shorter wait tells nothing.
inline constexpr DurationNs kShortestWait = 50'000;

// From a signal to the return of whoever waited for it: 5 to 100 us, unless all processors are
// busy. Of somebody who signals often only what is close counts.
inline constexpr DurationNs kLongestWake = 200'000, kUsualWake = 40'000, kWakesPerSignal = 8;
// One or two waits are the begin or the end of a program.
inline constexpr std::size_t kFewestWaits = 3;
// How much more often than by chance somebody must be there when waits end, and how often of all.
inline constexpr double kTimesChance = 3;
inline constexpr std::size_t kPartsOfWaits = 4;

// The calls of each thread in order, by track.
using CallsOfThreads = std::vector<std::vector<EventId>>;

// A call of the operating system that is a task of its own: a wait, or what ended one.
struct OsTask {
  EventId event;   // None for a silence.
  TimeRange time;  // A signal is over when the waiting thread wakes up, though it may return later.
};

// Somebody who waited, and when another thread did what ended that.
struct Woken {
  EventId wait;
  TrackId by;
  TimeNs at = 0;
};

// Calls of one name that give up after some time, as a thread made them.
struct WaitLimit {
  TrackId thread;
  StringId name;
  DurationNs limit = 0;
  bool is_of_several = false;  // That of several calls, one behind the other, together.
};

// Waits of threads in calls of the operating system, and who ended them.
struct OsWaits {
  std::vector<std::vector<OsTask>> tasks;  // By track, in order of time, disjoint.
  std::vector<Woken> woken;                // In no order.
  std::unordered_set<EventId> ran_out;     // Waits that nobody ended: their time was over.
  std::vector<WaitLimit> limits;           // Of the calls that did.
};

// Of the threads that call CUDA, and of those that these wait for, or that wait for these.
//
// A wait is ended by the thread that signals while it lasts, and right before it is over. Signals
// that take less than a microsecond are mostly not recorded: then by the thread that stops doing
// something at that moment, as one does that hands over and waits in turn. Either must be so far
// more often than by chance.
//
// Calls with a time-out that last as long as such calls ever do, several of them, and with nobody
// there at their ends, have run out: what they return is not recorded.
OsWaits FindOsWaits(const Trace& trace, const CallsOfThreads& calls);

// Adds waits of threads of which no call of the operating system was recorded: long silences
// between two calls that are the shorter, the longer everything else took, so that the thread goes
// on at regular times. Where it was recorded when the thread ran, the part in which it did not.
void AddSilences(const Trace& trace, const CallsOfThreads& calls, OsWaits& waits);

// Adds the calls of MPI: each is two tasks, one that is over when the rank has come, and the call.
// What a call of MPI does in the system is a part of it.
void AddMpiTasks(const Trace& trace, OsWaits& waits);

}  // namespace xsp
