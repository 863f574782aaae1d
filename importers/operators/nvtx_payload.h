#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/nsys/catalog.h"

namespace xsp {

// The layouts of structured NVTX payloads, and how to read a binary payload by them. Immutable.
class NvtxPayloads {
 public:
  NvtxPayloads() = default;
  // Reads the layouts; a table that cannot be read gives none.
  NvtxPayloads(const SqliteDb& db, const NsysCatalog& catalog);

  struct Decoded {
    std::string json;       // One object; empty if nothing could be decoded.
    bool complete = false;  // Whether every field could be.
  };
  // Decodes nsys' binary form: domain, layout, size and a reserved word, 8 bytes each, then data.
  Decoded Decode(std::string_view blob) const;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // (domain, layout)

  struct Entry {
    std::string name;
    std::uint64_t type = 0;
    std::uint64_t flags = 0;
    std::uint64_t detail = 0;             // Length of an array.
    std::optional<std::uint64_t> offset;  // From the begin of the layout.
  };
  struct Enumeration {
    std::uint64_t bytes = 4;
    std::map<std::int64_t, std::string> names;
  };

  void ReadEntries(const SqliteDb& db, const NsysCatalog& catalog);
  void ReadEnumerations(const SqliteDb& db, const NsysCatalog& catalog);
  // What decoding one payload may still give: layouts that hold each other, or fields that lie over
  // each other, would make gigabytes of text of a few bytes.
  struct Budget {
    std::uint64_t values;
    std::uint64_t bytes;
    bool Take(std::uint64_t text);  // One value with so many bytes of text; false if spent.
  };
  bool DecodeLayout(Key key, std::string_view data, int depth, Budget& budget,
                    std::string& json) const;
  // The value of `entry` at `offset`, or all of them if it is an array.
  bool DecodeEntry(std::uint64_t domain, const Entry& entry, std::string_view data,
                   std::uint64_t offset, int depth, Budget& budget, std::string& json) const;
  // One value of `entry` at the begin of `data`. False if it cannot be decoded.
  bool DecodeValue(std::uint64_t domain, const Entry& entry, std::string_view data, int depth,
                   Budget& budget, std::string& json) const;
  std::uint64_t SizeOf(std::uint64_t domain, std::uint64_t type) const;

  std::map<Key, std::map<std::uint64_t, Entry>> layouts_;  // Entries by their index.
  std::map<Key, std::uint64_t> layout_bytes_;
  std::map<Key, Enumeration> enumerations_;
};

// What a payload of the NCCL domain says of a collective; kMissing where it does not.
struct CollectiveFacts {
  std::uint64_t communicator;
  std::uint64_t bytes;
  std::uint32_t ranks;
  std::uint32_t rank;
  std::uint32_t peer;
};

// Finds them in a payload's JSON text; nothing if it is not about NCCL.
std::optional<CollectiveFacts> FindCollective(std::string_view json);

}  // namespace xsp
