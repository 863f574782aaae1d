#include "sim/whatifs/parallel/side_stream.h"

namespace xsp {
namespace {

NewCall EventCall(const Plan& plan, std::string name, Question question) {
  NewCall call;
  call.label = std::move(name);
  call.own = plan.machine().launch_own / 3;  // Calls of events ask nothing of the device.
  call.question = question;
  return call;
}

}  // namespace

TaskId InsertStreamWait(Plan& plan, TaskId behind, std::uint32_t waits, std::uint32_t done,
                        ChangeId change) {
  const std::uint32_t record = plan.edit().AddRecord(done);
  const TaskId made = plan.InsertCallAfter(
      behind, EventCall(plan, "cudaEventRecord", GraphEdit::MakeRecord(record)), change);
  return plan.InsertCallAfter(
      made, EventCall(plan, "cudaStreamWaitEvent", plan.edit().StreamWaitFor(waits, record)),
      change);
}

void InsertStreamWaitBefore(Plan& plan, TaskId host, std::uint32_t waits, std::uint32_t done,
                            ChangeId change) {
  const std::uint32_t record = InsertRecordBefore(plan, host, done, change);
  InsertWaitForRecordBefore(plan, host, waits, record, change);
}

std::uint32_t InsertRecordBefore(Plan& plan, TaskId host, std::uint32_t done, ChangeId change) {
  const std::uint32_t record = plan.edit().AddRecord(done);
  plan.InsertCallBefore(host, EventCall(plan, "cudaEventRecord", GraphEdit::MakeRecord(record)),
                        change);
  return record;
}

void InsertWaitForRecordBefore(Plan& plan, TaskId host, std::uint32_t waits, std::uint32_t record,
                               ChangeId change, Rule rule) {
  Question question = plan.edit().StreamWaitFor(waits, record);
  question.rule = rule;
  plan.InsertCallBefore(host, EventCall(plan, "cudaStreamWaitEvent", question), change);
}

}  // namespace xsp
