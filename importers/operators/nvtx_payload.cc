#include "importers/operators/nvtx_payload.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/utf8.h"
#include "model/column.h"

namespace xsp {
namespace {

// NVTX' numbers for the types of entries that have a fixed size here.
enum EntryType : std::uint64_t {
  kChar = 1,
  kUchar,
  kShort,
  kUshort,
  kInt,
  kUint,
  kLong,
  kUlong,
  kLongLong,
  kUlongLong,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat,
  kDouble,
  kSize = 22,
  kAddress = 23,
  kChar8 = 25,
  kByte = 32,
  kFloat32 = 43,
  kFloat64 = 44,
  kCategory = 68,
  kColor = 69,
  kScope = 70,
  kPid32 = 71,
  kPid64 = 72,
  kTid32 = 73,
  kTid64 = 74,
  kFirstUserType = 1 << 24,
};

constexpr std::uint64_t kArrayMask = 48, kFixedArray = 16;
constexpr std::uint64_t kIndirect = 2 | 4 | 8;  // Pointers and offsets to data elsewhere.

constexpr std::size_t kHeaderBytes = 32;
constexpr std::uint64_t kMaxArray = 4096;
constexpr int kMaxDepth = 4;
// What a payload may give however small it is. A value takes a byte at least, its name some dozens.
constexpr std::uint64_t kFreeValues = 1024;
constexpr std::uint64_t kFreeText = 4096;

// Size of a type that is no layout; 0 if unknown. 'f': floating, 's': signed, 'u': unsigned.
std::pair<std::uint64_t, char> ScalarOf(std::uint64_t type) {
  switch (type) {
    case kChar:
    case kInt8:
      return {1, 's'};
    case kUchar:
    case kUint8:
    case kChar8:
    case kByte:
      return {1, 'u'};
    case kShort:
    case kInt16:
      return {2, 's'};
    case kUshort:
    case kUint16:
      return {2, 'u'};
    case kInt:
    case kInt32:
      return {4, 's'};
    case kUint:
    case kUint32:
    case kCategory:
    case kColor:
    case kPid32:
    case kTid32:
      return {4, 'u'};
    case kLong:
    case kLongLong:
    case kInt64:
      return {8, 's'};
    case kUlong:
    case kUlongLong:
    case kUint64:
    case kSize:
    case kAddress:
    case kScope:
    case kPid64:
    case kTid64:
      return {8, 'u'};
    case kFloat:
    case kFloat32:
      return {4, 'f'};
    case kDouble:
    case kFloat64:
      return {8, 'f'};
    default:
      return {0, 0};
  }
}

// An integer of 1, 2, 4 or 8 bytes, little end first as every machine that nsys runs on.
std::uint64_t LoadUnsigned(std::string_view data, std::uint64_t bytes) {
  std::uint64_t value = 0;
  for (std::uint64_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(data[i]);
  return value;
}

std::int64_t LoadSigned(std::string_view data, std::uint64_t bytes) {
  const int unused = static_cast<int>(64 - 8 * bytes);
  return static_cast<std::int64_t>(LoadUnsigned(data, bytes) << unused) >> unused;
}

void AppendString(std::string_view text, std::string& json) {
  constexpr char kHex[] = "0123456789abcdef";
  json += '"';
  for (char c : ToUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += {'\\', c};
    } else if (byte < 0x20) {
      json += "\\u00";
      json += {kHex[byte >> 4], kHex[byte & 15]};
    } else {
      json += c;
    }
  }
  json += '"';
}

void AppendFloat(double value, std::string& json) {
  char text[40];
  if (!std::isfinite(value)) {
    json += "null";
    return;
  }
  json.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

bool AppendScalar(std::uint64_t type, std::string_view data, std::string& json) {
  const auto [bytes, form] = ScalarOf(type);
  if (bytes == 0 || data.size() < bytes) return false;
  if (form == 'u') json += std::to_string(LoadUnsigned(data, bytes));
  if (form == 's') json += std::to_string(LoadSigned(data, bytes));
  if (form == 'f' && bytes == 4) {
    AppendFloat(std::bit_cast<float>(static_cast<std::uint32_t>(LoadUnsigned(data, 4))), json);
  }
  if (form == 'f' && bytes == 8) AppendFloat(std::bit_cast<double>(LoadUnsigned(data, 8)), json);
  return true;
}

// Calls f(statement) for each row of a table that describes layouts.
template <class F>
void ForEachRow(const SqliteDb& db, const NsysCatalog& catalog, std::string_view name,
                std::initializer_list<std::string_view> columns, F f) {
  const NsysTable* table = catalog.Find(name);
  if (table == nullptr) return;
  try {
    TableRows rows(db, *table, {columns.begin(), columns.size()});
    while (rows.Next()) f(rows.row());
  } catch (const SqliteError&) {
    // Without a layout the payloads that need it count as not decodable.
  }
}

std::uint64_t Number(const SqliteStatement& row, int column) {
  return static_cast<std::uint64_t>(row.Int(column));
}

}  // namespace

NvtxPayloads::NvtxPayloads(const SqliteDb& db, const NsysCatalog& catalog) {
  ReadEntries(db, catalog);
  ReadEnumerations(db, catalog);
}

// Rows are repeated for each process: the first of each counts.
void NvtxPayloads::ReadEntries(const SqliteDb& db, const NsysCatalog& catalog) {
  ForEachRow(db, catalog, "NVTX_PAYLOAD_SCHEMAS", {"domainId", "schemaId", "payloadSize"},
             [&](const SqliteStatement& row) {
               layout_bytes_.try_emplace({Number(row, 1), Number(row, 2)}, Number(row, 3));
             });
  ForEachRow(
      db, catalog, "NVTX_PAYLOAD_SCHEMA_ENTRIES",
      {"domainId", "schemaId", "idx", "flags", "type", "name", "arrayOrUnionDetail", "offset"},
      [&](const SqliteStatement& row) {
        Entry entry;
        entry.flags = Number(row, 4);
        entry.type = Number(row, 5);
        entry.name = row.Bytes(6);
        entry.detail = Number(row, 7);
        if (!row.IsNull(8)) entry.offset = Number(row, 8);
        layouts_[{Number(row, 1), Number(row, 2)}].try_emplace(Number(row, 3), std::move(entry));
      });
}

void NvtxPayloads::ReadEnumerations(const SqliteDb& db, const NsysCatalog& catalog) {
  ForEachRow(db, catalog, "NVTX_PAYLOAD_ENUMS", {"domainId", "schemaId", "size"},
             [&](const SqliteStatement& row) {
               const std::uint64_t bytes = Number(row, 3);
               const bool fits = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
               enumerations_[{Number(row, 1), Number(row, 2)}].bytes = fits ? bytes : 4;
             });
  ForEachRow(
      db, catalog, "NVTX_PAYLOAD_ENUM_ENTRIES", {"domainId", "schemaId", "value", "name"},
      [&](const SqliteStatement& row) {
        enumerations_[{Number(row, 1), Number(row, 2)}].names.try_emplace(row.Int(3), row.Bytes(4));
      });
}

std::uint64_t NvtxPayloads::SizeOf(std::uint64_t domain, std::uint64_t type) const {
  if (type < kFirstUserType) return ScalarOf(type).first;
  if (auto it = enumerations_.find({domain, type}); it != enumerations_.end()) {
    return it->second.bytes;
  }
  auto it = layout_bytes_.find({domain, type});
  return it == layout_bytes_.end() ? 0 : it->second;
}

bool NvtxPayloads::Budget::Take(std::uint64_t text) {
  if (values == 0 || text > bytes) {
    values = 0;
    return false;
  }
  --values;
  bytes -= text;
  return true;
}

bool NvtxPayloads::DecodeValue(std::uint64_t domain, const Entry& entry, std::string_view data,
                               int depth, Budget& budget, std::string& json) const {
  const std::size_t before = json.size();
  if (entry.type < kFirstUserType) {
    return AppendScalar(entry.type, data, json) && budget.Take(json.size() - before);
  }
  if (auto it = enumerations_.find({domain, entry.type}); it != enumerations_.end()) {
    const Enumeration& enumeration = it->second;
    if (data.size() < enumeration.bytes) return false;
    const std::int64_t value = LoadSigned(data, enumeration.bytes);
    auto name = enumeration.names.find(value);
    if (name == enumeration.names.end()) {
      json += std::to_string(value);
    } else {
      AppendString(name->second, json);
    }
    return budget.Take(json.size() - before);
  }
  return depth < kMaxDepth && DecodeLayout({domain, entry.type}, data, depth + 1, budget, json);
}

bool NvtxPayloads::DecodeEntry(std::uint64_t domain, const Entry& entry, std::string_view data,
                               std::uint64_t offset, int depth, Budget& budget,
                               std::string& json) const {
  const std::uint64_t bytes = SizeOf(domain, entry.type);
  const std::uint64_t array = entry.flags & kArrayMask;
  const std::uint64_t count = array == kFixedArray ? entry.detail : 1;
  const bool readable = bytes > 0 && (entry.flags & kIndirect) == 0 && count <= kMaxArray &&
                        (array == 0 || array == kFixedArray) && offset <= data.size();
  if (!readable) return false;
  if (array == kFixedArray && entry.type == kChar) {
    const std::string_view text = data.substr(offset, count);
    AppendString(text.substr(0, text.find('\0')), json);
    return budget.Take(json.size());
  }
  if (array == kFixedArray) json += '[';
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) json += ',';
    // Sizes come from the file: the place of an element may lie far behind the data.
    if (i > 0 && bytes > (data.size() - offset) / i) return false;
    const std::string_view rest = data.substr(offset + i * bytes);
    if (!DecodeValue(domain, entry, rest, depth, budget, json)) return false;
  }
  if (array == kFixedArray) json += ']';
  return true;
}

