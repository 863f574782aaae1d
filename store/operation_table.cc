#include "store/operation_table.h"

#include <cstddef>
#include <type_traits>

#include "model/progress.h"
#include "store/parquet/parquet_file.h"

namespace xsp {
namespace {

using Fact = OperationFact;

template <class T>
ColumnSource NumbersOf(std::span<const Fact> facts, T Fact::*field) {
  if (facts.empty()) return ValuesAt{nullptr, sizeof(Fact)};
  return ValuesAt{reinterpret_cast<const std::byte*>(&(facts.front().*field)), sizeof(Fact)};
}

ColumnSource TextsOf(std::span<const Fact> facts, std::string_view Fact::*field) {
  return TextAt{[facts, field](std::size_t row) { return facts[row].*field; }};
}

// All columns, in the order of the file.
TableSource SourceOf(std::span<const Fact> facts) {
  TableSource table;
  table.schema = {"operations", "Device operations, with what xsp knows of them.", {}};
  table.rows = facts.size();
  const auto number = [&](std::string_view name, std::string_view unit, std::string_view doc,
                          auto field, bool nullable = false) {
    using T = std::remove_cvref_t<decltype(Fact{}.*field)>;
    table.schema.columns.push_back({name, unit, doc, ValueTypeOf<T>(), nullable});
    table.columns.push_back(NumbersOf(facts, field));
  };
  const auto text = [&](std::string_view name, std::string_view doc,
                        std::string_view Fact::*field) {
    table.schema.columns.push_back({name, "", doc, ValueType::kText, false});
    table.columns.push_back(TextsOf(facts, field));
  };
  number("event", "", "Row of events in the stored trace.", &Fact::event);
  number("pid", "", "Process that launched it.", &Fact::pid);
  number("device", "", "GPU, as people know it.", &Fact::device, true);
  number("stream", "", "CUDA stream, per process.", &Fact::stream, true);
  text("kind", "kernel, memcpy, memset, graph_span.", &Fact::kind);
  text("name", "Kernels in full.", &Fact::name);
  text("class", "Class of a kernel, direction of a copy.", &Fact::class_name);
  number("begin_ns", "ns", "When it began, on the trace's clock.", &Fact::begin);
  number("end_ns", "ns", "When it ended.", &Fact::end);
  number("step", "", "Step that launched it, from 1; 0: none.", &Fact::step);
  text("step_role", "counted, cold, outlier, left_out; empty outside of steps.", &Fact::step_role);
  text("phase", "forward, backward, ...; empty for none.", &Fact::phase);
  text("layer", "Layer, with its phase; empty for none.", &Fact::layer);
  text("range", "Innermost range around its launch; empty for none.", &Fact::range);
  number("own_ns", "ns", "What it takes if it waits for nobody.", &Fact::own);
  number("waiting_ns", "ns", "What it waited for others while it ran; with own_ns its duration.",
         &Fact::waiting);
  number("queued_ns", "ns", "From the begin of its call to its own.", &Fact::queued);
  number("idle_before_ns", "ns", "How long its device was idle until it began.",
         &Fact::idle_before);
  text("idle_cause", "Mostly why, as xsp idle tells; empty where it was not.", &Fact::idle_cause);
  text("held_by", "The rule that decided when it began, as xsp graph names it.", &Fact::held_by);
  return table;
}

}  // namespace

TableSchema OperationTableSchema() { return SourceOf({}).schema; }

void WriteOperationTable(std::span<const OperationFact> facts, const std::filesystem::path& file) {
  NoProgress silent;
  WriteParquet(SourceOf(facts), file, silent);
}

}  // namespace xsp
