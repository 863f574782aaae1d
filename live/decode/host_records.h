#pragma once

#include <cstddef>

#include "live/decode/process_context.h"
#include "live/decode/rows.h"
#include "live/spool/record_view.h"

namespace xsp::live {

// The calls of one process. A driver call that a runtime call made is not one of the program's:
// nsys leaves it out, and so does this. What it launched counts as launched by the outer call.
// Must come before the work of the process.
void TakeCalls(ProcessContext& context, RecordingRows& rows);

// Takes a wait, a record of an event, an overhead, or an operation on memory. False: it is none.
bool TakeHostRecord(ProcessContext& context, RecordingRows& rows, CuptiKind kind, const char* at,
                    std::size_t bytes);

}  // namespace xsp::live
