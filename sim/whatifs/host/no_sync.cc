#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/names/call_names.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/host/copies.h"
#include "sim/whatifs/host/reads.h"
#include "sim/whatifs/parallel/side_stream.h"

// The host no longer waits for the device where the program could do without:
// explicit syncs, and reads of single values (.item(), .cpu() of a loss).
namespace xsp {
namespace {

constexpr WhatIfOption kNoSyncOptions[] = {
    {"copies", "small", "which blocking reads go, too: none, small (to 64 KB), all"}};

// A read of a value or two; larger ones bring results that somebody uses.
constexpr std::uint64_t kSmall = 64 * 1024;

std::uint64_t LargestCopy(const WhatIfValues& values) {
  const std::string& text = values.Text("copies");
  if (text == "none") return 0;
  return text == "all" ? UINT64_MAX : kSmall;
}

bool IsSync(const TaskGraph& graph, TaskId host) {
  const Rule rule = graph.question[host].rule;
  return graph.kind[host] == TaskKind::kCall &&
         (rule == Rule::kHostSync || rule == Rule::kPolling) && IsWait(graph.question[host].ask) &&
         graph.OpsOf(host).empty();
}

// Launches that return with their work, but for those that stay.
std::vector<TaskId> BlockingLaunches(const TaskGraph& graph, const std::vector<TaskId>& stay) {
  std::vector<TaskId> launches;
  for (TaskId host : graph.host_tasks()) {
    if (graph.question[host].rule != Rule::kBlockingLaunch) continue;
    if (std::find(stay.begin(), stay.end(), host) == stay.end()) launches.push_back(host);
  }
  return launches;
}

// The host must know when all is done: the last wait of each thread stays where
// no step follows.
std::vector<TaskId> LastWaits(const Plan& plan) {
  std::vector<TaskId> last;
  if (plan.unit().is_step) return last;
  const TaskGraph& graph = plan.graph();
  for (const GraphThread& thread : graph.threads) {
    TaskId wait;
    for (TaskId host : thread.tasks()) {
      const bool is_call = graph.kind[host] == TaskKind::kCall;
      if (is_call && IsWait(graph.question[host].ask)) wait = host;
    }
    if (wait.valid()) last.push_back(wait);
  }
  return last;
}

// What the host waits for: the rows of "what changes".
enum class WaitFor : std::uint8_t {
  kUpload,  // A copy to the device, of which nothing comes back.
  kRead,    // A copy to the host, which it needs for something.
  kDevice,  // Whatever was launched before.
};

struct Waits {
  std::vector<TaskId> calls;
  std::uint64_t least = UINT64_MAX, most = 0;  // Bytes.
  DurationNs ns = 0;
};

// Work of one stream that the host launched after it had waited for another one may need what that
// one computed. Where such a wait goes, an event takes its place: the streams keep their order, and
// only the host runs ahead. Copies to the device need nothing of what was computed.
class StreamOrder {
 public:
  StreamOrder(Plan& plan, const std::set<TaskId>& removed)
      : plan_(plan), graph_(plan.graph()), removed_(removed) {}

  // Whether anything had to be put in.
  bool Keep() {
    for (const GraphThread& thread : graph_.threads) {
      barriers_.clear();
      issued_.clear();
      for (TaskId host : thread.tasks()) Visit(host);
    }
    return has_change_;
  }

 private:
  // A stream that the host waited for, and who follows it since.
  struct Barrier {
    TaskId wait;                          // The call that goes.
    std::optional<std::uint32_t> record;  // Made where somebody needs it.
    std::set<std::uint32_t> followers;
  };

  void Visit(TaskId host) {
    const TaskRange ops = graph_.OpsOf(host);
    if (!ops.empty() && !removed_.contains(host)) Follow(host, graph_.lane[ops.front()]);
    for (TaskId op : ops) issued_.insert(graph_.lane[op]);
    if (!IsWait(graph_.question[host].ask)) return;
    for (const std::uint32_t stream : AwaitedBy(host)) {
      issued_.erase(stream);
      if (removed_.contains(host)) {
        barriers_[stream] = {host, std::nullopt, {}};
      } else {
        barriers_.erase(stream);
      }
    }
  }

