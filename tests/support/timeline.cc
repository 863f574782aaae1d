#include "tests/support/timeline.h"

#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "importers/operators/nvtx_operators.h"
#include "model/building/trace_builder.h"

namespace xsp::test {
namespace {

constexpr std::uint64_t kProcessBits = 24;

// One line, taken apart.
struct Line {
  std::string text;
  std::string track;
  TimeNs begin = 0;
  TimeNs end = 0;
  std::string kind;
  std::string name;
  std::uint32_t correlation = 0;
  std::map<std::string, std::string> facts;

  [[noreturn]] void Fail(const std::string& why) const {
    throw std::invalid_argument("timeline: " + why + " in: " + text);
  }

  std::uint64_t Number(const std::string& value) const {
    std::uint64_t number = 0;
    auto [end_of, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end_of != value.data() + value.size()) Fail("no number: " + value);
    return number;
  }

  template <class T = std::uint32_t>
  T Fact(const std::string& key, T fallback) const {
    auto it = facts.find(key);
    return it == facts.end() ? fallback : static_cast<T>(Number(it->second));
  }

  std::string Text(const std::string& key, const std::string& fallback = {}) const {
    auto it = facts.find(key);
    return it == facts.end() ? fallback : it->second;
  }

  // "2x1x1"; missing parts are 1.
  std::array<std::uint32_t, 3> Size(const std::string& key) const {
    std::array<std::uint32_t, 3> size = {1, 1, 1};
    std::istringstream parts(Text(key, "1"));
    std::string part;
    for (std::size_t i = 0; i < 3 && std::getline(parts, part, 'x'); ++i) {
      size[i] = static_cast<std::uint32_t>(Number(part));
    }
    return size;
  }
};

// Splits at blanks; quotes, single or double, hold a word together.
std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool open = false;
  for (char c : text) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == ' ' || c == '\t') {
      if (open || !word.empty()) words.push_back(word);
      word.clear();
      open = false;
    } else {
      word += c;
    }
  }
  if (open || !word.empty()) words.push_back(word);
  return words;
}

bool IsFact(const std::string& word) {
  std::size_t equals = word.find('=');
  return equals != std::string::npos && equals > 0 && word.find(' ') > equals;
}

Line Parse(const std::string& text) {
  Line line;
  line.text = text;
  std::vector<std::string> words = Words(text);
  line.track = words[0];
  std::size_t at = 1;
  if (at < words.size() && (std::isdigit(words[at][0]) || words[at][0] == '-')) {
    std::size_t dash = words[at].find('-', 1);
    line.begin = std::stoll(words[at].substr(0, dash));
    line.end = dash == std::string::npos ? line.begin : std::stoll(words[at].substr(dash + 1));
    ++at;
  }
  if (at >= words.size()) line.Fail("no kind");
  line.kind = words[at++];
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word.size() > 1 && word[0] == '#') {
      line.correlation = static_cast<std::uint32_t>(line.Number(word.substr(1)));
    } else if (IsFact(word)) {
      line.facts[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    } else {
      line.name += (line.name.empty() ? "" : " ") + word;
    }
  }
  return line;
}

// Where a track word points to.
struct Place {
  std::uint32_t process = 1;
  std::uint32_t device = 0;
  std::uint32_t context = 1;
  char what = 'T';
  std::uint32_t number = 0;
};

Place ParsePlace(const Line& line) {
  Place place;
  std::istringstream parts(line.track);
  std::vector<std::string> words;
  for (std::string part; std::getline(parts, part, '.');) words.push_back(part);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool last = i + 1 == words.size();
    const std::string digits = words[i].substr(1);
    const auto number = digits.empty() ? 0 : static_cast<std::uint32_t>(line.Number(digits));
    if (last) {
      place.what = words[i][0];
      place.number = number;
      if (place.what == 'D' && !digits.empty()) place.device = number;
    } else if (words[i][0] == 'P') {
      place.process = number;
    } else if (words[i][0] == 'D') {
      place.device = number;
    } else if (words[i][0] == 'C') {
      place.context = number;
    } else {
      line.Fail("unknown track");
    }
  }
  return place;
}

CopyKind ParseCopyKind(const Line& line) {
  static const std::map<std::string, CopyKind> kinds = {{"HtoD", CopyKind::kHtoD},
                                                        {"DtoH", CopyKind::kDtoH},
                                                        {"DtoD", CopyKind::kDtoD},
                                                        {"HtoH", CopyKind::kHtoH},
                                                        {"PtoP", CopyKind::kPtoP}};
  auto it = kinds.find(line.name);
  if (it == kinds.end()) line.Fail("unknown copy direction");
  return it->second;
}

