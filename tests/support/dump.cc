#include "tests/support/dump.h"

#include <sstream>
#include <type_traits>

namespace xsp::test {
namespace {

std::string Escaped(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '"' || c == '\\') {
      out += "\\x";
      out += {kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

class Dumper {
 public:
  explicit Dumper(const Trace& trace) : trace_(trace) {}

  std::string Run() {
    Info();
    Entities();
    for (EventKind kind : AllEventKinds()) {
      for (EventId event : trace_.OfKind(kind)) Event(kind, event);
    }
    Columns("collective", trace_.collectives());
    Columns("operator", trace_.operators());
    Columns("operand", trace_.operands());
    Columns("frame", trace_.frames());
    Log();
    return out_.str();
  }

 private:
  void Info() {
    const TraceInfo& info = trace_.info();
    auto optional = [&](const char* name, const auto& value) {
      if (value) out_ << "info " << name << ' ' << *value << '\n';
    };
    optional("tool", info.tool_version);
    optional("schema", info.schema_version);
    optional("utc_start", info.utc_start_ns);
    optional("session", info.session_ns);
    optional("driver", info.driver_version);
    optional("cuda", info.cuda_version);
    optional("os", info.os);
    optional("cpu", info.cpu);
    optional("graph_trace", info.graph_trace_mode);
    if (info.api_calls_incomplete) out_ << "info api calls incomplete\n";
    if (info.partial) out_ << "info partial " << info.partial_reason << '\n';
    for (const std::string& table : info.unused_tables) out_ << "unused " << table << '\n';
    for (const Diagnostic& diagnostic : info.diagnostics) {
      out_ << (diagnostic.is_error ? "error " : "warning ") << diagnostic.time << ' '
           << Escaped(diagnostic.text) << '\n';
    }
  }

  void Entities() {
    Rows("process", trace_.processes());
    Rows("gpu", trace_.gpus());
    Rows("context", trace_.contexts());
    for (std::size_t i = 0; i < trace_.tracks().size(); ++i) {
      const Track& track = trace_.tracks()[i];
      out_ << "track " << Label(TrackId(i));
      Fact("gpu", track.gpu);
      Fact("name", track.name);
      Fact("priority", track.priority);
      if (track.flag != StreamFlag::kUnknown) Fact("flag", track.flag);
      out_ << '\n';
    }
    Rows("domain", trace_.domains());
    Rows("category", trace_.categories());
  }

  void Event(EventKind kind, EventId event) {
    out_ << NameOf(kind) << ' ' << trace_.begin(event);
    if (trace_.end(event) != trace_.begin(event)) out_ << '-' << trace_.end(event);
    out_ << ' ' << Label(trace_.track_of(event));
    if (trace_.name_of(event).valid()) out_ << ' ' << Escaped(trace_.name(event));
    if (trace_.events().correlation[event.value] != 0) {
      out_ << " #" << trace_.events().correlation[event.value];
    }
    if (EventId call = trace_.call_of(event); call.valid()) {
      out_ << " call=" << trace_.name(call) << '@' << trace_.begin(call);
    }
    if (trace_.events().flags[event.value] & kUnfinished) out_ << " unfinished";
    if (trace_.events().flags[event.value] & kBadEnd) out_ << " bad_end";
    ForEachDetailTable(trace_.tables().details, [&](const KindGroup& group, const auto& table) {
      if (group.first <= kind && kind <= group.last) Row(table, trace_.Row(event, kind));
    });
    out_ << '\n';
  }

  void Log() {
    for (const auto& [table, tally] : trace_.log().tallies()) {
      out_ << "rows " << table << " read=" << tally.read << " kept=" << tally.kept
           << " set_aside=" << tally.set_aside << '\n';
    }
    for (const auto& [key, issue] : trace_.log().issues()) {
      out_ << "odd " << key.first << ' ' << NameOf(key.second) << " x" << issue.count << " ("
           << issue.sample << ")\n";
    }
  }

  // The facts of one row of a table of columns.
  template <class Table>
  void Row(const Table& table, std::size_t row) {
    ForEachColumn<Table>([&](const Column& c, auto member) { Fact(c.name, (table.*member)[row]); });
  }

  template <class Table>
  void Columns(const char* word, const Table& table) {
    for (std::size_t row = 0; row < RowCount(table); ++row) {
      out_ << word;
      Row(table, row);
      out_ << '\n';
    }
  }

  template <class T>
  void Rows(const char* word, const std::vector<T>& rows) {
    for (const T& row : rows) {
      out_ << word;
      ForEachColumn<T>([&](const Column& c, auto member) { Fact(c.name, row.*member); });
      out_ << '\n';
    }
  }

  template <class T>
  void Fact(std::string_view name, const T& value) {
    if constexpr (std::is_same_v<T, StringId>) {
      if (value.valid()) out_ << ' ' << name << '=' << Escaped(trace_.strings()[value]);
    } else if constexpr (std::is_same_v<T, TrackId>) {
      if (value.valid()) out_ << ' ' << name << '=' << Label(value);
    } else if constexpr (std::is_same_v<T, ProcessId>) {
      if (value.valid()) out_ << ' ' << name << '=' << trace_.process(value).pid;
    } else if constexpr (std::is_same_v<T, DomainId>) {
      if (value.valid()) out_ << ' ' << name << '=' << DomainLabel(value);
    } else if constexpr (std::is_enum_v<T>) {
      out_ << ' ' << name << '=' << static_cast<int>(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (value != kMissing<T>) out_ << ' ' << name << '=' << +value;
    } else {
      if (value.valid()) out_ << ' ' << name << '=' << value.value;
    }
  }

  std::string DomainLabel(DomainId id) const {
    const NvtxDomain& domain = trace_.domain(id);
    if (domain.name.valid()) return std::string(trace_.strings()[domain.name]);
    return std::to_string(domain.number);
  }

  std::string Label(TrackId id) const {
    const Track& track = trace_.track(id);
    if (track.kind == TrackKind::kMetrics) {
      const bool is_gpu = track.device != kMissing<std::uint32_t>;
      return is_gpu ? "G" + std::to_string(track.device) : "N";
    }
    std::string label = "P" + std::to_string(trace_.process(track.process).pid);
    auto add = [&](const char* word, std::uint32_t value) {
      if (value != kMissing<std::uint32_t>) label += word + std::to_string(value);
    };
    add(".T", track.thread);
    add(".D", track.device);
    add(".C", track.context);
    add(".S", track.stream);
    return track.kind == TrackKind::kMigration ? label + ".M" : label;
  }

  const Trace& trace_;
  std::ostringstream out_;
};

}  // namespace

std::string Dump(const Trace& trace) { return Dumper(trace).Run(); }

}  // namespace xsp::test
