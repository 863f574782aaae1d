#include "importers/operators/nvtx_operators.h"

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "importers/operators/operator_inputs.h"
#include "importers/operators/operator_text.h"

namespace xsp {
namespace {

enum class Writer : std::uint8_t { kAny, kTensorRt, kTsl };

class Decoder {
 public:
  // `ranges`: how many there are to look at.
  Decoder(TraceTables& tables, std::size_t ranges)
      : t_(tables), row_of_text_(tables.strings.size() * 2) {
    ReserveRows(rows_, ranges);
    for (const NvtxDomain& domain : t_.domains) {
      const std::string_view name = t_.strings.Get(domain.name);
      writers_.push_back(name == "TensorRT" ? Writer::kTensorRt
                         : name == "TSL"    ? Writer::kTsl
                                            : Writer::kAny);
    }
  }

  // Takes one range. `row` is its place among the NVTX events.
  void Look(EventId event, std::uint32_t row) {
    const StringId text = t_.events.name[event.value];
    if (!text.valid() || t_.strings[text].empty()) return;
    const Writer writer = writers_[std::get<Nvtx>(t_.details).domain[row].value];
    // The same text says the same: a copy of its first row.
    std::uint32_t& known = row_of_text_[text.value * 2 + (writer == Writer::kAny ? 0 : 1)];
    if (known == kNotSeen) {
      known = kNoOperator;
      if (std::optional<OperatorText> parsed = Parse(t_.strings[text], writer)) {
        if (writer == Writer::kTsl && parsed->module.empty()) parsed->module = ModuleOf(row);
        known = static_cast<std::uint32_t>(rows_.event.size()) + kFirstRow;
        Add(*parsed, text, event);
      }
    } else if (known != kNoOperator) {
      Repeat(known - kFirstRow, event);
    }
  }

  void Finish() {
    t_.operators = std::move(rows_);
    t_.operands = std::move(signatures_).Take();
  }

 private:
  static constexpr std::uint32_t kNotSeen = 0;
  static constexpr std::uint32_t kNoOperator = 1;
  static constexpr std::uint32_t kFirstRow = 2;

  static std::optional<OperatorText> Parse(std::string_view text, Writer writer) {
    if (writer == Writer::kTsl) return ParseTslText(text);
    if (writer == Writer::kAny) return ParseOperatorText(text);
    // TensorRT names its ranges after layers, in an engine's own "ExecutionContext::enqueue".
    OperatorText parsed;
    parsed.name = text;
    const bool is_engine = text.starts_with("ExecutionContext");
    parsed.role = is_engine ? OperatorRole::kProgram : OperatorRole::kModule;
    return parsed;
  }

  // What the payload of a range of TSL says.
  std::string_view ModuleOf(std::uint32_t row) const {
    return XlaModuleIn(t_.strings.Get(std::get<Nvtx>(t_.details).json[row]));
  }

  void Add(const OperatorText& parsed, StringId text, EventId event) {
    const std::string_view whole = t_.strings[text];
    const std::string_view name = parsed.shown();
    Operators::Row row;
    row.event = event;
    row.name = name.size() == whole.size() ? text : t_.strings.Intern(name);
    row.role = parsed.role;
    row.is_backward = parsed.is_backward ? 1 : 0;
    row.sequence = parsed.sequence;
    row.id = parsed.id;
    row.signature = ReadInputs(parsed.inputs, parsed.form, signatures_, t_.strings);
    if (!parsed.module.empty()) row.module = t_.strings.Intern(parsed.module);
    rows_.Add(row);
  }

  void Repeat(std::uint32_t row, EventId event) {
    ForEachColumn<Operators>([&](const Column&, auto member) {
      auto& values = rows_.*member;
      values.push_back(values[row]);
    });
    rows_.event.back() = event;
  }

  TraceTables& t_;
  std::vector<Writer> writers_;             // By domain.
  std::vector<std::uint32_t> row_of_text_;  // By text, and whether its domain is a framework's.
  Operators rows_;
  Signatures signatures_;
};

}  // namespace

Trace DecodeOperators(Trace trace) { return DecodeOperators(std::move(trace).Release()); }

Trace DecodeOperators(TraceTables tables) {
  static_assert(IndexOf(EventKind::kNvtxStartEnd) == IndexOf(EventKind::kNvtxPushPop) + 1);
  const std::uint32_t* all = tables.kind_counts.data();
  const std::uint32_t* counts = all + IndexOf(EventKind::kNvtxPushPop);
  const std::uint32_t first = std::accumulate(all, counts, 0u);
  const std::uint32_t ranges = counts[0] + counts[1];
  Decoder decoder(tables, ranges);
  InterruptPoll poll;
  for (std::uint32_t row = 0; row < ranges; ++row) {
    poll();
    decoder.Look(EventId(first + row), row);
  }
  decoder.Finish();
  return Trace(std::move(tables));
}

}  // namespace xsp
