#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/diagnosis/diagnosis.h"
#include "sim/forecast.h"

namespace xsp {

// A change worth making, as the user would make it. Times are of one unit.
struct Fix {
  std::vector<ChosenWhatIf> chosen;  // One; several that are small go together.
  std::string name;                  // What people call it: "CUDA graphs", "bf16".
  std::string change;                // Code or a flag: "torch.compile(mode='reduce-overhead')".
  Effort effort = Effort::kLines;    // Of the most costly of them.
  // One that gains on top of another one: that is made, too. Its name; empty: alone.
  std::string with;
  std::vector<ChosenWhatIf> with_chosen;

  DurationNs before = 0;
  DurationNs after = 0;  // With all that is made.
  double speedup = 1, speedup_low = 1, speedup_high = 1;
  // What the unit waits for after it, where that is something else than before.
  std::string then;  // "then GPU-bound"; else empty.

  // As on the command line: "--attention --amp".
  std::string AsOptions() const;
};

// A change that people think of, and that gains next to nothing here.
struct NotWorthIt {
  std::string whatif;  // As on the command line; empty: no what-if, but faster kernels.
  std::string name;
  double speedup = 1;
  std::string why;  // "1.14× slower: more launches"; "11.2 ms of work, 0.3 ms gained".
};

// What to do about a diagnosis.
struct Fixes {
  std::vector<Fix> best;  // At most three, the most worthwhile first: gain, how sure, effort.
  std::vector<NotWorthIt> not_worth;
  std::string why_none;  // A sentence; empty where there are fixes.
};

// Chooses among all what-ifs that need no decision of the user. Nothing is forecast where trust is
// low. Of a unit of very many tasks only what-ifs that fit the diagnosis are tried, so that the
// work is bounded.
Fixes FindFixes(const Workbench& workbench, const Diagnosis& diagnosis, bool is_torch);

}  // namespace xsp
