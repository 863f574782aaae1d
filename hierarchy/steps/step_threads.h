#pragma once

#include <vector>

#include "hierarchy/steps/step_candidates.h"
#include "hierarchy/steps/steps.h"
#include "model/trace.h"

namespace xsp {

// The threads of a process that launch work while its steps run and that no step waits for:
// background work. Sorted. Which threads are the steps' own is told by what was recorded, in at
// least one of eight steps, starting from the threads on which the steps' ranges lie:
// - a thread that launches into a stream of theirs (autograd's, which runs the backward pass);
// - one whose stream they wait for: by a sync of the stream, by an event, on the host or on the
//   device, or since one of both is the legacy default stream;
// - one that takes turns with them: whenever it is in a call, they are silent.
// Who waits for the whole device waits for whatever happens to run there, and for nobody in
// particular.
// None where the steps were found from kernels, where their thread launches nothing (others work
// for it, in ways that no row tells), or where it waits for what was not recorded.
std::vector<TrackId> ThreadsBeside(const Trace& trace, const LaunchedWork& launched,
                                   const std::vector<HostStep>& steps);

// What is left of a process's work without that of these threads.
LaunchedWork WithoutThreads(const Trace& trace, LaunchedWork launched,
                            const std::vector<TrackId>& threads);

}  // namespace xsp
