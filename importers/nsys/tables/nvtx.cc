#include <bit>
#include <string>

#include "importers/nsys/ids.h"
#include "importers/nsys/table.h"

namespace xsp {
namespace {

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
  using Row = Nvtx::Row;
  static constexpr NsysField<Row> kFields[] = {
      {"category", IntoField<&Row::category>},
      {"rangeId", IntoField<&Row::range>},
  };
  static constexpr auto kColumns =
      NsysColumns{"start",      "end",          "eventType",   "color",      "text",
                  "globalTid",  "endGlobalTid", "textId",      "domainId",   "uint64Value",
                  "int64Value", "doubleValue",  "uint32Value", "int32Value", "floatValue",
                  "jsonTextId", "jsonText",     "binaryData"} +
      kFields;

  NvtxReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : context_(context), log_(log), table_rows_(spec.table_rows) {
    ReserveRows(run_.parts[0].details, rows);
    ReserveRows(run_.parts[0].events, rows);
  }

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadInstant(row, kColumns["start"], &event)) return;
    SeeTime(event.begin);
    const auto event_type = row.Get<std::int64_t>(kColumns["eventType"]);
    RowType type = TypeOf(event_type);
    if (type == RowType::kHalf) {
      row.Note(ImportReason::kPseudoRow, "event type " + std::to_string(event_type));
      return;
    }
    log_.Kept();
    if (type >= RowType::kDomainName && type <= RowType::kThreadName) {
      AddName(row, type, event.begin);
      return;
    }
    if (type == RowType::kUnknown) {
      row.Note(ImportReason::kUnknownValue, row.IsNull(kColumns["eventType"])
                                                ? std::string("no event type")
                                                : "event type " + std::to_string(event_type));
      type = row.IsNull(kColumns["end"]) ? RowType::kMark : RowType::kStartEnd;
    }
    AddEvent(row, type, event);
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
    const StringId registered = context_.strings().ById(row, kColumns["textId"]);
    return registered.valid() ? registered : context_.strings().Text(row, kColumns["text"]);
  }

  std::uint64_t ProcessOf(const NsysRow& row) const {
    const auto global = row.Get<std::uint64_t>(kColumns["globalTid"]);
    return global == kMissing<std::uint64_t> ? 0 : ProcessKey(global);
  }

  DomainId DomainOf(const NsysRow& row) {
    return context_.Domain(ProcessOf(row), row.Get<std::uint64_t>(kColumns["domainId"], 0));
  }

  void AddName(const NsysRow& row, RowType type, TimeNs time) {
    NsysNvtxRows::Name name;
    name.name = TextOf(row);
    name.time = time;
    name.row = row.number();
    if (type == RowType::kThreadName) {
      name.what = NsysNvtxRows::Naming::kThread;
      name.thread = context_.Thread(row, kColumns["globalTid"]);
    } else {
      const bool is_domain = type == RowType::kDomainName;
      name.what = is_domain ? NsysNvtxRows::Naming::kDomain : NsysNvtxRows::Naming::kCategory;
      name.domain = DomainOf(row);
      name.category = row.Get<std::uint32_t>(kColumns["category"], 0);
    }
    run_.names.push_back(name);
  }

  void AddEvent(const NsysRow& row, RowType type, Events::Row event) {
    NsysNvtxRows::Part& part = run_.parts[static_cast<std::size_t>(type)];
    if (type != RowType::kMark && row.IsNull(kColumns["end"])) {
      event.flags = kUnfinished;
      row.Note(ImportReason::kUnfinished, "start " + std::to_string(event.begin));
      part.open.push_back(static_cast<std::uint32_t>(part.events.begin.size()));
    } else if (type != RowType::kMark) {
      ReadTimes(row, kColumns["start"], kColumns["end"], &event);
      SeeTime(event.end);
    }
    event.track = context_.Thread(row, kColumns["globalTid"]);
    event.name = TextOf(row);
    part.events.Add(event);
    part.details.Add(DetailsOf(row));
  }

  Row DetailsOf(const NsysRow& row) {
    Row range = ReadFields<NvtxReader>(row, context_.strings());
    range.domain = DomainOf(row);
    range.color = ColorOf(row);
    if (!row.IsNull(kColumns["endGlobalTid"])) {
      range.end_thread = context_.Thread(row, kColumns["endGlobalTid"]);
    }
    range.json = JsonOf(row);
    const Payload payload = range.json.valid() ? Payload{PayloadType::kJson, 0} : PayloadOf(row);
    range.payload_type = payload.type;
    range.payload = payload.bits;
    range.source_row = SourceRow(row);
    return range;
  }

  // ARGB, which nsys writes as a signed or an unsigned number.
  static std::uint32_t ColorOf(const NsysRow& row) {
    const auto color = row.Get<std::int64_t>(kColumns["color"]);
    if (color < INT32_MIN || color > UINT32_MAX) return kMissing<std::uint32_t>;
    return static_cast<std::uint32_t>(color);
  }

  // A structured payload: by id, as text, or in binary form.
  StringId JsonOf(const NsysRow& row) {
    const StringId registered = context_.strings().ById(row, kColumns["jsonTextId"]);
    if (registered.valid()) return registered;
    if (!row.IsNull(kColumns["jsonText"])) {
      return context_.strings().LongText(row.Bytes(kColumns["jsonText"]), row);
    }
    return row.IsNull(kColumns["binaryData"]) ? StringId() : DecodeBlob(row);
  }

  StringId DecodeBlob(const NsysRow& row) {
    const NvtxPayloads::Decoded payload =
        context_.shared().payloads.Decode(row.Bytes(kColumns["binaryData"]));
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
    constexpr std::pair<PayloadType, int> kPlaces[] = {
        {PayloadType::kUint64, kColumns["uint64Value"]},
        {PayloadType::kInt64, kColumns["int64Value"]},
        {PayloadType::kDouble, kColumns["doubleValue"]},
        {PayloadType::kUint32, kColumns["uint32Value"]},
        {PayloadType::kInt32, kColumns["int32Value"]},
        {PayloadType::kFloat, kColumns["floatValue"]},
    };
    for (const auto& [type, column] : kPlaces) {
      if (row.IsNull(column)) continue;
      const bool is_real = type == PayloadType::kDouble || type == PayloadType::kFloat;
      return {type, is_real ? std::bit_cast<std::uint64_t>(row.Double(column))
                            : row.Get<std::uint64_t>(column)};
    }
    return {};
  }

  NsysContext& context_;
  ChunkLog& log_;
  std::size_t table_rows_;
  NsysNvtxRows::Run run_;
};

}  // namespace

void AddNvtxTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  AddTables(catalog, {ReadBy<NvtxReader>("NVTX_EVENTS")}, specs, "start");
}

}  // namespace xsp
