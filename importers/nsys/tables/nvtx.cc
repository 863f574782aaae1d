#include <bit>
#include <string>

#include "importers/nsys/ids.h"
#include "importers/nsys/table.h"

namespace xsp {
namespace {

constexpr std::string_view kNvtxTable = "NVTX_EVENTS";

enum Column : int {
  kStart = 1,
  kEnd,
  kType,
  kRange,
  kCategory,
  kColor,
  kText,
  kTid,
  kEndTid,
  kTextId,
  kDomain,
  kUint64,
  kInt64,
  kDouble,
  kUint32,
  kInt32,
  kFloat,
  kJsonId,
  kJson,
  kBlob
};
constexpr std::string_view kColumns[] = {
    "start",      "end",         "eventType",  "rangeId",      "category",
    "color",      "text",        "globalTid",  "endGlobalTid", "textId",
    "domainId",   "uint64Value", "int64Value", "doubleValue",  "uint32Value",
    "int32Value", "floatValue",  "jsonTextId", "jsonText",     "binaryData"};

enum class RowType : std::uint8_t {
  kPushPop = 0,
  kStartEnd,
  kMark,
  kDomainName,
  kCategoryName,
  kThreadName,
  kHalf,
  kUnknown
};

// nsys' event types, with their twins for imported text files.
RowType TypeOf(std::int64_t event_type) {
  switch (event_type) {
    case 59:
    case 70:
      return RowType::kPushPop;
    case 60:
    case 71:
      return RowType::kStartEnd;
    case 34:
    case 65:
      return RowType::kMark;
    case 33:
    case 64:
      return RowType::kCategoryName;
    case 39:
      return RowType::kThreadName;
    case 75:
      return RowType::kDomainName;
    // Raw halves of ranges; the end of a domain; names of devices, contexts and streams, which have
    // tables of their own.
    case 35:
    case 36:
    case 37:
    case 38:
    case 76:
    case 97:
    case 98:
    case 99:
      return RowType::kHalf;
    default:
      return RowType::kUnknown;
  }
}

struct Payload {
  PayloadType type = PayloadType::kNone;
  std::uint64_t bits = 0;
};

class NvtxReader : public NsysTableReader {
 public:
  NvtxReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : context_(context), log_(log), table_rows_(spec.table_rows) {
    ReserveRows(run_.parts[0].details, rows);
    ReserveRows(run_.parts[0].events, rows);
  }

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadInstant(row, kStart, &times)) return;
    SeeTime(times.begin);
    const auto event_type = row.Get<std::int64_t>(kType);
    RowType type = TypeOf(event_type);
    if (type == RowType::kHalf) {
      row.Note(ImportReason::kPseudoRow, "event type " + std::to_string(event_type));
      return;
    }
    log_.Kept();
    if (type >= RowType::kDomainName && type <= RowType::kThreadName) {
      AddName(row, type, times.begin);
      return;
    }
    if (type == RowType::kUnknown) {
      row.Note(ImportReason::kUnknownValue, row.IsNull(kType)
                                                ? std::string("no event type")
                                                : "event type " + std::to_string(event_type));
      type = row.IsNull(kEnd) ? RowType::kMark : RowType::kStartEnd;
    }
    AddEvent(row, type, times);
  }

  void Finish(std::uint64_t order) override {
    run_.order = order;
    context_.shared().nvtx.Append(std::move(run_), table_rows_);
  }

 private:
  void SeeTime(TimeNs time) {
    run_.latest = run_.any ? std::max(run_.latest, time) : time;
    run_.any = true;
  }

  StringId TextOf(const NsysRow& row) {
    const StringId registered = context_.strings().ById(row, kTextId);
    return registered.valid() ? registered : context_.strings().Text(row, kText);
  }

  std::uint64_t ProcessOf(const NsysRow& row) const {
    const auto global = row.Get<std::uint64_t>(kTid);
    return global == kMissing<std::uint64_t> ? 0 : ProcessKey(global);
  }

  DomainId DomainOf(const NsysRow& row) {
    return context_.Domain(ProcessOf(row), row.Get<std::uint64_t>(kDomain, 0));
  }

  void AddName(const NsysRow& row, RowType type, TimeNs time) {
    NsysNvtxRows::Name name;
    name.name = TextOf(row);
    name.time = time;
    name.row = row.number();
    if (type == RowType::kThreadName) {
      name.what = NsysNvtxRows::Naming::kThread;
      name.thread = context_.Thread(row, kTid);
    } else {
      const bool is_domain = type == RowType::kDomainName;
      name.what = is_domain ? NsysNvtxRows::Naming::kDomain : NsysNvtxRows::Naming::kCategory;
      name.domain = DomainOf(row);
      name.category = row.Get<std::uint32_t>(kCategory, 0);
    }
    run_.names.push_back(name);
  }

