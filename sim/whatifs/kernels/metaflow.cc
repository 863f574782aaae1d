#include <string>
#include <vector>

#include "base/error.h"
#include "sim/plan/json_selector.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/rewrite.h"

// MetaFlow: layers replaced by others that compute the same, as a file says, with the times that
// the new ones were measured to take.
//
//   {"substitutions": [{"what": "conv + bn + relu",
//                       "select": {"layer": "*block*", "phase": "forward"},
//                       "with": [{"name": "conv_bn_relu", "us": 120, "class": "conv"}]}]}
namespace xsp {
namespace {

constexpr WhatIfOption kMetaflowOptions[] = {{"file", "", "JSON with the substitutions"}};

struct Replacement {
  std::string name;
  double ns = 0;
  KernelClass kernel_class = KernelClass::kOther;
};

struct Substitution {
  std::string what;
  Selector select;
  std::vector<Replacement> with;
};

Replacement ReadReplacement(const UserJson& object) {
  constexpr double kMostUs = 1e12;
  object.OnlyKeys({"name", "us", "class"});
  Replacement made;
  made.name = object.TextOf("name").value_or("substituted");
  made.ns = object.At("us", "how long it takes, in microseconds").Number(0, kMostUs) * 1e3;
  made.kernel_class = ClassOf(object);
  return made;
}

std::vector<Substitution> ReadSubstitutions(const std::string& file) {
  const UserJson document = UserJson::Read(file, "docs/whatif.md shows the format");
  document.OnlyKeys({"substitutions"});
  std::vector<Substitution> all;
  for (const UserJson& object : document.At("substitutions", "a list of substitutions").List()) {
    object.OnlyKeys({"what", "select", "with"});
    Substitution& made = all.emplace_back();
    made.what = object.TextOf("what").value_or("substituted layers");
    made.select = ReadSelector(object.At("select", "which kernels are replaced"));
    for (const UserJson& one : object.At("with", "what comes in their place").List()) {
      made.with.push_back(ReadReplacement(one));
    }
  }
  return all;
}

// Kernels that fit and follow each other on a stream, in a layer and a step: one place to replace.
std::vector<std::vector<TaskId>> RunsOf(const Plan& plan, const Selector& select) {
  static const PerTask<std::uint8_t> kNoPath;
  const SelectorInput input{plan.graph(), plan.facts(), kNoPath};
  std::vector<std::vector<TaskId>> runs;
  bool is_open = false;
  for (const TaskId op : plan.KernelsInOrder()) {
    const bool fits = select.Fits(input, op);
    if (fits && is_open) {
      const TaskId last = runs.back().back();
      is_open = plan.graph().lane[last] == plan.graph().lane[op] &&
                plan.facts()[last].step == plan.facts()[op].step &&
                plan.facts()[last].layer == plan.facts()[op].layer;
    }
    if (fits && !is_open) runs.emplace_back();
    if (fits) runs.back().push_back(op);
    is_open = fits;
  }
  return runs;
}

void Replace(Plan& plan, const Substitution& with, const std::vector<TaskId>& run,
             ChangeId change) {
  const std::uint32_t stream = plan.graph().lane[run.front()];
  const TaskId call = plan.CallOf(run.front());
  for (std::size_t i = 0; i < with.with.size(); ++i) {
    const Replacement& one = with.with[i];
    NewKernel kernel;
    kernel.name = one.name;
    kernel.kind.kernel_class = one.kernel_class;
    kernel.ns = {one.ns, one.ns, one.ns};
    kernel.stream = stream;
    const bool is_last = i + 1 == with.with.size();
    is_last ? ReplaceKernels(plan, run, kernel, change)
            : plan.InsertKernelBefore(call, kernel, change);
  }
  if (!with.with.empty()) return;
  for (const TaskId op : run) plan.RemoveWithHost(op, change);
}

Applied ApplyMetaFlow(Plan& plan, const WhatIfValues& values) {
  if (values.Text("file").empty()) {
    throw Error("--metaflow does not say which substitutions", "--metaflow=substitutions.json");
  }
  std::vector<std::pair<Substitution, std::vector<std::vector<TaskId>>>> found;
  std::string missing;
  for (Substitution& one : ReadSubstitutions(values.Text("file"))) {
    std::vector<std::vector<TaskId>> runs = RunsOf(plan, one.select);
    if (runs.empty()) {
      missing = one.select.text();
    } else {
      found.emplace_back(std::move(one), std::move(runs));
    }
  }
  if (found.empty()) {
    return Applied::No(missing.empty() ? "the file holds no substitutions"
                                       : "no kernel fits " + missing);
  }
  if (!missing.empty()) plan.Caution("no kernel fits " + missing);
  std::vector<std::uint8_t> is_gone(plan.graph().task_count());
  for (const auto& [with, runs] : found) {
    const ChangeId change = plan.AddChange(with.what, with.select.text());
    for (std::vector<TaskId> run : runs) {
      // What an earlier substitution took is gone.
      std::erase_if(run, [&](TaskId op) { return is_gone[op.value] != 0; });
      for (const TaskId op : run) is_gone[op.value] = 1;
      if (!run.empty()) Replace(plan, with, run, change);
    }
  }
  plan.RestsOn(kInserted);
  plan.Assume("new kernels take what the file says; each costs the host a whole operation");
  return Applied::Yes();
}

}  // namespace

const WhatIf kMetaFlow = {"metaflow",
                          "MetaFlow substitutions",
                          "layers replaced by others of known times, from a file",
                          kInserted,
                          "a file of substitutions",
                          Effort::kDays,
                          {},
                          kMetaflowOptions,
                          ApplyMetaFlow,
                          /*is_advice=*/false};

}  // namespace xsp
