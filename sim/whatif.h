#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plan/plan.h"
#include "sim/plan/whatif_options.h"

namespace xsp {

// Whether a what-if changes anything in a program; where not, why not.
struct Applied {
  bool applies = true;
  std::string reason;  // "no fp32 matrix work: these products are bf16 already".

  static Applied Yes() { return {}; }
  static Applied No(std::string why) { return {false, std::move(why)}; }
};

// How much work it is to really do it.
enum class Effort : std::uint8_t { kFlag, kLines, kDays, kMachines };
std::string_view NameOf(Effort effort);  // "one line", "some lines", "days", "hardware".

// What to change, as whoever does it writes it: code, a flag, or a few words.
struct WhatToChange {
  std::string_view brief;  // What people call it: "CUDA graphs", "pinned memory".
  std::string_view torch;  // In PyTorch: "torch.compile(mode='reduce-overhead')".
  std::string_view cuda;   // In other programs; empty: it is nothing that they have.
};

// When a what-if has its turn where several are asked together: the order on the command line does
// not matter. Each sees what those before it made of the program.
enum class Turn : std::uint8_t {
  kWaits,      // Takes waits of the recorded program away: what others put in must stay.
  kPatterns,   // Looks for work by how it follows each other, which casts and fusion would hide.
  kPrecision,  // Other number formats, and casts where they meet.
  kLayout,     // What depends on the format: channels-last gains on tensor cores only.
  kFusion,     // Whatever follows each other by then, casts as well.
  kStated,     // What the user says of work has the last word on it: faster, replace, files.
  kSize,       // The batch: everything so far grows with it.
  kMemory,     // Work that is done again or put beside it, as long as it takes by then.
  kParallel,   // Puts in what GPUs exchange,
  kExchange,   // changes what they exchange,
  kRepeats,    // and shares it between micro-batches.
  kLaunches,   // Graphs take what is launched by then, and end where GPUs exchange data.
  kHardware,   // The whole of it elsewhere.
};

// Which of the things that happen only once a what-if may gain from.
enum class OneTimeScope : std::uint8_t {
  kNone,
  kMemory,  // What allocations and releases do.
  kAll,
};

// A named what-if. One file in sim/whatifs/, one row in whatifs.cc.
struct WhatIf {
  std::string_view name;   // As on the command line: "cuda-graphs".
  std::string_view title;  // "CUDA graphs".
  std::string_view help;   // One line: what it asks.
  std::uint8_t evidence;   // What its forecast rests on, at most.
  std::string_view needs;  // Of the trace or the user; empty: nothing special.
  Effort effort;
  WhatToChange change;  // Of all that is advice; others have none.
  std::span<const WhatIfOption> options;
  // Says in primitives what the change does. A plan that it says No to is left
  // unchanged.
  std::function<Applied(Plan& plan, const WhatIfValues& values)> apply;
  // Asked by `advise` without options; else it needs a decision of the user
  // (how many GPUs, ...).
  bool is_advice = true;
  // The rule of the Daydream paper, word for word; none where the paper has
  // none.
  std::function<Applied(Plan& plan, const WhatIfValues& values)> classic = nullptr;
  // It is about things that happen only once, too (hierarchy/steps/one_time_costs.h): all others
  // are asked of the program without these, and gain nothing from them.
  OneTimeScope changes_one_time = OneTimeScope::kNone;
  // Of a user's own: the file that it was read from.
  std::string_view file = {};
};

// All of them, in the order in which they are listed.
std::span<const WhatIf* const> AllWhatIfs();
// Null if there is none of that name.
const WhatIf* FindWhatIf(std::string_view name);
// Files of the user have no row of their own: kStated.
Turn TurnOf(const WhatIf& whatif);

// One that was asked for, with its values.
struct ChosenWhatIf {
  const WhatIf* whatif = nullptr;
  WhatIfValues values;

  // As on the command line: "--ddp=gpus=8", "--file=my.json".
  std::string AsOption() const;
};

// In the order in which they take effect: by turn, then as they are listed, then by their values.
std::vector<ChosenWhatIf> InOrder(std::span<const ChosenWhatIf> whatifs);

}  // namespace xsp
