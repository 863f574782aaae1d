#pragma once

#include <cstddef>
#include <cstdint>

// What NVTX 3 and a tool that is injected into a program agree on: the parts of its interface that
// xsp uses. A test compares them with NVTX' own headers.
namespace xsp::inject {

// NVTX_NO_PUSH_POP_TRACKING: what push and pop return in a program that no tool watches. The
// library returns the same, so that the program cannot tell.
inline constexpr int kNoPushPopTracking = -2;

enum NvtxModule : int { kNvtxCore = 1, kNvtxCore2 = 5 };

// Places in the function tables of the two modules.
enum NvtxCore : unsigned {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
  kNameCategoryA,
  kNameCategoryW,
  kNameOsThreadA,
  kNameOsThreadW,
};
enum NvtxCore2 : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainResourceCreate,
  kDomainResourceDestroy,
  kDomainNameCategoryA,
  kDomainNameCategoryW,
  kDomainRegisterStringA,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
};

enum NvtxColorType : std::int32_t { kColorArgb = 1 };
enum NvtxMessageType : std::int32_t {
  kMessageNone = 0,
  kMessageAscii,
  kMessageUnicode,
  kMessageRegistered,
};
// 1 to 6 are uint64, int64, double, uint32, int32 and float: the numbers of xsp's PayloadType.
inline constexpr std::int32_t kLastPayloadType = 6;

struct NvtxEventAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;
  std::uint64_t payload;  // A union: the value stands in the first bytes.
  std::int32_t message_type;
  std::int32_t padding;
  const void* message;  // char*, wchar_t* or a handle.
};

using NvtxFunction = void (*)();

struct NvtxCallbacksTable {
  std::size_t struct_size;
  // Gives an array of pointers to the function pointers of a module. 0: there is no such module.
  int (*GetModuleFunctionTable)(int module, NvtxFunction*** table, unsigned* size);
};

inline constexpr std::uint32_t kNvtxCallbacksTableId = 1;
using NvtxGetExportTable = const void* (*)(std::uint32_t id);

}  // namespace xsp::inject
