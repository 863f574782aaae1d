#pragma once

#include <cstddef>
#include <cstdint>

#include "live/inject/cupti_api.h"
#include "live/inject/spool_file.h"
#include "live/inject/text_memory.h"
#include "live/spool/format.h"

namespace xsp::inject {

// Writes buffers of CUPTI to a spool, as they are, and ahead of each what only this process can
// look up: the texts behind pointers, the names of calls and threads. For one thread.
class RecordBlocks {
 public:
  // False if there is no memory. May be called again for another spool: everything is written anew.
  bool Begin(SpoolFile& spool);

  // Writes the records of a buffer. Counts them by kind in `kept`, or in `dropped` if they could
  // not be written. How many there were; `was_kept` says which.
  std::uint64_t Write(const CuptiApi& api, std::uint8_t* buffer, std::size_t valid,
                      live::CountsFront& counts, bool* was_kept);

  // The name and the priority of a thread, when it is first seen.
  void AddThread(std::uint32_t thread);
  void AddText(live::TextSpace space, std::uint64_t key, const char* text, std::size_t bytes);
  // Writes the texts that were added.
  void WriteTexts();

 private:
  static constexpr std::uint32_t kMostCalls = 4096;

  void LookAt(const CuptiApi& api, const std::uint8_t* record, std::uint32_t kind,
              std::size_t bytes);
  void AddCall(const CuptiApi& api, bool driver, std::uint32_t cbid);
  void ForgetNames();

  SpoolFile* spool_ = nullptr;
  std::uint8_t* scratch_ = nullptr;  // For the sizes of records, then for texts.
  std::size_t text_bytes_ = 0;
  std::size_t size_of_kind_[live::kCuptiKinds] = {};
  TextMemory names_;
  std::uint64_t known_calls_[2][kMostCalls / 64] = {};  // Calls whose names were written.
  std::uint32_t last_thread_ = 0;
};

}  // namespace xsp::inject
