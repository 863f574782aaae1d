#include "sim/models/throughput.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/ascii.h"
#include "sim/models/kernel_bound.h"

namespace xsp {
namespace {

constexpr double kTraining = 6, kInference = 2, kForwardTimes = 2, kBackwardTimes = 4;

// Sums over the unit's kernels.
class Rates {
 public:
  Rates(const Workbench& workbench, Throughput& result)
      : bench_(workbench), graph_(workbench.graph()), facts_(workbench.facts()), result_(result) {}

  void Run() {
    const std::unique_ptr<Plan> plan = bench_.NewPlan();
    std::set<std::uint32_t> devices;
    for (const TaskId op : plan->KernelsInOrder()) {
      if (!plan->Counts(op)) continue;
      devices.insert(graph_.DeviceOf(op));
      Visit(op);
    }
    result_.gpus = static_cast<std::uint32_t>(std::max<std::size_t>(1, devices.size()));
    Divide();
    ChooseFormat();
  }

 private:
  void Visit(TaskId op) {
    const WorkFact& fact = facts_[op];
    const DurationNs ns = graph_.own[op];
    result_.kernels += ns;
    result_.trains |= fact.phase == Phase::kBackward;
    WorkRate& phase = phases_[static_cast<std::size_t>(fact.phase)];
    WorkRate& layer = layers_[std::string(facts_.Layer(op))];
    phase.ns += ns;
    layer.ns += ns;
    CountTokens(op);
    if (!MultipliesMatrices(fact.kind.kernel_class)) return;
    result_.matrix += ns;
    formats_[static_cast<std::size_t>(fact.kind.precision)] += ns;
    const MatrixWork work = MatrixWorkOf(graph_, facts_, op);
    if (!work.flops) return;
    // Several kernels may belong to one product: it is counted once, their time is summed.
    const bool is_new = seen_.insert(fact.operation_range.value).second;
    const double flops = is_new ? *work.flops : 0;
    for (WorkRate* rate : {&phase, &layer}) {
      rate->with_shapes += ns;
      rate->flops += flops;
    }
    result_.with_shapes += ns;
    result_.executed_flops += flops;
    constexpr DurationNs kLongEnough = 50'000;
    if (is_new && ns >= kLongEnough) best_ = std::max(best_, flops / static_cast<double>(ns) * 1e9);
  }

  // The indices of the largest table that an embedding looks up: a token each.
  void CountTokens(TaskId op) {
    if (facts_.Operation(op) != "aten::embedding") return;
    if (!lookups_.insert(facts_[op].operation_range.value).second) return;
    const OperandSizes operands = RecordedOperands(graph_, facts_, op);
    if (operands.size() < 2 || operands[0].empty() || operands[1].empty()) return;
    embedded_[ElementCount(operands[0])] += ElementCount(operands[1]);
  }

  void Divide() {
    const Unit& unit = bench_.unit();
    const auto steps = static_cast<double>(unit.run_size());
    result_.executed_flops /= steps;
    for (DurationNs* ns : {&result_.kernels, &result_.with_shapes, &result_.matrix}) {
      *ns = unit.MeanOfRun(*ns);
    }
    const auto add = [&](WorkRate rate, std::string what, std::vector<WorkRate>& to) {
      if (rate.ns == 0) return;
      rate.what = std::move(what);
      rate.ns = unit.MeanOfRun(rate.ns);
      rate.with_shapes = unit.MeanOfRun(rate.with_shapes);
      rate.flops /= steps;
      to.push_back(std::move(rate));
    };
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      add(phases_[i], std::string(NameOf(static_cast<Phase>(i))), result_.phases);
    }
    for (auto& [layer, rate] : layers_) {
      if (!layer.empty() && rate.with_shapes > 0) add(rate, layer, result_.layers);
    }
    std::stable_sort(result_.layers.begin(), result_.layers.end(),
                     [](const WorkRate& a, const WorkRate& b) { return a.ns > b.ns; });
    if (!embedded_.empty()) tokens_ = embedded_.rbegin()->second / steps;
  }

  void ChooseFormat() {
    const auto most = std::max_element(formats_.begin(), formats_.end());
    if (*most > 0) result_.format = static_cast<Precision>(most - formats_.begin());
    const GpuPeaks& gpu = bench_.machine().gpu;
    result_.peak = gpu.Of(result_.format);
    if (!result_.peak) return;
    const double share = ReachedShare(gpu, result_.format, result_.format != Precision::kFp32);
    result_.reachable = share * *result_.peak;
    result_.reachable_source = "a usual share of the data sheet";
    if (best_ > *result_.reachable && best_ <= *result_.peak) {
      result_.reachable = best_;
      result_.reachable_source = "the best product of this trace";
    }
  }

 public:
  double tokens_ = 0;  // That embeddings look up; 0: unknown.

