#include "cli/inputs/throughput_inputs.h"

#include <filesystem>

#include "base/error.h"
#include "base/quantity.h"
#include "base/user_json.h"
#include "cli/inputs/forecast_inputs.h"
#include "report/forecasts/throughput_section.h"

namespace xsp {
namespace {

constexpr std::string_view kFileHint = "its keys are tokens, params and price";

// "8192", "1.3B", "124M".
double ReadCount(std::string_view option, std::string text) {
  if (!text.empty() && (text.back() == 'B' || text.back() == 'b')) text.back() = 'G';
  const Quantity quantity = ReadQuantity(text);
  if (!quantity.Is(Dimension::kCount) || quantity.value <= 0) {
    throw Error(std::string(option) + " " + text + ": is no number", "for instance 8192 or 1.3B");
  }
  return quantity.value;
}

// "2.5/h": of one GPU.
double ReadPrice(const std::string& text) {
  const std::size_t slash = text.find('/');
  const Quantity quantity = ReadQuantity(text.substr(0, slash));
  const bool is_hour = slash == std::string::npos || text.substr(slash) == "/h";
  if (!is_hour || !quantity.Is(Dimension::kCount) || quantity.value < 0) {
    throw Error("--price " + text + ": is no price", "what a GPU costs in an hour: 2.5/h");
  }
  return quantity.value;
}

std::string TextOfValue(const UserJson& value) {
  if (value.kind() == UserJson::Kind::kText) return value.Text();
  const double number = value.Number(0, 1e18);
  std::string text = std::to_string(number);
  return text;
}

StatedRun ReadFileBeside(const std::string& trace) {
  StatedRun facts;
  std::filesystem::path file = trace;
  if (!file.has_filename()) file = file.parent_path();
  file.replace_extension(".run.json");
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return facts;
  const UserJson root = UserJson::Read(file, kFileHint);
  root.OnlyKeys({"tokens", "params", "price"});
  const std::string source = file.filename().string();
  if (const UserJson* tokens = root.Find("tokens")) {
    facts.tokens = ReadCount("tokens", TextOfValue(*tokens));
    facts.tokens_source = source;
  }
  if (const UserJson* params = root.Find("params")) {
    facts.params = ReadCount("params", TextOfValue(*params));
    facts.params_source = source;
  }
  if (const UserJson* price = root.Find("price"))
    facts.price_per_hour = ReadPrice(TextOfValue(*price));
  return facts;
}

}  // namespace

void ThroughputOptions::AddTo(OptionSet& options) {
  options.Add("--tokens", tokens, "Tokens of a step, for tokens/s and MFU: 8192").Value("N");
  options.Add("--params", params, "Parameters of the model, for MFU: 1.3B").Value("N");
  options.Add("--price", price, "What a GPU costs in an hour: 2.5/h").Value("MONEY");
}

StatedRun ThroughputOptions::Read(const std::string& trace) const {
  StatedRun facts = ReadFileBeside(trace);
  if (!tokens.empty()) {
    facts.tokens = ReadCount("--tokens", tokens);
    facts.tokens_source = "given";
  }
  if (!params.empty()) {
    facts.params = ReadCount("--params", params);
    facts.params_source = "given";
  }
  if (!price.empty()) facts.price_per_hour = ReadPrice(price);
  return facts;
}

void ThroughputOptions::AddSection(const std::string& trace, const OpenedWorkbench& opened,
                                   const AdviceReport* advice, Report& report) const {
  const StatedRun facts = Read(trace);
  const Throughput found = FindThroughput(opened.bench(), facts, opened.head().diagnosis.busy);
  if (facts.empty() && !found.mfu) return;  // Nobody said, and the trace does not tell.
  AddThroughput(found, report);
  if (advice != nullptr) AddSavings(found, *advice, report);
}

void ThroughputOptions::AddSection(const std::string& trace, const Selection& selection, bool quiet,
                                   Report& report) const {
  if (Read(trace).empty()) return;
  const OpenedWorkbench opened(trace, {selection, {}, false, 0}, KernelRules::BuiltIn(), quiet,
                               nullptr);
  AddSection(trace, opened, nullptr, report);
}

}  // namespace xsp
