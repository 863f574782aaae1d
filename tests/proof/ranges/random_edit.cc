#include "tests/proof/ranges/random_edit.h"

#include <algorithm>

#include "base/quantile.h"
#include "tests/proof/one_thread.h"

namespace xsp::proof {
namespace {

using samples::Op;
using samples::OpKind;
using samples::Scenario;

std::string Factor(double factor) { return " × " + std::to_string(factor).substr(0, 4); }

bool IsNamed(const Plan& plan, TaskId task, const std::string& part) {
  const EventId event = plan.graph().event[task];
  return event.valid() && plan.graph().trace->name(event).find(part) != std::string_view::npos;
}

template <class F>
void ForKernels(Plan& plan, const std::string& part, F f) {
  for (TaskId op : plan.graph().ops()) {
    if (plan.graph().kind[op] == TaskKind::kKernel && IsNamed(plan, op, part)) f(op);
  }
}

RandomEdit KernelsScaled(const std::string& part, double factor) {
  const auto permille = static_cast<int64_t>(1'000 * factor);
  return {"kernels" + Factor(factor), kScaling,
          [=](Scenario& scenario) { ScaleKernels(scenario, part, permille); },
          [=](Plan& plan) {
            const ChangeId change = plan.AddChange("kernels", part);
            ForKernels(plan, part, [&](TaskId op) { plan.Scale(op, factor, change); });
          }};
}

RandomEdit HostScaled(double factor) {
  return {"host work" + Factor(factor), kScaling,
          [=](Scenario& scenario) {
            ForEachOp(scenario, [=](Op& op) {
              if (op.kind != OpKind::kWork || op.groups != 0) return;
              op.amount = static_cast<int64_t>(static_cast<double>(op.amount) * factor);
            });
          },
          [=](Plan& plan) {
            const ChangeId change = plan.AddChange("host work", "");
            for (TaskId host : plan.graph().host_tasks()) {
              const auto gap = static_cast<double>(plan.Gap(host));
              plan.SetGap(host, static_cast<DurationNs>(gap * factor), change);
            }
          }};
}

RandomEdit SyncsRemoved(const RandomProgram& program) {
  return {"syncs removed", kStructural, RemoveMarked, [program](Plan& plan) {
            const ChangeId change = plan.AddChange("syncs", "");
            const TaskGraph& graph = plan.graph();
            for (TaskId host : graph.host_tasks()) {
              const bool fits = std::any_of(
                  program.syncs.begin(), program.syncs.end(), [&](const std::string& sync) {
                    return graph.kind[host] == TaskKind::kCall && IsNamed(plan, host, sync);
                  });
              if (fits) plan.RemoveCall(host, change);
            }
            if (!program.reads_results) return;
            for (TaskId op : graph.ops()) {
              if (graph.op_class[graph.RowOf(op)] == OpClass::kDtoH) {
                plan.RemoveCall(graph.CallOf(op), change);
              }
            }
          }};
}

// All host memory pinned and all copies asynchronous: the machine's own figures.
RandomEdit CopiesPinned() {
  return {"copies pinned", kStructural, PinCopies, [](Plan& plan) {
            const ChangeId change = plan.AddChange("copies", "");
            const samples::MachineConfig machine;
            const TaskGraph& graph = plan.graph();
            for (TaskId op : graph.ops()) {
              const OpClass of = graph.op_class[graph.RowOf(op)];
              if (of != OpClass::kHtoD && of != OpClass::kDtoH) continue;
              const Trace& trace = *graph.trace;
              const auto bytes = trace.copies().bytes[trace.Row(graph.event[op])];
              const int64_t whole =
                  machine.copy_base_ns + static_cast<int64_t>(bytes) * 1'000 / machine.pinned_rate;
              const auto ns = static_cast<double>(whole);
              plan.SetDuration(op, {ns, ns, ns}, change);
              plan.edit().SetOwn(plan.CallOf(op), plan.machine().copy_own);
              plan.edit().MakeAsync(plan.CallOf(op));
            }
          }};
}

// What the host does before a launch, most of the time.
int64_t UsualWork(const Scenario& scenario) {
  std::vector<int64_t> work;
  for (const samples::Thread& thread : scenario.program.threads) {
    for (std::size_t i = 1; i < thread.ops.size(); ++i) {
      const bool is_launch = thread.ops[i].kind == OpKind::kLaunch;
      if (is_launch && thread.ops[i - 1].kind == OpKind::kWork) {
        work.push_back(thread.ops[i - 1].amount);
      }
    }
  }
  return work.empty() ? 0 : UpperMedian(work);
}

void InsertBehind(Scenario& scenario, const std::string& part, int64_t us, int64_t work) {
  samples::Program& program = scenario.program;
  const int32_t added =
      program.AddKernel(samples::PlainKernel("inserted", "float *, int", 432, 1'000 * us));
  for (samples::Thread& thread : program.threads) {
    std::vector<Op> ops;
    for (const Op& op : thread.ops) {
      ops.push_back(op);
      if (op.kind != OpKind::kLaunch) continue;
      if (program.kernels[op.object].demangled.find(part) == std::string::npos) continue;
      Op host;
      host.kind = OpKind::kWork;
      host.amount = work;
      host.every = op.every;
      host.uid = program.next_uid++;
      Op launch = op;
      launch.object = added;
      launch.uid = program.next_uid++;
      ops.push_back(host);
      ops.push_back(launch);
    }
    thread.ops = std::move(ops);
  }
}

// Another kernel behind each of a name. How long it takes is known to a quarter, what the host does
// for it is not.
RandomEdit KernelsInserted(const std::string& part, int64_t us, double guess, double host) {
  return {
      "kernels inserted", kInserted,
      [=](Scenario& scenario) {
        const auto work = static_cast<double>(UsualWork(scenario));
        InsertBehind(scenario, part, us, static_cast<int64_t>(work * host));
      },
      [=](Plan& plan) {
        const ChangeId change = plan.AddChange("inserted", part);
        const double ns = 1'000 * static_cast<double>(us) * guess;
        ForKernels(plan, part, [&](TaskId op) {
          const NewKernel kernel{"inserted", {}, {ns, ns / 1.25, ns * 1.25}, plan.graph().lane[op]};
          plan.InsertKernelAfter(plan.CallOf(op), kernel, change);
        });
      }};
}

bool HasCopies(const Scenario& scenario) {
  return std::any_of(
      scenario.program.threads.begin(), scenario.program.threads.end(), [](const auto& thread) {
        return std::any_of(thread.ops.begin(), thread.ops.end(), [](const Op& op) {
          return op.kind == OpKind::kCopy && op.copy.kind == samples::CopyKind::kHostToDevice &&
                 op.copy.bytes > 4'096;
        });
      });
}

}  // namespace

std::vector<RandomEdit> DrawEdits(const RandomProgram& program, Random& random) {
  std::vector<RandomEdit> edits;
  edits.push_back(KernelsScaled(random.Of(program.kernels), random.Spread(0.1, 3)));
  edits.push_back(HostScaled(random.Spread(0.3, 3)));
  if (!program.syncs.empty()) edits.push_back(SyncsRemoved(program));
  if (program.syncs.empty() == false && HasCopies(program.scenario)) {
    edits.push_back(CopiesPinned());
  }
  edits.push_back(KernelsInserted(program.kernels.front(), random.Between(3, 60),
                                  random.Uniform(0.8, 1.25), random.Uniform(0.7, 1.3)));
  return edits;
}

WhatIf AsWhatIf(const RandomEdit& edit) {
  const auto apply = [edit](Plan& plan, const WhatIfValues&) {
    plan.RestsOn(edit.evidence);
    edit.change_graph(plan);
    return Applied::Yes();
  };
  return {"edit", "An edit", "", edit.evidence, "", Effort::kLines, {}, {}, apply};
}

}  // namespace xsp::proof
