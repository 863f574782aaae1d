#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "live/decode/decode.h"
#include "live/inject/spool_file.h"
#include "live/spool/cupti_records.h"
#include "live/spool/format.h"
#include "live/spool/host_events.h"

namespace xsp::live::test {

// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// One event of a thread, before it stands in a block.
struct MadeEvent {
  HostOp op;
  std::uint64_t time = 0;
  std::uint32_t domain = 0;
  std::uint64_t id = 0;
  std::uint64_t id2 = 0;
  std::string text = {};
  std::uint64_t registered = 0;
  std::uint32_t color = 0;
  std::uint32_t category = 0;
};

// Writes a spool as the injected library does, with contents that the test says. CUPTI's clock is
// the host's, but for `clock_distance`.
class SpoolMaker {
 public:
  static constexpr std::uint64_t kStart = 1'000'000;  // Host time at which the process began.

  explicit SpoolMaker(const std::filesystem::path& folder, std::uint32_t pid = 100,
                      std::uint32_t origin = 0, std::uint64_t start = kStart,
                      std::uint64_t clock_distance = 0, const std::string& program = "program");

  // Records of one kind, each cut to `bytes` (0: as long as xsp knows it).
  template <class Record>
  void Records(CuptiKind kind, std::vector<Record> records, std::size_t bytes = 0) {
    std::string body;
    std::vector<std::uint16_t> sizes;
    for (Record& record : records) {
      record.kind = static_cast<std::uint32_t>(kind);
      const std::size_t size = bytes == 0 ? sizeof record : bytes;
      std::string one(reinterpret_cast<const char*>(&record), sizeof record);
      one.resize(size);
      body += one;
      sizes.push_back(static_cast<std::uint16_t>(size));
    }
    AppendRecords(sizes, body);
  }

  void Text(TextSpace space, std::uint64_t key, std::string_view text);
  void CallName(bool driver, std::uint32_t cbid, std::string_view name) {
    Text(TextSpace::kCall, std::uint64_t{driver} << 32 | cbid, name);
  }
  // Events of a thread; blocks of one thread are in order by `use`.
  void Events(std::uint32_t thread, const std::vector<MadeEvent>& events, std::uint32_t use = 1);
  void Note(NoteKind kind, std::uint32_t subject, std::int32_t result, std::string_view text);
  void Clock(const ClockReading& reading);
  void Counts(const CountsFront& counts);
  void Append(BlockType type, std::string_view front, std::string_view body);

  // For what writes by itself.
  inject::SpoolFile& spool() { return spool_; }

  std::filesystem::path file() const { return folder_ / name_; }

 private:
  void AppendRecords(const std::vector<std::uint16_t>& sizes, const std::string& body);

  std::filesystem::path folder_;
  std::string name_;
  inject::SpoolFile spool_;
};

// The trace of all spools in a folder.
DecodedRecording DecodeFolder(const std::filesystem::path& folder);

}  // namespace xsp::live::test