  void AddEvent(const NsysRow& row, RowType type, NsysTimes times) {
    NsysNvtxRows::Part& part = run_.parts[static_cast<std::size_t>(type)];
    if (type != RowType::kMark && row.IsNull(kEnd)) {
      times.flags = kUnfinished;
      row.Note(ImportReason::kUnfinished, "start " + std::to_string(times.begin));
      part.open.push_back(static_cast<std::uint32_t>(part.events.begin.size()));
    } else if (type != RowType::kMark) {
      ReadTimes(row, kStart, kEnd, &times);
      SeeTime(times.end);
    }
    Events& events = part.events;
    events.begin.push_back(times.begin);
    events.end.push_back(times.end);
    events.track.push_back(context_.Thread(row, kTid));
    events.name.push_back(TextOf(row));
    events.correlation.push_back(0);
    events.flags.push_back(times.flags);
    AddDetails(row, part.details);
  }

  void AddDetails(const NsysRow& row, Nvtx& details) {
    details.domain.push_back(DomainOf(row));
    details.category.push_back(row.Get<std::uint32_t>(kCategory));
    details.color.push_back(ColorOf(row));
    details.range.push_back(row.Get<std::uint64_t>(kRange));
    details.end_thread.push_back(row.IsNull(kEndTid) ? TrackId() : context_.Thread(row, kEndTid));
    const StringId json = JsonOf(row);
    const Payload payload = json.valid() ? Payload{PayloadType::kJson, 0} : PayloadOf(row);
    details.payload_type.push_back(payload.type);
    details.payload.push_back(payload.bits);
    details.json.push_back(json);
    details.source_row.push_back(SourceRow(row));
  }

  // ARGB, which nsys writes as a signed or an unsigned number.
  static std::uint32_t ColorOf(const NsysRow& row) {
    const auto color = row.Get<std::int64_t>(kColor);
    if (color < INT32_MIN || color > UINT32_MAX) return kMissing<std::uint32_t>;
    return static_cast<std::uint32_t>(color);
  }

  // A structured payload: by id, as text, or in binary form.
  StringId JsonOf(const NsysRow& row) {
    const StringId registered = context_.strings().ById(row, kJsonId);
    if (registered.valid()) return registered;
    if (!row.IsNull(kJson)) return context_.strings().LongText(row.Bytes(kJson), row);
    return row.IsNull(kBlob) ? StringId() : DecodeBlob(row);
  }

  StringId DecodeBlob(const NsysRow& row) {
    const NvtxPayloads::Decoded payload = context_.shared().payloads.Decode(row.Bytes(kBlob));
    if (!payload.complete) {
      row.Note(ImportReason::kUndecodedPayload, payload.json.empty() ? "whole" : "in part");
    }
    if (payload.json.empty()) return {};
    return context_.strings().LongText(payload.json, row);
  }

  static std::uint32_t SourceRow(const NsysRow& row) {
    const bool small = row.number() >= 0 && row.number() < kMissing<std::uint32_t>;
    return small ? static_cast<std::uint32_t>(row.number()) : kMissing<std::uint32_t>;
  }

  static Payload PayloadOf(const NsysRow& row) {
    if (!row.IsNull(kUint64)) return {PayloadType::kUint64, row.Get<std::uint64_t>(kUint64)};
    if (!row.IsNull(kInt64)) return {PayloadType::kInt64, row.Get<std::uint64_t>(kInt64)};
    if (!row.IsNull(kDouble)) return Floating(PayloadType::kDouble, row.Double(kDouble));
    if (!row.IsNull(kUint32)) return {PayloadType::kUint32, row.Get<std::uint64_t>(kUint32)};
    if (!row.IsNull(kInt32)) return {PayloadType::kInt32, row.Get<std::uint64_t>(kInt32)};
    if (!row.IsNull(kFloat)) return Floating(PayloadType::kFloat, row.Double(kFloat));
    return {};
  }

  static Payload Floating(PayloadType type, double value) {
    return {type, std::bit_cast<std::uint64_t>(value)};
  }

  NsysContext& context_;
  ChunkLog& log_;
  std::size_t table_rows_;
  NsysNvtxRows::Run run_;
};

}  // namespace

void AddNvtxTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  if (catalog.Has(kNvtxTable, "start"))
    specs.push_back({kNvtxTable, kColumns, MakeReader<NvtxReader>});
}

}  // namespace xsp
