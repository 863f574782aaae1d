#include <string>

#include "importers/nsys/table.h"

namespace xsp {
namespace {

// Where all host events stand first.
enum HostColumn : int { kStart = 1, kEnd, kTid, kName, kFirstOwn };

constexpr std::string_view kOsrtColumns[] = {"start",        "end",        "globalTid",
                                             "nameId",       "eventClass", "returnValue",
                                             "nestingLevel", "callchainId"};

class OsrtReader : public SimpleReader<OsrtCalls> {
 public:
  OsrtReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kOsrt, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    constexpr std::int64_t kCall = 27, kBegun = 31, kFinished = 32;
    const auto event_class = row.Get<std::int64_t>(kFirstOwn, kCall);
    if (event_class == kBegun || event_class == kFinished) {
      row.Note(ImportReason::kPseudoRow, "event class " + std::to_string(event_class));
      return;
    }
    NsysTimes times;
    if (!ReadTimes(row, kStart, kEnd, &times)) return;
    if (event_class != kCall) {
      row.Note(ImportReason::kUnknownValue, "event class " + std::to_string(event_class));
    }
    Keep(times, context_.Thread(row, kTid), context_.strings().ById(row, kName));
    details_.return_value.push_back(row.Get<std::int64_t>(kFirstOwn + 1));
    details_.nesting.push_back(row.Get<std::uint32_t>(kFirstOwn + 2));
    const auto chain = row.Get<std::int64_t>(kFirstOwn + 3);
    details_.chain.push_back(context_.shared().chains.Find(ChainTable::kOsrt, chain));
  }
};

constexpr std::string_view kMpiColumns[] = {"start",      "end",     "globalTid",  "textId",
                                            "commHandle", "tag",     "remoteRank", "rootRank",
                                            "size",       "recvSize"};

template <MpiKind kind>
class MpiReader : public SimpleReader<MpiCalls> {
 public:
  MpiReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kMpi, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadTimes(row, kStart, kEnd, &times)) return;
    Keep(times, context_.Thread(row, kTid), context_.strings().ById(row, kName));
    details_.mpi_kind.push_back(kind);
    details_.communicator.push_back(row.Get<std::uint64_t>(kFirstOwn));
    details_.tag.push_back(row.Get<std::int32_t>(kFirstOwn + 1));
    const int peer = kind == MpiKind::kCollective ? kFirstOwn + 3 : kFirstOwn + 2;
    details_.peer.push_back(row.Get<std::int32_t>(peer));
    details_.bytes.push_back(row.Get<std::int64_t>(kFirstOwn + 4));
    details_.received_bytes.push_back(row.Get<std::int64_t>(kFirstOwn + 5));
  }
};

constexpr std::string_view kLibraryColumns[] = {"start", "end", "globalTid", "nameId",
                                                "eventClass"};

template <LibraryKind library>
class LibraryReader : public SimpleReader<LibraryCalls> {
 public:
  LibraryReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kLibrary, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    // The classes of the moments at which a call began and finished.
    constexpr std::int64_t kFirstHalf = 33, kLastHalf = 36;
    const auto event_class = row.Get<std::int64_t>(kFirstOwn);
    if (event_class >= kFirstHalf && event_class <= kLastHalf) {
      row.Note(ImportReason::kPseudoRow, "event class " + std::to_string(event_class));
      return;
    }
    NsysTimes times;
    if (!ReadTimes(row, kStart, kEnd, &times)) return;
    Keep(times, context_.Thread(row, kTid), context_.strings().ById(row, kName));
    details_.library.push_back(library);
  }
};

constexpr std::string_view kDirectiveColumns[] = {"start",     "end",     "globalTid", "nameId",
                                                  "eventKind", "srcFile", "funcName",  "kernelName",
                                                  "varName",   "lineNo",  "bytes"};

template <DirectiveKind kind>
class DirectiveReader : public SimpleReader<Directives> {
 public:
  DirectiveReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kDirective, spec, context, log, rows),
        table_name_(context.builder().Intern(spec.table)) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadTimes(row, kStart, kEnd, &times)) return;
    NsysStrings& strings = context_.strings();
    Keep(times, context_.Thread(row, kTid), strings.ById(row, kName));
    details_.directive_kind.push_back(kind);
    details_.table.push_back(table_name_);
    details_.event_kind.push_back(row.Get<std::uint32_t>(kFirstOwn));
    details_.file.push_back(strings.Any(row, kFirstOwn + 1));
    details_.function.push_back(strings.Any(row, kFirstOwn + 2));
    const StringId kernel = strings.Any(row, kFirstOwn + 3);
    details_.target.push_back(kernel.valid() ? kernel : strings.Any(row, kFirstOwn + 4));
    details_.line.push_back(row.Get<std::uint32_t>(kFirstOwn + 5));
    details_.bytes.push_back(row.Get<std::uint64_t>(kFirstOwn + 6));
  }

 private:
  StringId table_name_;
};

constexpr std::string_view kOverheadColumns[] = {"start",  "end",          "globalTid",
                                                 "nameId", "overheadType", "correlationId"};

template <bool from_cupti>
class OverheadReader : public SimpleReader<Overheads> {
 public:
  OverheadReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kOverhead, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadTimes(row, kStart, kEnd, &times)) return;
    Keep(times, context_.Thread(row, kTid), context_.strings().ById(row, kName),
         ReadCorrelation(row, kFirstOwn + 1));
    details_.overhead_type.push_back(
        ReadEnum<std::uint8_t>(row, kFirstOwn, 8, kMissing<std::uint8_t>));
    details_.from_cupti.push_back(from_cupti ? 1 : 0);
  }
};

}  // namespace

void AddHostTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  const NsysTableSpec all[] = {
      {"OSRT_API", kOsrtColumns, MakeReader<OsrtReader>},
      {"MPI_P2P_EVENTS", kMpiColumns, MakeReader<MpiReader<MpiKind::kPointToPoint>>},
      {"MPI_COLLECTIVES_EVENTS", kMpiColumns, MakeReader<MpiReader<MpiKind::kCollective>>},
      {"MPI_START_WAIT_EVENTS", kMpiColumns, MakeReader<MpiReader<MpiKind::kStartWait>>},
      {"MPI_OTHER_EVENTS", kMpiColumns, MakeReader<MpiReader<MpiKind::kOther>>},
      {"CUDNN_EVENTS", kLibraryColumns, MakeReader<LibraryReader<LibraryKind::kCudnn>>},
      {"CUBLAS_EVENTS", kLibraryColumns, MakeReader<LibraryReader<LibraryKind::kCublas>>},
      {"PROFILER_OVERHEAD", kOverheadColumns, MakeReader<OverheadReader<false>>},
      {"CUPTI_ACTIVITY_KIND_OVERHEAD", kOverheadColumns, MakeReader<OverheadReader<true>>},
  };
  for (const NsysTableSpec& spec : all) {
    if (catalog.Has(spec.table)) specs.push_back(spec);
  }
  // A table for each sort of region; the prefix tells which they are.
  for (const auto& [name, table] : catalog.tables()) {
    if (name.starts_with("CUPTI_ACTIVITY_KIND_OPENACC_")) {
      specs.push_back(
          {name, kDirectiveColumns, MakeReader<DirectiveReader<DirectiveKind::kOpenAcc>>});
    } else if (name.starts_with("OPENMP_EVENT_KIND_")) {
      specs.push_back(
          {name, kDirectiveColumns, MakeReader<DirectiveReader<DirectiveKind::kOpenMp>>});
    }
  }
}

}  // namespace xsp
