#include "sample_traces/script.h"

namespace xsp::samples {

Op& Script::Add(OpKind kind) {
  Op& op = program_.threads[thread_].ops.emplace_back();
  op.kind = kind;
  op.uid = program_.next_uid++;
  return op;
}

Op& Script::Push(std::string_view text, int64_t first, int64_t stride) {
  Op& op = Add(OpKind::kPush);
  op.text = program_.AddString(text);
  op.first[0] = first;
  op.stride[0] = stride;
  return op;
}

Op& Script::PushRegistered(std::string_view text, int32_t domain) {
  Op& op = Push(text);
  op.flag = true;
  op.domain = domain;
  return op;
}

Op& Script::Pop(int32_t domain) {
  Op& op = Add(OpKind::kPop);
  op.domain = domain;
  return op;
}

namespace {

Op& Named(Op& op, Program& program, std::string_view text) {
  op.text = program.AddString(text);
  return op;
}

Op& On(Op& op, int32_t target, int32_t object = -1) {
  op.target = target;
  op.object = object;
  return op;
}

Op& Sized(Op& op, int64_t amount) {
  op.amount = amount;
  return op;
}

}  // namespace

Op& Script::Mark(std::string_view text) { return Named(Add(OpKind::kMark), program_, text); }
Op& Script::RangeStart(std::string_view text) {
  return Named(Add(OpKind::kRangeStart), program_, text);
}
Op& Script::RangeEnd(std::string_view text) {
  return Named(Add(OpKind::kRangeEnd), program_, text);
}
Op& Script::NameThread(std::string_view text) {
  return Named(Add(OpKind::kNameThread), program_, text);
}

Op& Script::Launch(int32_t kernel, int32_t stream) {
  return On(Add(OpKind::kLaunch), stream, kernel);
}

Op& Script::Collective(int32_t kernel, int32_t stream, int32_t communicator, int64_t transfer_ns) {
  Op& op = On(Add(OpKind::kCollective), stream, kernel);
  op.copy.peer = communicator;
  op.amount = transfer_ns;
  return op;
}

Op& Script::Copy(const CopySpec& copy, int32_t stream) {
  Op& op = On(Add(OpKind::kCopy), stream);
  op.copy = copy;
  return op;
}

Op& Script::Memset(int64_t bytes, int32_t stream) {
  return Sized(On(Add(OpKind::kMemset), stream), bytes);
}
Op& Script::EventRecord(int32_t event, int32_t stream) {
  return On(Add(OpKind::kEventRecord), stream, event);
}
Op& Script::StreamWait(int32_t stream, int32_t event) {
  return On(Add(OpKind::kStreamWait), stream, event);
}
Op& Script::EventSync(int32_t event) {
  return On(Add(OpKind::kEventSync), program_.events[event].context, event);
}
Op& Script::StreamSync(int32_t stream) { return On(Add(OpKind::kStreamSync), stream); }
Op& Script::DeviceSync(int32_t context) { return On(Add(OpKind::kDeviceSync), context); }
Op& Script::PollStream(int32_t stream, int64_t pause, std::string_view os_call) {
  Op& op = Sized(On(Add(OpKind::kPollStream), stream), pause);
  return os_call.empty() ? op : Named(op, program_, os_call);
}
Op& Script::PollEvent(int32_t event, int64_t pause, std::string_view os_call) {
  Op& op = Sized(On(Add(OpKind::kPollEvent), program_.events[event].context, event), pause);
  return os_call.empty() ? op : Named(op, program_, os_call);
}

Op& Script::Malloc(int32_t context, int64_t bytes, bool waits) {
  Op& op = Sized(On(Add(OpKind::kMalloc), context), bytes);
  op.flag = waits;
  return op;
}

Op& Script::Free(int32_t context, int64_t bytes, bool waits) {
  Op& op = Sized(On(Add(OpKind::kFree), context), bytes);
  op.flag = waits;
  return op;
}

Op& Script::MallocAsync(int32_t stream, int64_t bytes) {
  return Sized(On(Add(OpKind::kMallocAsync), stream), bytes);
}
Op& Script::FreeAsync(int32_t stream, int64_t bytes) {
  return Sized(On(Add(OpKind::kFreeAsync), stream), bytes);
}

Op& Script::BeginCapture(int32_t stream) { return On(Add(OpKind::kBeginCapture), stream); }
Op& Script::EndCapture(int32_t stream, int32_t graph) {
  return On(Add(OpKind::kEndCapture), stream, graph);
}
Op& Script::Instantiate(int32_t graph) { return On(Add(OpKind::kInstantiate), -1, graph); }
Op& Script::GraphLaunch(int32_t graph, int32_t stream) {
  return On(Add(OpKind::kGraphLaunch), stream, graph);
}

Op& Script::Work(int64_t ns) { return Sized(Add(OpKind::kWork), ns); }
Op& Script::OsCall(std::string_view name, int64_t ns) {
  return Named(Sized(Add(OpKind::kOsCall), ns), program_, name);
}
Op& Script::ApiCall(std::string_view name, int64_t ns) {
  return Named(Sized(Add(OpKind::kApiCall), ns), program_, name);
}
Op& Script::Post(int32_t semaphore, std::string_view os_call) {
  Op& op = On(Add(OpKind::kPost), semaphore);
  if (!os_call.empty()) Named(op, program_, os_call);
  return op;
}
Op& Script::Wait(int32_t semaphore, std::string_view os_call) {
  Op& op = On(Add(OpKind::kWait), semaphore);
  if (!os_call.empty()) Named(op, program_, os_call);
  return op;
}
Op& Script::MpiCollective(std::string_view name, int32_t group, int64_t transfer) {
  return Named(Sized(On(Add(OpKind::kMpiCollective), -1, group), transfer), program_, name);
}
Op& Script::MpiSend(int32_t rank, int32_t tag, int64_t transfer) {
  return Named(Sized(On(Add(OpKind::kMpiSend), rank, tag), transfer), program_, "MPI_Send");
}
Op& Script::MpiReceive(int32_t rank, int32_t tag) {
  return Named(On(Add(OpKind::kMpiReceive), rank, tag), program_, "MPI_Recv");
}
Op& Script::MpiPostReceive(int32_t rank, int32_t tag) {
  return Named(On(Add(OpKind::kMpiPostReceive), rank, tag), program_, "MPI_Irecv");
}
Op& Script::MpiAwait() { return Named(Add(OpKind::kMpiAwait), program_, "MPI_Wait"); }
Op& Script::Tick(int64_t period_ns, int64_t jitter_ns, std::string_view os_call) {
  Op& op = Sized(Add(OpKind::kTick), period_ns);
  op.first[0] = jitter_ns;
  if (!os_call.empty()) Named(op, program_, os_call);
  return op;
}
Op& Script::Loop(int64_t repetitions) { return Sized(Add(OpKind::kLoop), repetitions); }
Op& Script::EndLoop() { return Add(OpKind::kEndLoop); }

}  // namespace xsp::samples