// Appends one object with the fields that can be decoded. False if some cannot.
bool NvtxPayloads::DecodeLayout(Key key, std::string_view data, int depth, Budget& budget,
                                std::string& json) const {
  auto layout = layouts_.find(key);
  if (layout == layouts_.end()) return false;
  bool complete = true;
  std::uint64_t next = 0;  // Where an entry stands that says no offset.
  json += '{';
  for (const auto& [index, entry] : layout->second) {
    if (!budget.Take(entry.name.size())) {
      complete = false;
      break;
    }
    const std::uint64_t bytes = SizeOf(key.first, entry.type);
    if (!entry.offset && bytes > 0 && bytes <= 8) next = (next + bytes - 1) / bytes * bytes;
    const std::uint64_t offset = entry.offset.value_or(next);
    const bool is_array = (entry.flags & kArrayMask) == kFixedArray;
    next = offset + bytes * (is_array ? std::min(entry.detail, kMaxArray) : 1);
    std::string value;
    if (!DecodeEntry(key.first, entry, data, offset, depth, budget, value)) {
      complete = false;
      continue;
    }
    if (json.back() != '{') json += ',';
    AppendString(entry.name, json);
    json += ':' + value;
  }
  json += '}';
  return complete;
}

NvtxPayloads::Decoded NvtxPayloads::Decode(std::string_view blob) const {
  Decoded decoded;
  if (blob.size() < kHeaderBytes) return decoded;
  const Key key(LoadUnsigned(blob, 8), LoadUnsigned(blob.substr(8), 8));
  const std::uint64_t size = LoadUnsigned(blob.substr(16), 8);
  const std::string_view data = blob.substr(kHeaderBytes);
  if (size > data.size()) return decoded;
  Budget budget{kFreeValues + 4 * size, kFreeText + 64 * size};
  decoded.complete = DecodeLayout(key, data.substr(0, size), 0, budget, decoded.json);
  if (decoded.json == "{}") decoded.json.clear();
  return decoded;
}

