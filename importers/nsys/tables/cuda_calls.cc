#include <string>

#include "importers/nsys/table.h"

namespace xsp {
namespace {

// nsys' numbers for the sort of a call.
constexpr std::int64_t kRuntimeClass = 0;
constexpr std::int64_t kDriverClass = 1;
constexpr std::int64_t kEglClass = 13;
constexpr std::int64_t kCudaApiClass = 26;
constexpr std::int64_t kBacktraceClass = 67;

// Runtime and driver calls, and the second rows that calls have when backtraces were recorded.
class CallReader : public NsysTableReader {
 public:
  static constexpr NsysColumns kColumns = {"start",       "end",        "globalTid",
                                           "nameId",      "eventClass", "correlationId",
                                           "returnValue", "callchainId"};

  CallReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : context_(context), log_(log), spec_(spec) {
    calls_.Reserve(rows);
  }

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadTimes(row, kColumns["start"], kColumns["end"], &event)) return;
    const auto event_class = row.Get<std::int64_t>(kColumns["eventClass"], kRuntimeClass);
    const bool is_copy = event_class == kBacktraceClass;
    if (is_copy) row.Note(ImportReason::kBacktraceCopy, "event class 67");
    event.track = context_.Thread(row, kColumns["globalTid"]);
    event.name = context_.strings().ById(row, kColumns["nameId"]);
    event.correlation = ReadCorrelation(row, kColumns["correlationId"]);
    Calls::Row call;
    call.layer = LayerOf(row, event_class);
    call.return_value = row.Get<std::int32_t>(kColumns["returnValue"], 0);
    const auto chain = row.Get<std::int64_t>(kColumns["callchainId"]);
    call.chain = context_.shared().chains.Find(ChainTable::kCuda, chain);
    (is_copy ? backtraces_ : calls_).Add(event, call);
    log_.Kept();
  }

  void Finish(std::uint64_t order) override {
    HandOver(EventKind::kApi, order, calls_, spec_.table_rows);
    HandOver(EventKind::kApiBacktrace, order, backtraces_, 0);
  }

 private:
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

  void HandOver(EventKind kind, std::uint64_t order, NsysEvents<Calls>& rows,
                std::size_t most_rows) {
    context_.builder().Append(kind, order, spec_.table, std::move(rows.events), rows.details,
                              most_rows);
  }

  NsysContext& context_;
  ChunkLog& log_;
  const NsysTableSpec spec_;
  NsysEvents<Calls> calls_;
  NsysEvents<Calls> backtraces_;
};

// Graphs and their nodes came in two generations under the same table name: up to 2022 one row per
// node, later one per graph, with the nodes in a table of their own. The columns tell.
class GraphObjectReader : public SimpleReader<GraphObjects, EventKind::kGraphObject> {
 public:
  static constexpr NsysColumns kColumns = {
      "start",           "end",         "globalTid",           "nameId",
      "eventClass",      "graphNodeId", "originalGraphNodeId", "graphId",
      "originalGraphId", "graphExecId"};
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadTimes(row, kColumns["start"], kColumns["end"], &event)) return;
    event.track = context_.Thread(row, kColumns["globalTid"]);
    event.name = context_.strings().ById(row, kColumns["nameId"]);
    Row object;
    object.object_kind = KindOf(row);
    const bool is_node = object.object_kind == GraphObjectKind::kNode;
    object.id = row.Get<std::uint64_t>(is_node ? kColumns["graphNodeId"] : kColumns["graphId"]);
    object.original = row.Get<std::uint64_t>(is_node ? kColumns["originalGraphNodeId"]
                                                     : kColumns["originalGraphId"]);
    object.exec = row.Get<std::uint64_t>(kColumns["graphExecId"]);
    Keep(event, object);
  }

 private:
  static GraphObjectKind KindOf(const NsysRow& row) {
    const auto event_class = row.Get<std::int64_t>(kColumns["eventClass"]);
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
        return row.IsNull(kColumns["graphNodeId"]) ? GraphObjectKind::kGraph
                                                   : GraphObjectKind::kNode;
    }
  }
};

}  // namespace

void AddCudaCallTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  AddTables(catalog,
            {ReadBy<CallReader>("CUPTI_ACTIVITY_KIND_RUNTIME"),
             ReadBy<GraphObjectReader>("CUDA_GRAPH_NODE_EVENTS"),
             ReadBy<GraphObjectReader>("CUDA_GRAPH_EVENTS")},
            specs);
}

}  // namespace xsp
