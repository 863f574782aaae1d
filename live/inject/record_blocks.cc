#include "live/inject/record_blocks.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstring>

#include "live/inject/buffer_pool.h"
#include "live/inject/record_walk.h"

namespace xsp::inject {
namespace {

using namespace live;

// The smallest record has 16 bytes.
constexpr std::size_t kSizesBytes =
    RoundUp8(sizeof(RecordsFront) + BufferPool::kBufferBytes / 16 * sizeof(std::uint16_t));
constexpr std::size_t kTextsBytes = 256 * 1024;
constexpr std::size_t kLongestName = 64 * 1024;

// A field of a record; 0 if the record is too short to have it.
template <class T>
T FieldAt(const std::uint8_t* record, std::size_t bytes, std::size_t offset) {
  T value = 0;
  if (offset + sizeof value <= bytes) std::memcpy(&value, record + offset, sizeof value);
  return value;
}

}  // namespace

bool RecordBlocks::Begin(SpoolFile& spool) {
  spool_ = &spool;
  if (scratch_ == nullptr) {
    void* memory = mmap(nullptr, kSizesBytes + kTextsBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    scratch_ = static_cast<std::uint8_t*>(memory);
  }
  text_bytes_ = 0;
  ForgetNames();
  return true;
}

void RecordBlocks::ForgetNames() {
  names_.Forget();
  std::memset(known_calls_, 0, sizeof known_calls_);
  last_thread_ = 0;
}

std::uint64_t RecordBlocks::Write(const CuptiApi& api, std::uint8_t* buffer, std::size_t valid,
                                  CountsFront& counts, bool* was_kept) {
  auto* const sizes = reinterpret_cast<std::uint16_t*>(scratch_ + sizeof(RecordsFront));
  const std::size_t most = (kSizesBytes - sizeof(RecordsFront)) / sizeof(std::uint16_t);
  std::uint64_t of_kind[kCuptiKinds] = {};
  std::size_t count = 0, covered = 0;
  bool whole = true;  // Up to here every record has its place.
  auto add = [&](const std::uint8_t* record, std::uint32_t kind, std::size_t bytes, bool is_last) {
    const std::size_t place = kind < kCuptiKinds ? kind : 0;
    // Behind the last record there may be the beginning of one that did not fit.
    std::size_t& usual = size_of_kind_[place];
    if (!is_last) usual = bytes;
    if (is_last && usual != 0 && bytes > usual) bytes = usual;
    bytes &= ~std::size_t{7};
    whole = whole && count < most && bytes <= UINT16_MAX;
    if (!whole) {
      ++counts.dropped[place];
      return;
    }
    LookAt(api, record, kind, bytes);
    sizes[count++] = static_cast<std::uint16_t>(bytes);
    covered += bytes;
    ++of_kind[place];
  };
  *was_kept = true;
  const std::uint8_t* first = WalkRecords(api, buffer, valid, add);
  if (count == 0) return 0;
  WriteTexts();
  const RecordsFront front = {api.version, static_cast<std::uint32_t>(count)};
  std::memcpy(scratch_, &front, sizeof front);
  while (count % 4 != 0) sizes[count++] = 0;
  *was_kept = spool_->Append(BlockType::kRecords, scratch_,
                             sizeof front + count * sizeof(std::uint16_t), first, covered);
  auto& of_outcome = *was_kept ? counts.kept : counts.dropped;
  for (std::size_t kind = 0; kind < kCuptiKinds; ++kind) of_outcome[kind] += of_kind[kind];
  return front.count;
}

// What a record refers to by pointer or number, and only this process can look up.
void RecordBlocks::LookAt(const CuptiApi& api, const std::uint8_t* record, std::uint32_t kind,
                          std::size_t bytes) {
  auto add_pointer = [&](std::size_t offset) {
    const auto pointer = FieldAt<std::uint64_t>(record, bytes, offset);
    if (pointer == 0) return;
    const char* text = reinterpret_cast<const char*>(pointer);
    AddText(TextSpace::kPointer, pointer, text, strnlen(text, kLongestName));
  };
  switch (static_cast<CuptiKind>(kind)) {
    case CuptiKind::kConcurrentKernel:
    case CuptiKind::kKernel:
      add_pointer(offsetof(CuptiKernelRecord, name));
      break;
    case CuptiKind::kDevice:
      add_pointer(offsetof(CuptiDeviceRecord, name));
      break;
    case CuptiKind::kMemory:
      add_pointer(offsetof(CuptiMemoryRecord, name));
      break;
    case CuptiKind::kRuntime:
    case CuptiKind::kDriver:
      AddCall(api, static_cast<CuptiKind>(kind) == CuptiKind::kDriver,
              FieldAt<std::uint32_t>(record, bytes, offsetof(CuptiApiRecord, cbid)));
      AddThread(FieldAt<std::uint32_t>(record, bytes, offsetof(CuptiApiRecord, thread)));
      break;
    default:
      break;
  }
}

void RecordBlocks::AddCall(const CuptiApi& api, bool driver, std::uint32_t cbid) {
  if (cbid >= kMostCalls) return;
  std::uint64_t& known = known_calls_[driver ? 1 : 0][cbid / 64];
  const std::uint64_t bit = std::uint64_t{1} << cbid % 64;
  if ((known & bit) != 0) return;
  known |= bit;
  const char* name = nullptr;
  const std::uint32_t domain = driver ? kDriverApi : kRuntimeApi;
  if (api.GetCallbackName(domain, cbid, &name) != kCuptiSuccess || name == nullptr) {
    return;
  }
  AddText(TextSpace::kCall, std::uint64_t{driver} << 32 | cbid, name, strnlen(name, kLongestName));
}

// The name and the priority of a thread, when it is first seen.
void RecordBlocks::AddThread(std::uint32_t thread) {
  if (thread == 0 || thread == last_thread_) return;
  last_thread_ = thread;
  if (!names_.IsNew(std::uint64_t{thread} | std::uint64_t{1} << 62, "", 0)) return;
  char path[64], line[512];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/stat", thread);
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return;
  const std::size_t length = std::fread(line, 1, sizeof line - 1, file);
  std::fclose(file);
  line[length] = '\0';
  // "17 (name) S ..."; the name may hold anything, the 16th number behind it is the priority.
  const char* open = std::strchr(line, '(');
  char* close = std::strrchr(line, ')');
  if (open == nullptr || close == nullptr || close < open) return;
  long priority = 0;
  std::sscanf(close + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld",
              &priority);
  const std::uint64_t high = static_cast<std::uint32_t>(priority);
  AddText(TextSpace::kThread, high << 32 | thread, open + 1,
          static_cast<std::size_t>(close - open - 1));
}

void RecordBlocks::AddText(TextSpace space, std::uint64_t key, const char* text,
                           std::size_t bytes) {
  if (space == TextSpace::kPointer && !names_.IsNew(key, text, bytes)) return;
  const std::size_t needed = sizeof(TextHead) + RoundUp8(bytes);
  if (text_bytes_ + needed > kTextsBytes) WriteTexts();
  if (needed > kTextsBytes) return;
  std::uint8_t* to = scratch_ + kSizesBytes + text_bytes_;
  const TextHead head = {key, space, static_cast<std::uint32_t>(bytes)};
  std::memset(to, 0, needed);
  std::memcpy(to, &head, sizeof head);
  std::memcpy(to + sizeof head, text, bytes);
  text_bytes_ += needed;
}

void RecordBlocks::WriteTexts() {
  if (text_bytes_ == 0) return;
  const bool kept =
      spool_->Append(BlockType::kTexts, nullptr, 0, scratch_ + kSizesBytes, text_bytes_);
  // Names that could not be written are written again when they are needed next.
  if (!kept) ForgetNames();
  text_bytes_ = 0;
}

}  // namespace xsp::inject