namespace {

// The number after a key of a flat object, or kMissing.
template <class T>
T NumberAfter(std::string_view json, std::string_view key) {
  const std::size_t at = json.find(key);
  if (at == std::string_view::npos) return kMissing<T>;
  json.remove_prefix(at + key.size());
  const std::size_t digit = json.find_first_not_of(" \t\r\n:");
  if (digit == std::string_view::npos) return kMissing<T>;
  T value = kMissing<T>;
  const auto result = std::from_chars(json.data() + digit, json.data() + json.size(), value);
  return result.ec == std::errc() ? value : kMissing<T>;
}

}  // namespace

std::optional<CollectiveFacts> FindCollective(std::string_view json) {
  constexpr std::string_view kCommunicator = "\"NCCL communicator ID\"";
  if (json.find(kCommunicator) == std::string_view::npos) return std::nullopt;
  return CollectiveFacts{NumberAfter<std::uint64_t>(json, kCommunicator),
                         NumberAfter<std::uint64_t>(json, "\"Message size [bytes]\""),
                         NumberAfter<std::uint32_t>(json, "\"No. of ranks\""),
                         NumberAfter<std::uint32_t>(json, "\"Rank\""),
                         NumberAfter<std::uint32_t>(json, "\"Peer rank\"")};
}

}  // namespace xsp
