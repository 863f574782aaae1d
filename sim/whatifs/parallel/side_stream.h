#pragma once

#include <cstdint>
#include <string>

#include "sim/plan/plan.h"

namespace xsp {

// Puts in, behind a host task, an event on stream `done` and a wait for it on stream `waits`: what
// is issued to `waits` from then on begins when all that `done` had been given has finished. Gives
// back the last call that was put in.
TaskId InsertStreamWait(Plan& plan, TaskId behind, std::uint32_t waits, std::uint32_t done,
                        ChangeId change);
// The same before a host task.
void InsertStreamWaitBefore(Plan& plan, TaskId host, std::uint32_t waits, std::uint32_t done,
                            ChangeId change);
// One after the other, each before another host task: the event, which is given back, and a wait.
// `rule`: by which the wait is known; that of a call in whose place it comes.
std::uint32_t InsertRecordBefore(Plan& plan, TaskId host, std::uint32_t done, ChangeId change);
void InsertWaitForRecordBefore(Plan& plan, TaskId host, std::uint32_t waits, std::uint32_t record,
                               ChangeId change, Rule rule = Rule::kEventWait);

}  // namespace xsp
