#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "live/spool/host_events.h"
#include "live/spool/spool_reader.h"

namespace xsp::live {

// A record of CUPTI, as long as the libcupti that wrote it made it. `Record` is one of the structs
// of cupti_records.h; fields that the record does not have are told by Has.
template <class Record>
class RecordView {
 public:
  RecordView(const char* at, std::size_t bytes) : bytes_(bytes) {
    std::memcpy(&record_, at, bytes < sizeof record_ ? bytes : sizeof record_);
  }

  const Record* operator->() const { return &record_; }

  template <class Field>
  bool Has(Field Record::*field) const {
    const auto* begin = reinterpret_cast<const char*>(&record_);
    const auto* end = reinterpret_cast<const char*>(&(record_.*field)) + sizeof(Field);
    return static_cast<std::size_t>(end - begin) <= bytes_;
  }
  template <class Field>
  Field Or(Field Record::*field, Field otherwise) const {
    return Has(field) ? record_.*field : otherwise;
  }

 private:
  Record record_ = {};
  std::size_t bytes_;
};

// Calls f(kind, at, bytes) for each record of a block of type kRecords. False if the sizes do not
// fit the body: then the rest of it is left out.
template <class F>
bool ForEachRecord(const Block& block, F f) {
  const auto front = block.FrontAs<RecordsFront>();
  const std::string_view sizes = block.front.substr(std::min(sizeof front, block.front.size()));
  if (sizes.size() / sizeof(std::uint16_t) < front.count) return false;
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < front.count; ++i) {
    std::uint16_t bytes = 0;
    std::memcpy(&bytes, sizes.data() + i * sizeof bytes, sizeof bytes);
    if (bytes < sizeof(CuptiRecord) || at + bytes > block.body.size()) return false;
    const char* record = block.body.data() + at;
    std::uint32_t kind = 0;
    std::memcpy(&kind, record, sizeof kind);
    f(static_cast<CuptiKind>(kind), record, std::size_t{bytes});
    at += bytes;
  }
  return true;
}

// An event of the host, read back. Texts point into the block.
struct HostEventView {
  HostOp op = {};
  std::uint32_t domain = 0;
  std::uint64_t time = 0;
  std::uint64_t id = 0;
  std::uint64_t id2 = 0;
  std::uint32_t color = 0;
  std::uint32_t category = 0;
  std::uint64_t payload_type = 0;
  std::uint64_t payload = 0;
  std::uint64_t registered = 0;
  std::string_view text;
  bool has_text = false;
  bool was_cut = false;
};

// Reads the event at the begin of `bytes` and moves on. False if there is none, or it is damaged.
bool ReadHostEvent(std::string_view& bytes, HostEventView* event);

// Calls f(head, text) for each text of a block of type kTexts. False if it is damaged.
template <class F>
bool ForEachText(const Block& block, F f) {
  std::string_view rest = block.body;
  while (rest.size() >= sizeof(TextHead)) {
    TextHead head = {};
    rest.copy(reinterpret_cast<char*>(&head), sizeof head);
    rest.remove_prefix(sizeof head);
    if (RoundUp8(head.bytes) > rest.size()) return false;
    f(head, rest.substr(0, head.bytes));
    rest.remove_prefix(RoundUp8(head.bytes));
  }
  return rest.empty();
}

}  // namespace xsp::live
