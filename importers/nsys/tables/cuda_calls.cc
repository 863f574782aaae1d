#include <string>

#include "importers/nsys/table.h"

namespace xsp {
namespace {

enum CallColumn : int { kStart = 1, kEnd, kTid, kName, kClass, kCorrelation, kReturn, kChain };
constexpr std::string_view kCallColumns[] = {"start",       "end",        "globalTid",
                                             "nameId",      "eventClass", "correlationId",
                                             "returnValue", "callchainId"};

// nsys' numbers for the sort of a call.
constexpr std::int64_t kRuntimeClass = 0;
constexpr std::int64_t kDriverClass = 1;
constexpr std::int64_t kEglClass = 13;
constexpr std::int64_t kCudaApiClass = 26;
constexpr std::int64_t kBacktraceClass = 67;

// Runtime and driver calls, and the second rows that calls have when backtraces were recorded.
class CallReader : public NsysTableReader {
 public:
  CallReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : context_(context), log_(log), table_(spec.table), table_rows_(spec.table_rows) {
    calls_.events.Reserve(rows);
    ReserveRows(calls_.details, rows);
  }

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadTimes(row, kStart, kEnd, &times)) return;
    const auto event_class = row.Get<std::int64_t>(kClass, kRuntimeClass);
    const bool is_copy = event_class == kBacktraceClass;
    if (is_copy) row.Note(ImportReason::kBacktraceCopy, "event class 67");
    Rows& rows = is_copy ? backtraces_ : calls_;
    rows.events.Add(times, context_.Thread(row, kTid), context_.strings().ById(row, kName),
                    ReadCorrelation(row, kCorrelation));
    log_.Kept();
    rows.details.layer.push_back(LayerOf(row, event_class));
    rows.details.return_value.push_back(row.Get<std::int32_t>(kReturn, 0));
    const auto chain = row.Get<std::int64_t>(kChain);
    rows.details.chain.push_back(context_.shared().chains.Find(ChainTable::kCuda, chain));
  }

  void Finish(std::uint64_t order) override {
    HandOver(EventKind::kApi, order, calls_, table_rows_);
    HandOver(EventKind::kApiBacktrace, order, backtraces_, 0);
  }

 private:
  struct Rows {
    EventRows events;
    Calls details;
  };

  static ApiLayer LayerOf(const NsysRow& row, std::int64_t event_class) {
    switch (event_class) {
      case kRuntimeClass:
        return ApiLayer::kRuntime;
      case kDriverClass:
        return ApiLayer::kDriver;
      case kEglClass:
      case kCudaApiClass:
      case kBacktraceClass:
        return ApiLayer::kOther;
      default:
        row.Note(ImportReason::kUnknownValue, "event class " + std::to_string(event_class));
        return ApiLayer::kOther;
    }
  }

  void HandOver(EventKind kind, std::uint64_t order, Rows& rows, std::size_t most_rows) {
    context_.builder().Append(kind, order, table_, std::move(rows.events.events()), rows.details,
                              most_rows);
  }

  NsysContext& context_;
  ChunkLog& log_;
  std::string_view table_;
  std::size_t table_rows_;
  Rows calls_;
  Rows backtraces_;
};

// Graphs and their nodes came in two generations under the same table name: up to 2022 one row per
// node, later one per graph, with the nodes in a table of their own. The columns tell.
enum GraphColumn : int {
  kGraphTid = 3,
  kGraphName,
  kGraphClass,
  kNode,
  kOriginalNode,
  kGraph,
  kOriginalGraph,
  kExec
};
constexpr std::string_view kGraphColumns[] = {
    "start",           "end",         "globalTid",           "nameId",
    "eventClass",      "graphNodeId", "originalGraphNodeId", "graphId",
    "originalGraphId", "graphExecId"};

class GraphObjectReader : public SimpleReader<GraphObjects> {
 public:
  GraphObjectReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log,
                    std::size_t rows)
      : SimpleReader(EventKind::kGraphObject, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadTimes(row, kStart, kEnd, &times)) return;
    Keep(times, context_.Thread(row, kGraphTid), context_.strings().ById(row, kGraphName));
    const GraphObjectKind kind = KindOf(row);
    const bool is_node = kind == GraphObjectKind::kNode;
    details_.object_kind.push_back(kind);
    details_.id.push_back(row.Get<std::uint64_t>(is_node ? kNode : kGraph));
    details_.original.push_back(row.Get<std::uint64_t>(is_node ? kOriginalNode : kOriginalGraph));
    details_.exec.push_back(row.Get<std::uint64_t>(kExec));
  }

 private:
  static GraphObjectKind KindOf(const NsysRow& row) {
    const auto event_class = row.Get<std::int64_t>(kGraphClass);
    switch (event_class) {
      case 77:
        return GraphObjectKind::kNode;
      case 94:
        return GraphObjectKind::kExec;
      case 95:
        return GraphObjectKind::kGraph;
      case 96:
        return GraphObjectKind::kClone;
      default:
        row.Note(ImportReason::kUnknownValue, "event class " + std::to_string(event_class));
        return row.IsNull(kNode) ? GraphObjectKind::kGraph : GraphObjectKind::kNode;
    }
  }
};

}  // namespace

void AddCudaCallTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  const NsysTableSpec all[] = {
      {"CUPTI_ACTIVITY_KIND_RUNTIME", kCallColumns, MakeReader<CallReader>},
      {"CUDA_GRAPH_NODE_EVENTS", kGraphColumns, MakeReader<GraphObjectReader>},
      {"CUDA_GRAPH_EVENTS", kGraphColumns, MakeReader<GraphObjectReader>},
  };
  for (const NsysTableSpec& spec : all) {
    if (catalog.Has(spec.table)) specs.push_back(spec);
  }
}

}  // namespace xsp
