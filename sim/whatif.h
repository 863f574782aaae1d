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
std::string_view NameOf(Effort effort);  // "a flag", "some lines", "days", "hardware".

// A named what-if. One file in sim/whatifs/, one row in whatifs.cc.
struct WhatIf {
  std::string_view name;   // As on the command line: "cuda-graphs".
  std::string_view title;  // "CUDA graphs".
  std::string_view help;   // One line: what it asks.
  std::uint8_t evidence;   // What its forecast rests on, at most.
  std::string_view needs;  // Of the trace or the user; empty: nothing special.
  Effort effort;
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
};

// All of them, in the order in which they are listed.
std::span<const WhatIf* const> AllWhatIfs();
// Null if there is none of that name.
const WhatIf* FindWhatIf(std::string_view name);

// One that was asked for, with its values.
struct ChosenWhatIf {
  const WhatIf* whatif = nullptr;
  WhatIfValues values;

  // As on the command line: "--ddp=gpus=8".
  std::string AsOption() const;
};

}  // namespace xsp