  std::vector<std::uint32_t> AwaitedBy(TaskId host) const {
    const Question& question = graph_.question[host];
    std::vector<std::uint32_t> streams;
    const auto add = [&](std::uint32_t stream) {
      if (issued_.contains(stream)) streams.push_back(stream);
    };
    if (question.ask == Ask::kStream) add(question.target);
    if (question.ask == Ask::kRecord) add(graph_.record_stream[question.target]);
    if (question.ask == Ask::kOwnWork && !graph_.OpsOf(host).empty()) {
      add(graph_.lane[graph_.OpsOf(host).front()]);
    }
    if (question.ask != Ask::kContext) return streams;
    for (const std::uint32_t stream : issued_) {
      if (graph_.streams[stream].context == question.target) streams.push_back(stream);
    }
    return streams;
  }

  void Follow(TaskId host, std::uint32_t stream) {
    if (graph_.op_class[graph_.RowOf(graph_.OpsOf(host).front())] == OpClass::kHtoD) return;
    for (auto& [awaited, barrier] : barriers_) {
      if (awaited == stream || !barrier.followers.insert(stream).second) continue;
      if (!has_change_)
        change_ = plan_.AddChange("streams keep their order by events", "new=event");
      has_change_ = true;
      if (!barrier.record)
        barrier.record = InsertRecordBefore(plan_, barrier.wait, awaited, change_);
      InsertWaitForRecordBefore(plan_, host, stream, *barrier.record, change_, Rule::kHostSync);
    }
  }

  Plan& plan_;
  const TaskGraph& graph_;
  const std::set<TaskId>& removed_;
  std::map<std::uint32_t, Barrier> barriers_;  // By the stream that was waited for.
  std::set<std::uint32_t> issued_;  // Streams with work of the thread since they were waited for.
  bool has_change_ = false;
  ChangeId change_ = 0;
};

class NoSync {
 public:
  NoSync(Plan& plan, std::uint64_t most) : plan_(plan), graph_(plan.graph()), most_(most) {}

