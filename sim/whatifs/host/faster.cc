#include <string>
#include <vector>

#include "base/error.h"
#include "sim/whatifs/all.h"

// "This kernel, class or layer N times faster", and "replaced by a kernel of N
// microseconds".
namespace xsp {
namespace {

constexpr WhatIfOption kFasterOptions[] = {
    {"name", "", "kernels of this name; * stands for any text"},
    {"by", "2", "how many times as fast"},
    {"class", "", "kernels of this class: gemm, elementwise, ..."},
    {"layer", "", "work of this layer; * stands for any text"},
    {"phase", "", "work of this phase: forward, backward, optimizer"}};

constexpr WhatIfOption kReplaceOptions[] = {
    {"name", "", "kernels of this name; * stands for any text"},
    {"with", "10us", "how long each of them takes"},
    {"class", "", "kernels of this class: gemm, elementwise, ..."},
    {"layer", "", "work of this layer; * stands for any text"},
    {"phase", "", "work of this phase: forward, backward, optimizer"}};

Phase PhaseFromName(std::string_view name) {
  for (std::size_t i = 0; i < kPhaseCount; ++i) {
    if (NameOf(static_cast<Phase>(i)) == name) return static_cast<Phase>(i);
  }
  throw Error("there is no phase '" + std::string(name) + "'",
              "take forward, backward or optimizer");
}

// A name without a star is looked for anywhere in the kernel's name: those are
// long.
std::string Anywhere(const std::string& pattern) {
  return pattern.find('*') == std::string::npos ? "*" + pattern + "*" : pattern;
}

Selector Chosen(const WhatIfValues& values, std::string_view whatif) {
  Selector selector = Selector::Kind(TaskKind::kKernel);
  bool chosen = false;
  auto narrow = [&](std::string_view option, auto make) {
    const std::string& text = values.Text(option);
    if (text.empty()) return;
    selector = selector && make(text);
    chosen = true;
  };
  narrow("name", [](const std::string& text) { return Selector::Name(Anywhere(text)); });
  narrow("layer", [](const std::string& text) { return Selector::Layer(Anywhere(text)); });
  narrow("phase", [](const std::string& text) { return Selector::InPhase(PhaseFromName(text)); });
  narrow("class", [](const std::string& text) {
    const auto of = KernelClassFromName(text);
    if (!of) throw Error("there is no kernel class '" + text + "'", "xsp analyze TRACE lists them");
    return Selector::Class(*of);
  });
  if (!chosen) {
    throw Error("--" + std::string(whatif) + " does not say which work is meant",
                "for instance --" + std::string(whatif) + "=gemm, or class=, layer=, phase=");
  }
  return selector;
}

Applied Retime(Plan& plan, const Selector& selector, std::string what, auto retimed) {
  const std::vector<TaskId> tasks = plan.Select(selector);
  if (tasks.empty()) return Applied::No("no work fits " + selector.text());
  const ChangeId change = plan.AddChange(std::move(what), selector.text());
  for (const TaskId task : tasks) {
    const double ns = retimed(static_cast<double>(plan.Own(task)));
    plan.SetDuration(task, {ns, ns, ns}, change);
  }
  plan.RestsOn(kScaling);
  return Applied::Yes();
}

Applied ApplyFaster(Plan& plan, const WhatIfValues& values) {
  const double by = values.Number("by");
  if (by <= 0) throw Error("--faster: by=" + values.Text("by") + " must be above 0", "");
  plan.Assume("the work takes 1/" + values.Text("by") + " of its time; everything else stays");
  return Retime(plan, Chosen(values, "faster"), values.Text("by") + "× faster",
                [&](double ns) { return ns / by; });
}

Applied ApplyReplace(Plan& plan, const WhatIfValues& values) {
  const double each = values.Nanoseconds("with");
  plan.Assume("each of them takes " + values.Text("with") + "; everything else stays");
  return Retime(plan, Chosen(values, "replace"), values.Text("with") + " each",
                [&](double) { return each; });
}

}  // namespace

const WhatIf kFaster = {"faster",
                        "Faster kernels",
                        "a kernel, class or layer N times as fast",
                        kScaling,
                        "which work: a name, class, layer or phase",
                        Effort::kDays,
                        {},
                        kFasterOptions,
                        ApplyFaster,
                        /*is_advice=*/false};

const WhatIf kReplace = {"replace",
                         "Replaced kernels",
                         "kernels replaced by others of a known time",
                         kScaling,
                         "which work, and how long the new kernel takes",
                         Effort::kDays,
                         {},
                         kReplaceOptions,
                         ApplyReplace,
                         /*is_advice=*/false};

}  // namespace xsp
