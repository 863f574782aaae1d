#include <string>

#include "importers/nsys/table.h"

namespace xsp {
namespace {

// What the tables of host events have in common; their own columns come behind.
constexpr NsysColumns kHost = {"start", "end", "globalTid"};

// Reads time, thread and name of a host event; false if the row has no time.
bool ReadHostEvent(const NsysRow& row, int name_column, NsysContext& context, Events::Row* event) {
  if (!ReadTimes(row, kHost["start"], kHost["end"], event)) return false;
  event->track = context.Thread(row, kHost["globalTid"]);
  event->name = context.strings().ById(row, name_column);
  return true;
}

class OsrtReader : public SimpleReader<OsrtCalls, EventKind::kOsrt> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"returnValue", IntoField<&Row::return_value>},
      {"nestingLevel", IntoField<&Row::nesting>},
  };
  static constexpr auto kColumns =
      kHost + NsysColumns{"nameId", "eventClass", "callchainId"} + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    constexpr std::int64_t kCall = 27, kBegun = 31, kFinished = 32;
    const auto event_class = row.Get<std::int64_t>(kColumns["eventClass"], kCall);
    if (event_class == kBegun || event_class == kFinished) {
      row.Note(ImportReason::kPseudoRow, "event class " + std::to_string(event_class));
      return;
    }
    Events::Row event;
    if (!ReadHostEvent(row, kColumns["nameId"], context_, &event)) return;
    if (event_class != kCall) {
      row.Note(ImportReason::kUnknownValue, "event class " + std::to_string(event_class));
    }
    Row call = ReadFields<OsrtReader>(row, context_.strings());
    const auto chain = row.Get<std::int64_t>(kColumns["callchainId"]);
    call.chain = context_.shared().chains.Find(ChainTable::kOsrt, chain);
    Keep(event, call);
  }
};

template <MpiKind kind>
class MpiReader : public SimpleReader<MpiCalls, EventKind::kMpi> {
 public:
  static constexpr NsysField<Row> kFields[5] = {
      {"commHandle", IntoField<&Row::communicator>},
      {"tag", IntoField<&Row::tag>},
      {kind == MpiKind::kCollective ? "rootRank" : "remoteRank", IntoField<&Row::peer>},
      {"size", IntoField<&Row::bytes>},
      {"recvSize", IntoField<&Row::received_bytes>},
  };
  static constexpr auto kColumns = kHost + NsysColumns{"textId"} + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadHostEvent(row, kColumns["textId"], context_, &event)) return;
    Row call = ReadFields<MpiReader>(row, context_.strings());
    call.mpi_kind = kind;
    Keep(event, call);
  }
};

template <LibraryKind library>
class LibraryReader : public SimpleReader<LibraryCalls, EventKind::kLibrary> {
 public:
  static constexpr auto kColumns = kHost + NsysColumns{"nameId", "eventClass"};
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    // The classes of the moments at which a call began and finished.
    constexpr std::int64_t kFirstHalf = 33, kLastHalf = 36;
    const auto event_class = row.Get<std::int64_t>(kColumns["eventClass"]);
    if (event_class >= kFirstHalf && event_class <= kLastHalf) {
      row.Note(ImportReason::kPseudoRow, "event class " + std::to_string(event_class));
      return;
    }
    Events::Row event;
    if (!ReadHostEvent(row, kColumns["nameId"], context_, &event)) return;
    Row call;
    call.library = library;
    Keep(event, call);
  }
};

template <DirectiveKind kind>
class DirectiveReader : public SimpleReader<Directives, EventKind::kDirective> {
 public:
  static constexpr NsysField<Row> kFields[6] = {
      {"eventKind", IntoField<&Row::event_kind>}, {"srcFile", IntoText<&Row::file>},
      {"funcName", IntoText<&Row::function>},     {"kernelName", IntoText<&Row::target>},
      {"lineNo", IntoField<&Row::line>},          {"bytes", IntoField<&Row::bytes>},
  };
  static constexpr auto kColumns = kHost + NsysColumns{"nameId", "varName"} + kFields;

  DirectiveReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(spec, context, log, rows), table_name_(context.builder().Intern(spec.table)) {}

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadHostEvent(row, kColumns["nameId"], context_, &event)) return;
    Row region = ReadFields<DirectiveReader>(row, context_.strings());
    region.directive_kind = kind;
    region.table = table_name_;
    if (!region.target.valid()) region.target = context_.strings().Any(row, kColumns["varName"]);
    Keep(event, region);
  }

 private:
  StringId table_name_;
};

template <bool from_cupti>
class OverheadReader : public SimpleReader<Overheads, EventKind::kOverhead> {
 public:
  static constexpr auto kColumns = kHost + NsysColumns{"nameId", "overheadType", "correlationId"};
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadHostEvent(row, kColumns["nameId"], context_, &event)) return;
    event.correlation = ReadCorrelation(row, kColumns["correlationId"]);
    Row overhead;
    overhead.overhead_type =
        ReadEnum<std::uint8_t>(row, kColumns["overheadType"], 8, overhead.overhead_type);
    overhead.from_cupti = from_cupti ? 1 : 0;
    Keep(event, overhead);
  }
};

}  // namespace

void AddHostTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  AddTables(
      catalog,
      {ReadBy<OsrtReader>("OSRT_API"), ReadBy<MpiReader<MpiKind::kPointToPoint>>("MPI_P2P_EVENTS"),
       ReadBy<MpiReader<MpiKind::kCollective>>("MPI_COLLECTIVES_EVENTS"),
       ReadBy<MpiReader<MpiKind::kStartWait>>("MPI_START_WAIT_EVENTS"),
       ReadBy<MpiReader<MpiKind::kOther>>("MPI_OTHER_EVENTS"),
       ReadBy<LibraryReader<LibraryKind::kCudnn>>("CUDNN_EVENTS"),
       ReadBy<LibraryReader<LibraryKind::kCublas>>("CUBLAS_EVENTS"),
       ReadBy<OverheadReader<false>>("PROFILER_OVERHEAD"),
       ReadBy<OverheadReader<true>>("CUPTI_ACTIVITY_KIND_OVERHEAD")},
      specs);
  // A table for each sort of region; the prefix tells which they are.
  for (const auto& [name, table] : catalog.tables()) {
    if (name.starts_with("CUPTI_ACTIVITY_KIND_OPENACC_")) {
      specs.push_back(ReadBy<DirectiveReader<DirectiveKind::kOpenAcc>>(name));
    } else if (name.starts_with("OPENMP_EVENT_KIND_")) {
      specs.push_back(ReadBy<DirectiveReader<DirectiveKind::kOpenMp>>(name));
    }
  }
}

}  // namespace xsp