  Applied Apply() {
    Find();
    if (!is_in_unit_) {
      return Applied::No(
          holds_upload_
              ? "the host waits for the device in copies to it only: --pinned takes that away"
              : "the host never waits for the device in this part of the trace");
    }
    std::vector<const Row*> rows;
    for (const Row& row : waits_) rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row* a, const Row* b) { return a->second.ns > b->second.ns; });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i <= kMostRows)
        change_ = plan_.AddChange(i < kMostRows ? Words(*rows[i]) : "other waits",
                                  "rule=host_sync|blocking_copy");
      for (const TaskId call : rows[i]->second.calls) plan_.RemoveCall(call, change_);
    }
    FreeLaunches();
    std::set<TaskId> removed;
    for (const Row* row : rows) removed.insert(row->second.calls.begin(), row->second.calls.end());
    if (StreamOrder(plan_, removed).Keep()) {
      plan_.Assume("work of other streams still follows what the host waited for, by events");
    }
    Say(rows);
    return Applied::Yes();
  }

 private:
  static constexpr std::size_t kMostRows = 6;
  using Row = std::pair<const std::pair<WaitFor, std::string>, Waits>;

  void Find() {
    const std::vector<TaskId> last = LastWaits(plan_);
    for (TaskId host : graph_.host_tasks()) {
      holds_upload_ |= IsBlockingUpload(host);
      if (std::find(last.begin(), last.end(), host) != last.end()) continue;
      const TaskId read = BlockingRead(graph_, host);
      if (read.valid()) {
        Add(host, read);
      } else if (IsSync(graph_, host)) {
        Add(host, CopyBefore(graph_, host));
      }
    }
    launches_ = BlockingLaunches(graph_, last);
    for (const TaskId call : launches_) is_in_unit_ |= plan_.Counts(call);
  }

  void FreeLaunches() {
    if (launches_.empty()) return;
    const ChangeId free =
        plan_.AddChange("launches return before their work is done", "rule=blocking_launch");
    for (const TaskId call : launches_) plan_.Touch(call, free);
    for (const TaskId call : launches_) plan_.edit().MakeAsync(call);
  }

  bool IsBlockingUpload(TaskId host) const {
    const TaskRange ops = graph_.OpsOf(host);
    return !ops.empty() && IsWait(graph_.question[host].ask) &&
           graph_.op_class[graph_.RowOf(ops.front())] == OpClass::kHtoD;
  }

  // `copy`: what it waits for, where that is all.
  void Add(TaskId call, TaskId copy) {
    WaitFor what = WaitFor::kDevice;
    std::uint64_t bytes = 0;
    if (copy.valid() && graph_.event[copy].valid()) {
      const bool is_read = graph_.op_class[graph_.RowOf(copy)] == OpClass::kDtoH;
      what = is_read ? WaitFor::kRead : WaitFor::kUpload;
      bytes = CopyBytes(graph_, copy);
      if (is_read && (most_ == 0 || bytes > most_)) return;
    }
    is_in_unit_ |= plan_.Counts(call);
    Waits& waits = waits_[{what, Place(call)}];
    waits.calls.push_back(call);
    waits.least = std::min(waits.least, bytes);
    waits.most = std::max(waits.most, bytes);
    waits.ns += graph_.measured(call);
  }

  // The call in which the host waits, and the operator that makes it.
  std::string Place(TaskId call) const {
    const std::string name(CallName(plan_.facts().Name(call)));
    const std::string operation(plan_.facts().Operation(call));
    return operation.empty() ? name : name + " in " + operation;
  }

  static std::string Words(const Row& row) {
    const auto& [what, place] = row.first;
    if (what == WaitFor::kDevice) return place;
    const Waits& waits = row.second;
    const std::string size =
        (waits.least < waits.most ? "up to " : "") + SizeWords(waits.most) + " by " + place;
    return what == WaitFor::kRead ? "reads of " + size : "waits behind copies in of " + size;
  }

  void Say(const std::vector<const Row*>& rows) {
    plan_.RestsOn(kStructural);
    std::string reads, syncs;
    bool any_upload = false;
    for (const Row* row : rows) {
      const WaitFor what = row->first.first;
      any_upload |= what == WaitFor::kUpload;
      if (what == WaitFor::kRead && reads.empty()) reads = Words(*row);
      if (what == WaitFor::kDevice && syncs.empty()) syncs = Words(*row);
    }
    if (any_upload) {
      plan_.Assume("of a copy to the device nothing comes back: nobody has to wait for it");
    }
    if (reads.empty() && syncs.empty()) return;
    plan_.Assume("nothing that the host does next depends on what it waited for");
    if (!reads.empty()) {
      plan_.Caution(reads + ": the host may decide by what it reads; look at each first");
    }
    if (!syncs.empty()) {
      plan_.Caution("no trace tells whether the host needs what " + syncs +
                    " waits for: look at each wait first");
    }
  }

  Plan& plan_;
  const TaskGraph& graph_;
  const std::uint64_t most_;
  std::map<std::pair<WaitFor, std::string>, Waits> waits_;
  std::vector<TaskId> launches_;  // That return with their kernel.
  bool holds_upload_ = false;
  bool is_in_unit_ = false;  // Any of them; others are of steps that fill the pipeline.
  ChangeId change_ = 0;
};

Applied ApplyNoSync(Plan& plan, const WhatIfValues& values) {
  return NoSync(plan, LargestCopy(values)).Apply();
}

}  // namespace

const WhatIf kNoSync = {"no-sync",
                        "No host syncs",
                        "the host does not wait for the device: no syncs, no .item()",
                        kStructural,
                        "",
                        Effort::kLines,
                        {"no host waits", "no .item(), .cpu(), synchronize() in the loop",
                         "no synchronizing calls in the loop"},
                        kNoSyncOptions,
                        ApplyNoSync};

}  // namespace xsp
