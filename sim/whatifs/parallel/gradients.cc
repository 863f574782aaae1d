#include "sim/whatifs/parallel/gradients.h"

#include <algorithm>
#include <string>

#include "model/names/communication.h"

namespace xsp {

Gradients FindGradients(Plan& plan, double parameters, double bytes_each) {
  Gradients gradients;
  if (parameters <= 0) return gradients;
  double elements = 0;
  std::vector<TaskId> backward;
  const WorkFacts& facts = plan.facts();
  for (const TaskId op : plan.KernelsInOrder()) {
    if (facts[op].phase == Phase::kBackward) backward.push_back(op);
    if (!MakesWeightGradient(facts, op)) continue;
    const MatrixWork work = MatrixWorkOf(plan.graph(), facts, op);
    if (!work.shape) continue;
    const double of_this = static_cast<double>(work.shape->outputs);
    gradients[facts[op].step].push_back({op, of_this});
    elements += of_this;
  }
  if (elements <= 0) {
    gradients.clear();
    for (const TaskId op : backward) gradients[facts[op].step].push_back({op, 1});
    elements = static_cast<double>(backward.size());
    plan.Caution(
        "no kernel tells which gradients it makes: they are spread over the backward pass");
  }
  const double scale = parameters * plan.step_count() * bytes_each / elements;
  for (auto& [step, of_step] : gradients) {
    for (Gradient& gradient : of_step) gradient.bytes *= scale;
  }
  return gradients;
}

double ParametersAsked(const Plan& plan, const WhatIfValues& values) {
  return values.IsGiven("parameters") ? values.Number("parameters") : plan.machine().parameters;
}

Links LinksAsked(const Plan& plan, const WhatIfValues& values, std::string_view whatif) {
  const std::uint32_t gpus = values.Count("gpus");
  Links links = UsualLinks(plan.machine().gpu, gpus, std::min(values.Count("per-machine"), gpus),
                           values.Bandwidth("network"));
  if (values.IsGiven("network")) links.between = values.Bandwidth("network");
  if (values.IsGiven("link")) {
    links.inside = values.Bandwidth("link");
    links.source = "--" + std::string(whatif) + "=link";
  }
  return links;
}

std::vector<TaskId> CollectivesOf(const Plan& plan) {
  std::vector<TaskId> ops = plan.KernelsInOrder();
  std::erase_if(ops,
                [&](TaskId op) { return !IsCommunication(plan.facts()[op].kind.kernel_class); });
  return ops;
}

}  // namespace xsp
