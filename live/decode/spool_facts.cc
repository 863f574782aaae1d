#include "live/decode/spool_facts.h"

#include <algorithm>

#include "base/error.h"
#include "live/spool/record_view.h"

namespace xsp::live {
namespace {

class FactReader {
 public:
  explicit FactReader(SpoolFacts& facts) : facts_(facts) {}

  void Take(const Block& block) {
    bool sound = true;
    switch (block.type) {
      case BlockType::kProcess:
        facts_.process = block.FrontAs<ProcessFront>();
        break;
      case BlockType::kClock:
        TakeClock(block);
        break;
      case BlockType::kTexts:
        sound = ForEachText(block, [&](const TextHead& head, std::string_view text) {
          TakeText(head, std::string(text));
        });
        break;
      case BlockType::kRecords:
        sound = ForEachRecord(block, [&](CuptiKind kind, const char* at, std::size_t bytes) {
          TakeRecord(kind, at, bytes);
        });
        break;
      case BlockType::kHostEvents:
        sound = TakeHostEvents(block);
        break;
      case BlockType::kNote:
        facts_.notes.push_back({block.FrontAs<NoteFront>(), {}});
        facts_.notes.back().text = block.body.substr(0, facts_.notes.back().front.text_bytes);
        break;
      case BlockType::kCounts:
        facts_.counts = block.FrontAs<CountsFront>();
        break;
    }
    if (!sound) ++facts_.damaged_blocks;
  }

 private:
  void TakeClock(const Block& block) {
    for (std::string_view rest = block.front; rest.size() >= sizeof(ClockReading);
         rest.remove_prefix(sizeof(ClockReading))) {
      ClockReading reading = {};
      rest.copy(reinterpret_cast<char*>(&reading), sizeof reading);
      facts_.clock_readings.push_back(reading);
    }
  }

  void TakeText(const TextHead& head, std::string text) {
    const auto low = static_cast<std::uint32_t>(head.key);
    const auto high = static_cast<std::uint32_t>(head.key >> 32);
    switch (head.space) {
      case TextSpace::kPointer:
        pointers_[head.key] = std::move(text);
        break;
      case TextSpace::kCall:
        facts_.call_names[{high != 0, low}] = std::move(text);
        break;
      case TextSpace::kThread:
        facts_.threads[low] = {std::move(text), static_cast<std::int32_t>(high)};
        break;
      case TextSpace::kCuptiPath:
        facts_.cupti_version = low;
        break;
      case TextSpace::kDriverVersion:
        facts_.cuda_version = low;
        facts_.driver_version = std::move(text);
        break;
    }
  }

  template <class Record>
  void TakePlace(const char* at, std::size_t bytes) {
    const RecordView<Record> record(at, bytes);
    facts_.device_of_context.try_emplace(record->context, record->device);
  }

  void TakeRecord(CuptiKind kind, const char* at, std::size_t bytes) {
    switch (kind) {
      case CuptiKind::kRuntime:
      case CuptiKind::kDriver: {
        const RecordView<CuptiApiRecord> call(at, bytes);
        facts_.calls.push_back({call->start, call->end, call->thread, call->correlation, call->cbid,
                                call->return_value, kind == CuptiKind::kDriver});
        break;
      }
      case CuptiKind::kContext: {
        const RecordView<CuptiContextRecord> context(at, bytes);
        facts_.contexts[context->context] = *context.operator->();
        facts_.device_of_context[context->context] = context->device;
        break;
      }
      case CuptiKind::kStream: {
        const RecordView<CuptiStreamRecord> stream(at, bytes);
        facts_.streams[{stream->context, stream->stream}] = *stream.operator->();
        break;
      }
      case CuptiKind::kDevice: {
        const RecordView<CuptiDeviceRecord> device(at, bytes);
        facts_.devices[device->id] = {*device.operator->(), pointers_[device->name]};
        break;
      }
      case CuptiKind::kConcurrentKernel:
      case CuptiKind::kKernel:
        TakePlace<CuptiKernelRecord>(at, bytes);
        break;
      case CuptiKind::kMemcpy:
        TakePlace<CuptiMemcpyRecord>(at, bytes);
        break;
      case CuptiKind::kMemset:
        TakePlace<CuptiMemsetRecord>(at, bytes);
        break;
      default:
        break;
    }
  }

  bool TakeHostEvents(const Block& block) {
    const auto front = block.FrontAs<HostEventsFront>();
    facts_.host_events.push_back({front.thread, front.use, front.offset, block.offset});
    std::string_view rest = block.body;
    HostEventView event;
    while (!rest.empty()) {
      if (!ReadHostEvent(rest, &event)) return false;
      TakeHostEvent(event);
    }
    return true;
  }

  void TakeHostEvent(const HostEventView& event) {
    const auto id = static_cast<std::uint32_t>(event.id);
    switch (event.op) {
      case HostOp::kDomain:
        facts_.domains.try_emplace(event.domain, event.text);
        break;
      case HostOp::kString:
        facts_.strings.try_emplace(event.id, event.text);
        break;
      case HostOp::kCategory:
        facts_.categories[{event.domain, id}] = event.text;
        break;
      case HostOp::kThread:
        facts_.nvtx_threads[id] = event.text;
        break;
      case HostOp::kWindow:
        facts_.switches.push_back({event.time, event.id != 0});
        break;
      default:
        break;
    }
  }

  SpoolFacts& facts_;
  std::unordered_map<std::uint64_t, std::string> pointers_;
};

}  // namespace

void SpoolFacts::Inherit(const SpoolFacts& origin) {
  domains.insert(origin.domains.begin(), origin.domains.end());
  strings.insert(origin.strings.begin(), origin.strings.end());
  categories.insert(origin.categories.begin(), origin.categories.end());
}

SpoolFacts ReadFacts(const std::filesystem::path& file) {
  SpoolReader reader(file);
  SpoolFacts facts;
  facts.file = file;
  FactReader fact_reader(facts);
  Block block;
  while (reader.Next(&block)) fact_reader.Take(block);
  facts.bytes = reader.bytes();
  facts.torn_bytes = reader.torn_bytes();
  if (facts.process.pid == 0) {
    throw Error(file.string() + ": the spool is empty: it does not even say whose it is");
  }
  facts.process.program[sizeof facts.process.program - 1] = '\0';
  facts.process.system[sizeof facts.process.system - 1] = '\0';
  facts.clock = ClockMap(facts.clock_readings);
  std::sort(facts.host_events.begin(), facts.host_events.end());
  std::stable_sort(facts.switches.begin(), facts.switches.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return facts;
}

}  // namespace xsp::live
