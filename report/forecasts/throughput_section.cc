#include "report/forecasts/throughput_section.h"

#include <cmath>

#include "report/tables/json.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// "1.3 B", "124 M": parameters, tokens and flop.
std::string Short(double number) {
  constexpr std::pair<double, std::string_view> kUnits[] = {
      {1e15, " P"}, {1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
  for (const auto& [size, unit] : kUnits) {
    if (number >= size) return FormatNumber(number / size, 2) + std::string(unit);
  }
  return FormatNumber(number, number == std::floor(number) ? 0 : 2);
}

std::string Money(double amount) {
  return FormatNumber(amount, amount >= 1 ? 2 : amount >= 0.01 ? 4 : 6);
}

std::string UnitWord(const Throughput& of) { return of.is_step ? "step" : "run"; }

std::string OfPeaks(const Throughput& of, double flops) {
  const double rate = flops / of.GpuSeconds();
  std::string words = FormatPercent(rate / *of.peak) + " of " + Short(*of.peak) +
                      "flop/s (data sheet, " + std::string(NameOf(of.format)) + ")";
  if (of.reachable && *of.reachable > 0) {
    words += ", " + FormatPercent(rate / *of.reachable) + " of " + Short(*of.reachable) +
             "flop/s (" + of.reachable_source + ")";
  }
  return words;
}

std::string ModelFormula(const Throughput& of) {
  return Short(*of.facts.tokens) + " tokens × " + Short(*of.facts.params) + " parameters × " +
         (of.trains ? "6" : "2 (no backward pass)") + " in " + FormatDuration(of.unit) +
         (of.gpus > 1 ? " on " + std::to_string(of.gpus) + " GPUs" : "");
}

std::string CoverWords(const Throughput& of) {
  if (of.kernels == 0) return "";
  return FormatPercent(static_cast<double>(of.with_shapes) / static_cast<double>(of.kernels)) +
         " of the kernel time is products of recorded sizes";
}

void AddRates(const Throughput& of, Table& table) {
  if (of.tokens_per_s) {
    table.AddRow({"tokens/s", FormatLargeNumber(*of.tokens_per_s, 0) + " (" +
                                  Short(*of.facts.tokens) + " in a " + UnitWord(of) + " of " +
                                  FormatDuration(of.unit) + "; " + of.facts.tokens_source + ")"});
  }
  if (of.mfu) {
    table.AddRow({"MFU", OfPeaks(of, *of.model_flops)});
    table.AddRow({"", ModelFormula(of) + "; parameters: " + of.facts.params_source});
    if (*of.mfu > 1) {
      table.AddRow({"", "more than the GPU can do: are tokens and parameters those of a " +
                            UnitWord(of) + " of this trace?"});
    }
  } else if (of.model_flops) {
    table.AddRow({"MFU", "not known: no peak of this GPU and format; give --peaks"});
  } else {
    table.AddRow({"MFU", std::string("needs ") +
                             (of.facts.tokens ? "" : "--tokens of a " + UnitWord(of)) +
                             (!of.facts.tokens && !of.facts.params ? " and " : "") +
                             (of.facts.params ? "" : "--params of the model")});
  }
  if (of.hfu) {
    table.AddRow({"HFU", OfPeaks(of, of.executed_flops)});
    table.AddRow(
        {"", Short(of.executed_flops) + "flop ran in a " + UnitWord(of) + "; " + CoverWords(of)});
  } else {
    table.AddRow(
        {"HFU", "not known: " + (of.with_shapes > 0 ? "only " + CoverWords(of)
                                                    : std::string("no sizes were recorded "
                                                                  "(record_shapes=True)"))});
  }
}

void AddMoney(const Throughput& of, Table& table) {
  const std::optional<double> unit = of.Price(static_cast<double>(of.unit) / 1e9);
  if (!unit) return;
  const double hour = *of.Price(3600);
  table.AddRow({"price", Money(*unit) + " a " + UnitWord(of) + ", " + Money(hour) + " an hour" +
                             (of.gpus > 1 ? " for " + std::to_string(of.gpus) + " GPUs" : "")});
  if (of.tokens_per_s && *of.tokens_per_s > 0) {
    table.AddRow({"", Money(hour / 3600 / *of.tokens_per_s * 1e6) + " for a million tokens"});
  }
  table.AddRow({"idle", Money(hour * of.idle_share) + " an hour: the GPUs do nothing for " +
                            FormatPercent(of.idle_share) + " of the time"});
}

Table RateTable(const Throughput& of, const std::vector<WorkRate>& rates, std::string title,
                std::string what) {
  Table table(std::move(title), {{what, what, ColumnKind::kName, kAlways},
                                 {"kernels", "kernels_ns", ColumnKind::kDuration, 8},
                                 {"sizes known", "with_shapes_ns", ColumnKind::kDuration, 5},
                                 {"Tflop ran", "flops", ColumnKind::kFloat, 6, 3},
                                 {"HFU", "hfu", ColumnKind::kShare, 8},
                                 {"MFU", "mfu", ColumnKind::kShare, 8}});
  for (const WorkRate& rate : rates) {
    const auto share = [&](double flops) -> std::optional<double> {
      if (flops <= 0 || !of.peak || rate.ns == 0) return std::nullopt;
      return flops / (static_cast<double>(rate.ns) / 1e9 * *of.peak);
    };
    table.AddRow({rate.what.empty() ? "[none]" : rate.what, rate.ns, rate.with_shapes,
                  rate.flops > 0 ? Cell(rate.flops / 1e12) : Cell(), Cell(share(rate.flops)),
                  Cell(share(rate.model_flops))});
  }
  table.AddNote("Of the time in which their kernels run, on all GPUs together.");
  return table;
}

Facts FieldsOf(const Throughput& of) {
  Facts fields;
  const auto known = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  fields["unit"] = UnitWord(of);
  fields["unit_ns"] = of.unit;
  fields["gpus"] = of.gpus;
  fields["tokens"] = known(of.facts.tokens);
  fields["tokens_source"] = of.facts.tokens ? Json(of.facts.tokens_source) : Json();
  fields["params"] = known(of.facts.params);
  fields["params_source"] = of.facts.params ? Json(of.facts.params_source) : Json();
  fields["tokens_per_s"] = known(of.tokens_per_s);
  fields["model_flops"] = known(of.model_flops);
  fields["format"] = NameOf(of.format);
  fields["peak_flops"] = known(of.peak);
  fields["reachable_flops"] = known(of.reachable);
  fields["reachable_source"] = of.reachable ? Json(of.reachable_source) : Json();
  fields["mfu"] = known(of.mfu);
  fields["mfu_reachable"] =
      of.mfu && of.reachable ? Json(*of.mfu * *of.peak / *of.reachable) : Json();
  fields["executed_flops"] = of.with_shapes > 0 ? Json(of.executed_flops) : Json();
  fields["hfu"] = known(of.hfu);
  fields["kernels_ns"] = of.kernels;
  fields["with_shapes_ns"] = of.with_shapes;
  fields["idle_share"] = of.idle_share;
  fields["price_per_hour"] = known(of.Price(3600));
  fields["idle_per_hour"] =
      of.facts.price_per_hour ? Json(*of.Price(3600) * of.idle_share) : Json();
  return fields;
}

}  // namespace

void AddThroughput(const Throughput& throughput, Report& report) {
  Table table("Tokens and MFU", {{"", "what", ColumnKind::kText, kAlways},
                                 {"", "value", ColumnKind::kText, kAlways}});
  table.HideHeader();
  AddRates(throughput, table);
  AddMoney(throughput, table);
  report.Show(std::move(table));
  Facts fields = FieldsOf(throughput);
  if (throughput.with_shapes > 0 || throughput.model_flops) {
    const Rows phases =
        RowsOf(RateTable(throughput, throughput.phases, "Matrix work by phase", "phase"));
    report.sections.emplace_back(phases);
    fields["phases"] = phases;
  }
  if (!throughput.layers.empty()) {
    Table rates = RateTable(throughput, throughput.layers, "Matrix work by layer", "layer");
    rates.ShowFirst(8);
    const Rows layers = RowsOf(std::move(rates));
    report.sections.emplace_back(layers);
    fields["layers"] = layers;
  }
  report.fields["throughput"] = std::move(fields);
}

void AddSavings(const Throughput& throughput, const AdviceReport& advice, Report& report) {
  const std::optional<double> hour = throughput.Price(3600);
  if (!hour || advice.items.empty()) return;
  Table table("Saved for the same work", {{"what", "whatif", ColumnKind::kText, kAlways},
                                          {"an hour", "saved_per_hour", ColumnKind::kFloat, 8, 2}});
  for (const Advice& item : advice.items) {
    table.AddRow({item.chosen.whatif->name, *hour * (1 - 1 / item.forecast.Speedup())});
  }
  if (advice.combined) {
    table.AddRow({"together", *hour * (1 - 1 / advice.combined->Speedup())});
  }
  table.AddNote("Of " + Money(*hour) + " that an hour costs now.");
  const Rows rows = RowsOf(std::move(table));
  report.sections.emplace_back(rows);
  report.fields["savings"] = rows;
}

}  // namespace xsp
