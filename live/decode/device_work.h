#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "live/decode/process_context.h"
#include "live/spool/cupti_records.h"
#include "live/spool/record_view.h"

namespace xsp::live {

// Kernels, copies, memsets, whole graphs and migrations of one process.
class DeviceWork {
 public:
  DeviceWork(ProcessContext& context, RecordingRows& rows);

  // Takes a record if it is one of these. False: it is not.
  bool Take(CuptiKind kind, const char* at, std::size_t bytes);

 private:
  void TakeKernel(const RecordView<CuptiKernelRecord>& record);
  void TakeCopy(const RecordView<CuptiMemcpyRecord>& record);
  void TakePeerCopy(const RecordView<CuptiPeerCopyRecord>& record);
  void TakeMemset(const RecordView<CuptiMemsetRecord>& record);
  void TakeGraph(const RecordView<CuptiGraphRecord>& record);
  void TakeUnified(const RecordView<CuptiUnifiedRecord>& record);
  void TakeMigration(const CuptiUnifiedRecord& record, CopyKind kind);
  void TakeFault(const CuptiUnifiedRecord& record, bool on_gpu);

  // Whether it was launched by a call that came after recording was switched off: such work is
  // collected for a moment, because CUPTI cannot tell it from what was launched before.
  bool IsAfterStop(TimeNs begin, std::uint32_t correlation) const;
  // What device work has in common. False: it is noted and left out.
  template <class Record>
  bool Place(const RecordView<Record>& record, std::string_view table, Events::Row* event);

  ProcessContext& context_;
  std::optional<TimeNs> stopped_;  // When recording was last switched off, if it was.
  std::unordered_set<std::uint32_t> recorded_calls_;  // Filled only if it was.
  RecordingRows& rows_;
};

}  // namespace xsp::live
