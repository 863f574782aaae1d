#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sample_traces/scenarios.h"
#include "tests/proof/edit.h"

namespace xsp::proof {

// A generated program of which the truth is known: it runs before and after a change on the machine
// model, and the graph of the run before forecasts the run after.
struct ProofCase {
  std::string name;     // Of the program and its change; names the test, too.
  std::string program;  // What it does, for the table.
  std::string change;   // What is changed, for the table.
  std::function<samples::Scenario()> before;
  std::function<void(samples::Scenario&)> change_program;
  std::function<void(Edit&)> change_graph;
};

// All cases, in the order of the table.
const std::vector<ProofCase>& AllCases();

// Changes whose effect the graph has no means to know. Not part of AllCases().
std::vector<ProofCase> UnmodelledCases();

// Programs of at least 8 steps, of which the steady step is forecast instead of the GPU span.
const std::vector<ProofCase>& AllStepCases();
// The same with changes whose effect the graph has no means to know.
std::vector<ProofCase> UnmodelledSteps();

// The parts of it, a file each.
std::vector<ProofCase> ComputeCases();
std::vector<ProofCase> SyncCases();
std::vector<ProofCase> PollingCases();
std::vector<ProofCase> UnmodelledPolling();
std::vector<ProofCase> LaunchingCases();
std::vector<ProofCase> StreamCases();
std::vector<ProofCase> CopyCases();
std::vector<ProofCase> MemoryCases();
std::vector<ProofCase> GraphCases();
std::vector<ProofCase> TrainingCases();
std::vector<ProofCase> SharedGpuCases();
std::vector<ProofCase> MpiCases();
std::vector<ProofCase> OneGpuSteps();
std::vector<ProofCase> StepsBeside();
std::vector<ProofCase> BackgroundSteps();
std::vector<ProofCase> LoaderSteps();
std::vector<ProofCase> TrainingSteps();
std::vector<ProofCase> OsWaitSteps();
std::vector<ProofCase> OsWaitCases();

}  // namespace xsp::proof
