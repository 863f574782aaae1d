#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/details.h"
#include "model/entities.h"
#include "model/event_kind.h"
#include "model/events.h"
#include "model/import_log.h"
#include "model/time.h"

// The rows of a piece of a Kineto trace between reading and building. Pieces are read in parallel
// and in any order, so nothing here depends on another piece.
namespace xsp {

// Where an event happened, as far as one piece can tell: which process a GPU's work belongs to is
// known only when all pieces are there.
struct KinetoTrack {
  TrackKind kind = TrackKind::kThread;
  std::int64_t process = -1;  // -1: the process that owns the GPUs' work.
  std::int64_t thread = -1;
  std::int64_t device = -1;
  std::int64_t context = -1;
  std::int64_t stream = -1;

  auto operator<=>(const KinetoTrack&) const = default;
};

// Domains of ranges, by number; the default domain holds what users wrote.
enum class KinetoDomain : std::uint8_t { kUser = 0, kOperators, kPython };
inline constexpr std::array<std::string_view, 3> kKinetoDomainNames = {"", "cpu_op",
                                                                       "python_function"};

struct KinetoRows {
  // Events of one kind; Events::track and TrackId columns are places in `tracks`, DomainId columns
  // hold a KinetoDomain. Times are as in the file.
  template <class Table>
  struct Part {
    Events events;
    Table details;

    void Add(const Events::Row& event, const typename Table::Row& row) {
      events.Add(event);
      details.Add(row);
    }
  };

  Part<Kernels> kernels;
  Part<Copies> copies;
  Part<Memsets> memsets;
  Part<Calls> calls;
  Part<Syncs> syncs;
  Part<EventRecords> records;
  Part<Nvtx> ranges;
  Part<Nvtx> marks;
  Part<MemoryOperations> memory;
  Part<Overheads> overheads;

  // By Nvtx::source_row, which counts the events of this piece from 0.
  Operators operators;
  Collectives collectives;

  // What the file calls a thread of the forward pass, for backward operators: row of `operators`
  // and the framework's own number of the thread.
  std::vector<std::pair<std::uint32_t, std::int64_t>> forward_threads;

  // Ends of arrows from forward to backward operators: id, track, time.
  struct FlowEnd {
    std::int64_t id = 0;
    std::uint32_t track = 0;
    TimeNs time = 0;
  };
  std::vector<FlowEnd> forward_ends;
  std::vector<FlowEnd> backward_ends;

  // Modules that kernels of replayed graphs name themselves.
  struct KernelModule {
    TimeNs begin = 0;
    std::uint32_t correlation = 0;
    std::string module;
  };
  std::vector<KernelModule> kernel_modules;

  // Work and calls without a correlation id.
  struct Loose {
    EventKind kind = EventKind::kKernel;
    std::uint32_t row = 0;         // Among the events of that kind.
    std::int64_t external_id = 0;  // Of the operator around it; negative for none.
    bool launches = false;         // A call that puts work on a stream.
  };
  std::vector<Loose> loose;

  // Ends of arrows from calls to their work, kept only where a row may need them.
  struct LaunchEnd {
    std::int64_t id = 0;
    bool is_call = false;
    std::int64_t process = 0;  // Or device,
    std::int64_t thread = 0;   // or stream.
    TimeNs time = 0;
  };
  std::vector<LaunchEnd> launch_ends;

  // Names of processes and threads.
  struct Name {
    KinetoTrack track;
    StringId name;
  };
  std::vector<Name> names;

  std::vector<KinetoTrack> tracks;
  ImportLog log;
  std::map<std::string, std::uint64_t> unused;  // Rows of categories that have no place here.
  std::uint32_t events = 0;                     // All events of the piece.
  std::optional<DurationNs> session;            // How long was recorded, by the file's own word.

  // The place of a track in `tracks`.
  TrackId PlaceOf(const KinetoTrack& track);

 private:
  std::map<KinetoTrack, std::uint32_t> place_of_;
  std::pair<KinetoTrack, std::uint32_t> last_ = {{}, 0xffffffff};
};

}  // namespace xsp