MemoryKind ParseMemoryKind(const Line& line, const std::string& key, MemoryKind fallback) {
  static const std::map<std::string, MemoryKind> kinds = {{"pageable", MemoryKind::kPageable},
                                                          {"pinned", MemoryKind::kPinned},
                                                          {"device", MemoryKind::kDevice},
                                                          {"managed", MemoryKind::kManaged},
                                                          {"unknown", MemoryKind::kUnknown}};
  std::string word = line.Text(key);
  if (word.empty()) return fallback;
  auto it = kinds.find(word);
  if (it == kinds.end()) line.Fail("unknown memory kind");
  return it->second;
}

// Turns lines into rows. One method per kind of line.
class TimelineReader {
 public:
  Trace Read(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      if (std::size_t comment = line.find("# "); comment != std::string::npos) line.resize(comment);
      if (line.find_first_not_of(" \t") == std::string::npos) continue;
      Add(Parse(line));
    }
    return std::move(builder_).Build();
  }

 private:
  void Add(const Line& line) {
    static const std::map<std::string, void (TimelineReader::*)(const Line&)> readers = {
        {"push", &TimelineReader::AddPush},           {"startend", &TimelineReader::AddStartEnd},
        {"mark", &TimelineReader::AddMark},           {"api", &TimelineReader::AddApi},
        {"kernel", &TimelineReader::AddKernel},       {"memcpy", &TimelineReader::AddCopy},
        {"migration", &TimelineReader::AddMigration}, {"memset", &TimelineReader::AddMemset},
        {"graph", &TimelineReader::AddGraph},         {"sync", &TimelineReader::AddSync},
        {"wait", &TimelineReader::AddWait},           {"record", &TimelineReader::AddRecord},
        {"osrt", &TimelineReader::AddOsrt},           {"mpi", &TimelineReader::AddMpi},
        {"library", &TimelineReader::AddLibrary},     {"node", &TimelineReader::AddNode},
        {"sample", &TimelineReader::AddSample},       {"overhead", &TimelineReader::AddOverhead},
        {"alloc", &TimelineReader::AddMemory},        {"free", &TimelineReader::AddMemory},
        {"sched", &TimelineReader::AddSched},         {"named", &TimelineReader::NameThread},
    };
    auto it = readers.find(line.kind);
    if (it == readers.end()) line.Fail("unknown kind " + line.kind);
    (this->*(it->second))(line);
  }

  ProcessId ProcessOf(std::uint32_t number) {
    return builder_.InternProcess(std::uint64_t{number} << kProcessBits, number);
  }

  TrackId StreamTrack(const Place& place, std::uint32_t stream) {
    Track key{.kind = TrackKind::kStream,
              .process = ProcessOf(place.process),
              .device = place.device,
              .context = place.context,
              .stream = stream};
    key.flag = stream == 7 ? StreamFlag::kNull : StreamFlag::kBlocking;
    if (contexts_.insert({{place.process, place.context}, place.device}).second) {
      builder_.AddContext(
          {.process = key.process, .id = place.context, .device = place.device, .null_stream = 7});
    }
    return builder_.InternTrack(key);
  }

  TrackId TrackOf(const Line& line) {
    const Place place = ParsePlace(line);
    Track key{.process = ProcessOf(place.process)};
    switch (place.what) {
      case 'T':
        key.kind = TrackKind::kThread;
        key.thread = place.number;
        return builder_.InternTrack(key);
      case 'S': {
        TrackId track = StreamTrack(place, place.number);
        if (line.Text("flag") == "nonblocking") {
          builder_.track(track).flag = StreamFlag::kNonBlocking;
        }
        return track;
      }
      case 'M':
      case 'D':
        key.kind = place.what == 'M' ? TrackKind::kMigration : TrackKind::kDevice;
        key.device = place.device;
        return builder_.InternTrack(key);
      default:
        line.Fail("unknown track");
    }
  }

  Events::Row Common(const Line& line) {
    Events::Row event;
    event.begin = line.begin;
    event.end = line.end;
    event.track = TrackOf(line);
    if (!line.name.empty()) event.name = builder_.Intern(line.name);
    event.correlation = line.correlation;
    if (line.Text("flag") == "unfinished") event.flags = kUnfinished;
    return event;
  }

  template <class Table>
  void Emit(EventKind kind, const Line& line, const typename Table::Row& row) {
    builder_.log().AddKept("timeline");
    Events events;
    events.Add(Common(line));
    Table details;
    details.Add(row);
    builder_.Add(kind, order_++, "timeline", std::move(events), std::move(details));
  }

  void AddNvtx(EventKind kind, const Line& line) {
    const Place place = ParsePlace(line);
    const std::string domain = line.Text("domain");
    std::uint64_t number = 0;
    if (!domain.empty()) number = domains_.try_emplace(domain, domains_.size() + 1).first->second;
    const DomainId id = builder_.InternDomain(ProcessOf(place.process), number);
    if (!domain.empty()) builder_.domain(id).name = builder_.Intern(domain);
    const std::string json = line.Text("json");
    Nvtx::Row range;
    range.domain = id;
    range.category = line.Fact("category", range.category);
    if (!json.empty()) {
      range.payload_type = PayloadType::kJson;
      range.json = builder_.Intern(json);
    }
    range.source_row = static_cast<std::uint32_t>(order_);
    Emit<Nvtx>(kind, line, range);
  }
  void AddPush(const Line& line) { AddNvtx(EventKind::kNvtxPushPop, line); }
  void AddStartEnd(const Line& line) { AddNvtx(EventKind::kNvtxStartEnd, line); }
  void AddMark(const Line& line) { AddNvtx(EventKind::kNvtxMark, line); }

  void AddApi(const Line& line) {
    const bool driver = line.name.starts_with("cu") && !line.name.starts_with("cuda");
    Calls::Row call;
    call.layer = driver ? ApiLayer::kDriver : ApiLayer::kRuntime;
    call.return_value = line.Fact<std::int32_t>("returns", 0);
    Emit<Calls>(EventKind::kApi, line, call);
  }

  void AddKernel(const Line& line) {
    const auto grid = line.Size("grid");
    const auto block = line.Size("block");
    const std::string base = line.name.substr(0, line.name.find_first_of("<("));
    Kernels::Row kernel;
    kernel.short_name = builder_.Intern(line.Text("short", base));
    kernel.grid_x = grid[0];
    kernel.grid_y = grid[1];
    kernel.grid_z = grid[2];
    kernel.block_x = block[0];
    kernel.block_y = block[1];
    kernel.block_z = block[2];
    kernel.registers = line.Fact("regs", 16u);
    kernel.static_shared = 0;
    kernel.dynamic_shared = line.Fact("shared", 0u);
    kernel.local_per_thread = 0;
    kernel.launch_type = 1;
    kernel.graph_node = line.Fact("node", kernel.graph_node);
    kernel.graph = line.Fact("graph", kernel.graph);
    Emit<Kernels>(EventKind::kKernel, line, kernel);
  }

  Copies::Row CopyOf(const Line& line, CopyKind kind) {
    const bool to_host = kind == CopyKind::kDtoH;
    const bool from_host = kind == CopyKind::kHtoD;
    Copies::Row copy;
    copy.bytes = line.Fact<std::uint64_t>("bytes", 0);
    copy.copy_kind = kind;
    copy.source_kind =
        ParseMemoryKind(line, "src", from_host ? MemoryKind::kPageable : MemoryKind::kDevice);
    copy.target_kind =
        ParseMemoryKind(line, "dst", to_host ? MemoryKind::kPageable : MemoryKind::kDevice);
    copy.count = 1;
    copy.graph_node = line.Fact("node", copy.graph_node);
    return copy;
  }
  void AddCopy(const Line& line) {
    Emit<Copies>(EventKind::kMemcpy, line, CopyOf(line, ParseCopyKind(line)));
  }
  void AddMigration(const Line& line) {
    const CopyKind kind =
        ParseCopyKind(line) == CopyKind::kHtoD ? CopyKind::kUnifiedHtoD : CopyKind::kUnifiedDtoH;
    Emit<Copies>(EventKind::kMigration, line, CopyOf(line, kind));
  }

  void AddMemset(const Line& line) {
    Memsets::Row memset;
    memset.bytes = line.Fact<std::uint64_t>("bytes", 0);
    memset.memory_kind = MemoryKind::kDevice;
    memset.graph_node = line.Fact("node", memset.graph_node);
    Emit<Memsets>(EventKind::kMemset, line, memset);
  }

  void AddGraph(const Line& line) {
    GraphSpans::Row graph;
    graph.graph = line.Fact<std::uint64_t>("graph", 1);
    graph.graph_exec = line.Fact<std::uint64_t>("exec", 1);
    Emit<GraphSpans>(EventKind::kGraphSpan, line, graph);
  }

  TrackId StreamFact(const Line& line) {
    if (!line.facts.contains("stream")) return TrackId();
    Place place = ParsePlace(line);
    place.device = line.Fact("device", 0u);
    place.context = line.Fact("context", 1u);
    return StreamTrack(place, line.Fact("stream", 0u));
  }
  void EmitSync(const Line& line, SyncKind kind) {
    Syncs::Row sync;
    sync.sync_kind = kind;
    sync.stream = StreamFact(line);
    sync.context = line.Fact("context", 1u);
    sync.event = line.Fact("event", sync.event);
    sync.event_sync = line.Fact("esync", sync.event_sync);
    Emit<Syncs>(EventKind::kSync, line, sync);
  }
  void AddSync(const Line& line) {
    const bool stream = line.facts.contains("stream");
    const bool event = line.facts.contains("event");
    EmitSync(line, stream ? SyncKind::kStream : event ? SyncKind::kEvent : SyncKind::kContext);
  }
  void AddWait(const Line& line) { EmitSync(line, SyncKind::kStreamWait); }

  void AddRecord(const Line& line) {
    EventRecords::Row record;
    record.stream = StreamFact(line);
    record.context = line.Fact("context", 1u);
    record.event = line.Fact("event", 0u);
    record.event_sync = line.Fact("esync", record.event_sync);
    Emit<EventRecords>(EventKind::kEventRecord, line, record);
  }

  void AddOsrt(const Line& line) {
    OsrtCalls::Row call;
    call.return_value = 0;
    call.nesting = 0;
    Emit<OsrtCalls>(EventKind::kOsrt, line, call);
  }

  void AddMpi(const Line& line) {
    MpiCalls::Row call;
    call.bytes = line.Fact("bytes", call.bytes);
    Emit<MpiCalls>(EventKind::kMpi, line, call);
  }

  void AddLibrary(const Line& line) {
    LibraryCalls::Row call;
    call.library = line.name.starts_with("cudnn") ? LibraryKind::kCudnn : LibraryKind::kCublas;
    Emit<LibraryCalls>(EventKind::kLibrary, line, call);
  }

  void AddNode(const Line& line) {
    GraphObjects::Row node;
    node.id = line.Number(line.name);
    node.original = line.Fact("from", node.original);
    Emit<GraphObjects>(EventKind::kGraphObject, line, node);
  }

  void AddSample(const Line& line) {
    const ChainId chain(next_chain_++);
    Frames frames;
    std::string rest = line.name;
    while (!rest.empty()) {
      const std::size_t arrow = rest.find("<-");
      Frames::Row frame;
      frame.chain = chain;
      frame.symbol = builder_.Intern(rest.substr(0, arrow));
      frames.Add(frame);
      rest = arrow == std::string::npos ? "" : rest.substr(arrow + 2);
    }
    builder_.AddFrames(frames);
    Samples::Row sample;
    sample.cpu = 0;
    sample.cycles = line.Fact<std::uint64_t>("cycles", 1);
    sample.chain = chain;
    Emit<Samples>(EventKind::kSample, line, sample);
  }

  // No event: that a thread is there.
  void NameThread(const Line& line) {
    builder_.track(TrackOf(line)).name = builder_.Intern(line.name);
  }

  void AddSched(const Line& line) {
    if (line.name != "in" && line.name != "out") line.Fail("sched in or sched out");
    SchedEvents::Row sched;
    sched.cpu = 0;
    sched.scheduled_in = line.name == "in" ? 1 : 0;
    Emit<SchedEvents>(EventKind::kSched, line, sched);
  }

  void AddOverhead(const Line& line) {
    constexpr std::uint32_t kBufferFlush = 3;
    Overheads::Row overhead;
    overhead.overhead_type =
        static_cast<std::uint8_t>(line.Fact<std::uint32_t>("type", kBufferFlush));
    Emit<Overheads>(EventKind::kOverhead, line, overhead);
  }

  void AddMemory(const Line& line) {
    MemoryOperations::Row memory;
    const bool frees = line.kind == "free";
    memory.operation = frees ? MemoryOperation::kFree : MemoryOperation::kAllocate;
    memory.address = line.Fact<std::uint64_t>("address", 0);
    memory.bytes = line.Fact<std::uint64_t>("bytes", 0);
    memory.memory_kind = MemoryKind::kDevice;
    Emit<MemoryOperations>(EventKind::kMemory, line, memory);
  }

  TraceBuilder builder_;
  std::uint64_t order_ = 0;
  std::uint32_t next_chain_ = 0;
  std::map<std::string, std::uint64_t> domains_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> contexts_;
};

}  // namespace

Trace MakeTrace(std::string_view text) { return DecodeOperators(TimelineReader().Read(text)); }

}  // namespace xsp::test