 private:
  const Workbench& bench_;
  const TaskGraph& graph_;
  const WorkFacts& facts_;
  Throughput& result_;
  std::array<WorkRate, kPhaseCount> phases_{};
  std::map<std::string, WorkRate> layers_;
  std::array<DurationNs, kPrecisionCount> formats_{};
  std::set<std::uint32_t> seen_, lookups_;
  std::map<double, double> embedded_;  // Looked up, by the size of the table.
  double best_ = 0;
};

// The mean over the counted steps whose names tell it.
std::optional<double> TokensInSteps(const Workbench& workbench) {
  if (!workbench.unit().is_step || workbench.graph().hierarchy == nullptr) return std::nullopt;
  const Steps& steps = workbench.graph().hierarchy->steps();
  double sum = 0;
  std::size_t count = 0;
  for (const std::uint32_t step : workbench.unit().steps.counted) {
    const auto tokens = TokensInText(steps.steps[step].name);
    if (!tokens) return std::nullopt;
    sum += *tokens;
    ++count;
  }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

void FindFactsInTrace(const Workbench& workbench, double embedded, StatedRun& facts) {
  if (!facts.tokens) {
    facts.tokens = TokensInSteps(workbench);
    facts.tokens_source = "the names of the steps";
    if (!facts.tokens && embedded > 0) {
      facts.tokens = embedded;
      facts.tokens_source = "what the embedding looks up";
    }
  }
  const MachineFacts& machine = workbench.machine();
  if (!facts.params && machine.parameters > 0) {
    facts.params = machine.parameters;
    facts.params_source = machine.parameters_source;
  }
}

void SetModelFlops(Throughput& result) {
  const StatedRun& facts = result.facts;
  if (facts.tokens && result.unit > 0) {
    result.tokens_per_s = *facts.tokens / (static_cast<double>(result.unit) / 1e9);
  }
  if (!facts.tokens || !facts.params) return;
  const double each = *facts.tokens * *facts.params;
  result.model_flops = each * (result.trains ? kTraining : kInference);
  for (WorkRate& phase : result.phases) {
    if (phase.what == NameOf(Phase::kForward)) phase.model_flops = kForwardTimes * each;
    if (phase.what == NameOf(Phase::kBackward)) phase.model_flops = kBackwardTimes * each;
  }
}

// The number that a text begins with, thousands apart or not; nothing for fractions and "4k".
std::optional<double> WholeNumber(std::string_view text) {
  constexpr std::size_t kMostDigits = 15;
  double value = 0;
  std::size_t digits = 0, at = 0;
  for (; at < text.size() && (IsDigit(text[at]) || (text[at] == ',' && digits > 0)); ++at) {
    const bool ends_list = text[at] == ',' && (at + 1 == text.size() || !IsDigit(text[at + 1]));
    if (ends_list) break;
    if (text[at] == ',') continue;
    value = 10 * value + (text[at] - '0');
    ++digits;
  }
  if (digits == 0 || digits > kMostDigits || value == 0) return std::nullopt;
  const bool goes_on = at < text.size() && (IsLetter(text[at]) || text[at] == '.');
  return goes_on ? std::nullopt : std::optional(value);
}

}  // namespace

std::optional<double> Throughput::Price(double seconds) const {
  if (!facts.price_per_hour) return std::nullopt;
  return *facts.price_per_hour * gpus * seconds / 3600;
}

Throughput FindThroughput(const Workbench& workbench, const StatedRun& stated, DurationNs busy) {
  Throughput result;
  result.unit = workbench.unit().measured;
  result.is_step = workbench.unit().is_step;
  result.facts = stated;
  Rates rates(workbench, result);
  rates.Run();
  FindFactsInTrace(workbench, rates.tokens_, result.facts);
  SetModelFlops(result);
  if (result.unit > 0) {
    result.idle_share =
        std::clamp(1 - static_cast<double>(busy) / static_cast<double>(result.unit), 0.0, 1.0);
  }
  if (result.peak && result.unit > 0) {
    const double most = result.GpuSeconds() * *result.peak;
    if (result.model_flops) result.mfu = *result.model_flops / most;
    if (2 * result.with_shapes >= result.matrix && result.executed_flops > 0) {
      result.hfu = result.executed_flops / most;
    }
  }
  return result;
}

std::optional<double> TokensInText(std::string_view text) {
  constexpr std::string_view kWord = "token";
  const std::size_t word = text.find(kWord);
  if (word == text.npos) return std::nullopt;
  std::size_t behind = word + kWord.size();
  if (behind < text.size() && text[behind] == 's') ++behind;
  if (behind < text.size() && IsLetter(text[behind])) return std::nullopt;  // "tokenizer".
  // Behind the word: "tokens=4096", "num_tokens: 4096"; before it: "4,096 tokens".
  behind = std::min(text.size(), text.find_first_not_of("=: _", behind));
  if (const auto number = WholeNumber(text.substr(behind))) return number;
  std::size_t end = word;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '_')) --end;
  std::size_t begin = end;
  while (begin > 0 && (IsDigit(text[begin - 1]) || text[begin - 1] == ',')) --begin;
  const bool is_fraction = begin > 0 && text[begin - 1] == '.';
  return is_fraction ? std::nullopt : WholeNumber(text.substr(begin, end - begin));
}

}  // namespace xsp
