#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/diagnosis/diagnosis.h"
#include "sim/diagnosis/habits.h"
#include "sim/forecast.h"

namespace xsp {

// One thing that is worth trying.
struct Advice {
  ChosenWhatIf chosen;
  Forecast forecast;
  double confidence = 0;  // 0 to 1: how much of the gain is sure, and on what it rests.
  // What it is about, as its largest change says: "1 block of 1 thread on 108 SMs".
  std::string finding;
  // The one before it in the list that fixes the same time; empty: it gains
  // something of its own.
  std::string covered_by;
};

struct AdviceReport {
  std::vector<Advice> items;  // What is worth most first (WorthOf).
  // All that gain something of their own, together: never the sum of the parts.
  // None for fewer than two.
  std::optional<Forecast> combined;
  // Would gain by a forecast that is not to be trusted: shown with the reason, never ranked.
  std::vector<Advice> untrusted;
  std::vector<Advice> without_gain;  // Apply, but would not help, or would hurt.
  struct Inapplicable {
    const WhatIf* whatif;
    std::string reason;
  };
  std::vector<Inapplicable> inapplicable;
  std::vector<Habit> habits;  // With the gains of what was tried, those that gain most first.
};

// What most of the time is waited for.
Resource WaitsFor(const std::vector<Limit>& limits);

// By what fixes and advice are ranked: how much of the gain is worth the effort, and how sure it
// is. Of a unit that waits for the GPU the number format comes first where others hardly gain more:
// that is what the diagnosis speaks of.
double WorthOf(const WhatIf& whatif, const Forecast& forecast);

// A program that reads single values again and again decides by them. It cannot do without
// (--no-sync), but it can read them less often (--read-every), if that gains nearly as much.
bool ReadingLessOftenWillDo(const Forecast& every, const Forecast& none);

// Work of one trade, for which what-ifs may have nothing to do at all.
struct Trade {
  std::string_view none;                      // "no matrix, attention or training work here".
  std::span<const std::string_view> whatifs;  // As on the command line.
};
std::span<const Trade> AllTrades();

// Runs every what-if that needs no decision of the user. `habits`: what was found of the same unit
// (FindHabits). `threads` 0: as many as the machine has.
AdviceReport Advise(const Workbench& workbench, std::vector<Habit> habits = {},
                    unsigned threads = 0);

}  // namespace xsp
