#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "live/decode/decode.h"
#include "live/decode/rows.h"
#include "live/decode/spool_facts.h"
#include "model/building/trace_builder.h"

namespace xsp::live {

// What all readers of one process' events need: its facts, its place in the trace, its tracks and
// names. Made once per process, for one thread.
class ProcessContext {
 public:
  // `zero`: the host's time that is 0 in the trace.
  ProcessContext(const SpoolFacts& facts, std::uint64_t global_id, TimeNs zero,
                 const KernelNamer& namer, TraceBuilder& builder);

  const SpoolFacts& facts() const { return facts_; }
  TraceBuilder& builder() { return builder_; }
  ImportLog& log() { return builder_.log(); }
  ProcessId process() const { return process_; }

  TimeNs FromHost(std::uint64_t host) const { return SinceZero(ClockMap::HostTime(host)); }
  TimeNs FromCupti(std::uint64_t cupti) const { return SinceZero(facts_.clock.ToHost(cupti)); }
  // Times of a call, or of work on a device, for which CUPTI gives 0 and 0 if it has none. False
  // then, and the record is noted under its table.
  bool Read(std::uint64_t start, std::uint64_t end, std::string_view table, Events::Row* event);

  TrackId Thread(std::uint32_t thread);
  TrackId WholeProcess();
  TrackId OnDevice(TrackKind kind, std::uint32_t device,
                   std::uint32_t context = kMissing<std::uint32_t>,
                   std::uint32_t stream = kMissing<std::uint32_t>);
  std::uint32_t DeviceOf(std::uint32_t context) const;
  DomainId Domain(std::uint32_t number);

  // Text from the program, which may be anything; what is not UTF-8 is noted.
  StringId Intern(std::string_view text, std::string_view table);

  struct Kernel {
    StringId full, bare, mangled;
  };
  // What stands under a pointer at this point of the spool.
  void DefinePointer(std::uint64_t pointer, std::string_view text);
  const Kernel& KernelAt(std::uint64_t pointer);
  StringId TextAt(std::uint64_t pointer, std::string_view table);

  // The id under which the call is recorded that issued something: for a driver call inside a
  // runtime call, that of the outer one.
  std::uint32_t Outer(std::uint32_t correlation) const;
  void SetOuter(std::uint32_t inner, std::uint32_t outer) { outer_[inner] = outer; }

  // What is no oddity of a row, but worth telling: work that was launched after recording was
  // switched off, and texts that were too long to be recorded whole.
  std::uint64_t after_stop = 0;
  std::uint64_t cut_texts = 0;

  void Keep(std::string_view table) { log().AddKept(table); }
  void Note(std::string_view table, ImportReason reason, std::string_view sample);

 private:
  // A spool may hold any times: what does not fit is as far away as can be.
  TimeNs SinceZero(TimeNs time) const {
    TimeNs since = 0;
    if (!__builtin_sub_overflow(time, zero_, &since)) return since;
    return time < 0 ? std::numeric_limits<TimeNs>::min() : std::numeric_limits<TimeNs>::max();
  }

  struct Text {
    std::string text;
    bool is_made_up = false;  // It was lost.
    bool has_kernel = false;
    Kernel kernel;
  };

  const SpoolFacts& facts_;
  const TimeNs zero_;
  const KernelNamer& namer_;
  TraceBuilder& builder_;
  ProcessId process_;
  std::map<std::uint32_t, TrackId> threads_;
  std::map<std::tuple<TrackKind, std::uint32_t, std::uint32_t, std::uint32_t>, TrackId>
      device_tracks_;
  std::map<std::uint32_t, DomainId> domains_;
  std::unordered_map<std::uint64_t, Text> texts_;
  std::unordered_map<std::uint32_t, std::uint32_t> outer_;
  // The last answers: neighbouring records mostly ask the same.
  std::pair<std::uint32_t, TrackId> last_thread_ = {};
  std::pair<std::tuple<TrackKind, std::uint32_t, std::uint32_t, std::uint32_t>, TrackId>
      last_device_ = {};
};

}  // namespace xsp::live
