#include "tests/unit/store/sample_trace.h"

#include <algorithm>
#include <string>

namespace xsp::test {
namespace {

constexpr std::size_t kTracks = 4;

// Splitmix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::uint64_t Below(std::uint64_t limit) { return Next() % limit; }

 private:
  std::uint64_t state_;
};

class Filler {
 public:
  Filler(const TraceTables& tables, std::uint64_t events, std::uint64_t seed)
      : t_(tables), events_(events), random_(seed) {}

  template <class T>
  T Value(Nulls nulls) {
    if (nulls == Nulls::kAllowed && random_.Below(3) == 0) return Nothing<T>();
    return Some<T>();
  }

  template <class Table>
  void FillTable(Table& table, std::size_t rows) {
    ForEachColumn<Table>([&](const Column& column, auto member) {
      auto& values = table.*member;
      using T = typename std::remove_reference_t<decltype(values)>::value_type;
      for (std::size_t i = 0; i < rows; ++i) values.push_back(Value<T>(column.nulls));
    });
  }

  template <class Row>
  void FillRows(std::vector<Row>& rows, std::size_t count) {
    rows.resize(count);
    for (Row& row : rows) {
      ForEachColumn<Row>([&](const Column& column, auto member) {
        auto& value = row.*member;
        value = Value<std::remove_reference_t<decltype(value)>>(column.nulls);
      });
    }
  }

 private:
  template <class T>
  static T Nothing() {
    if constexpr (std::is_integral_v<T>) {
      return kMissing<T>;
    } else {
      return T{};
    }
  }

  template <class T>
  T Some() {
    if constexpr (std::is_same_v<T, StringId>) {
      return T(random_.Below(t_.strings.size()));
    } else if constexpr (std::is_same_v<T, TrackId>) {
      return T(random_.Below(kTracks));
    } else if constexpr (std::is_same_v<T, ProcessId> || std::is_same_v<T, GpuId> ||
                         std::is_same_v<T, DomainId>) {
      return T(random_.Below(2));
    } else if constexpr (std::is_same_v<T, EventId>) {
      return T(random_.Below(events_));
    } else if constexpr (std::is_same_v<T, ChainId> || std::is_same_v<T, SignatureId>) {
      return T(random_.Below(5));
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(random_.Below(2));
    } else {  // Numbers of all sizes, and the very largest.
      return static_cast<T>(random_.Next() >> random_.Below(64));
    }
  }

  const TraceTables& t_;
  std::uint64_t events_;
  Random random_;
};

void FillInfo(TraceTables& t) {
  t.info.format = "hand-made";
  t.info.source_name = "quotes \" and \\ and \u00e9.sqlite";
  t.info.source_bytes = 1U << 31U;
  t.info.tool_version = "2025.6.1";
  t.info.utc_start_ns = 1'700'000'000'123'456'789;
  t.info.session_ns = -1;
  t.info.partial = true;
  t.info.partial_reason = "page 7 was noise";
  t.info.missing = {{"CPU samples", "--sample=process-tree"}};
  t.info.unused_tables = {"A", "B"};
  t.info.diagnostics = {{-5, true, "lost\nevents"}, {7, false, ""}};
  t.log.AddKept("KERNELS", 10);
  t.log.AddIssue("KERNELS", ImportReason::kBadEnd, "row 3: \x01", 2);
  t.log.AddIssue("RUNTIME", ImportReason::kDamaged, "page 7", 5);
}

void FillStrings(TraceTables& t) {
  using namespace std::string_literals;
  for (const std::string& text :
       {"gemm"s, ""s, "nul\0inside"s, "\"quoted\" 'text'"s, "tab\tnew\nline"s, "\u00e4\u4e2d"s,
        "void k<float, 3>(T1 *)"s, std::string(100'000, 'x')}) {
    t.strings.Intern(text);
  }
}

void FillEvents(TraceTables& t, Filler& filler, std::uint32_t rows_per_kind) {
  const std::size_t rows = rows_per_kind * kEventKindCount;
  t.kind_counts.fill(rows_per_kind);
  filler.FillTable(t.events, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    t.events.begin[i] = static_cast<TimeNs>(i % rows_per_kind) * 1000 - 5000;
    t.events.end[i] = t.events.begin[i] + static_cast<TimeNs>(i % 7) * 100;
    EventId& call = t.events.call[i];
    const std::size_t first_call = rows_per_kind * IndexOf(EventKind::kApi);
    if (call.valid()) call = EventId(first_call + call.value % rows_per_kind);
  }
}

}  // namespace

Trace SampleTrace(std::uint32_t rows_per_kind, std::uint64_t seed) {
  TraceTables t;
  FillInfo(t);
  FillStrings(t);
  Filler filler(t, rows_per_kind * kEventKindCount, seed);
  filler.FillRows(t.processes, 2);
  filler.FillRows(t.gpus, 2);
  filler.FillRows(t.tracks, kTracks);
  filler.FillRows(t.contexts, 3);
  filler.FillRows(t.domains, 2);
  filler.FillRows(t.categories, 3);
  for (Track& track : t.tracks) track.process = ProcessId(track.process.valid() ? 1 : 0);
  for (NvtxDomain& domain : t.domains) domain.process = ProcessId(0);
  FillEvents(t, filler, rows_per_kind);
  ForEachDetailTable(t.details, [&](const KindGroup& group, auto& table) {
    filler.FillTable(table,
                     rows_per_kind * (IndexOf(group.last) - IndexOf(group.first) + std::size_t{1}));
  });
  filler.FillTable(t.collectives, rows_per_kind);
  std::sort(t.collectives.event.begin(), t.collectives.event.end());
  filler.FillTable(t.operators, rows_per_kind);
  for (std::uint32_t i = 0; i < rows_per_kind; ++i) {
    t.operators.event[i] = EventId(rows_per_kind * IndexOf(EventKind::kNvtxPushPop) + i);
  }
  filler.FillTable(t.operands, rows_per_kind);
  std::sort(t.operands.signature.begin(), t.operands.signature.end());
  filler.FillTable(t.frames, rows_per_kind);
  std::sort(t.frames.chain.begin(), t.frames.chain.end());
  return Trace(std::move(t));
}

}  // namespace xsp::test
