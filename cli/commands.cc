#include <algorithm>

#include "cli/command.h"

namespace xsp {

extern const Command kSummaryCommand;
extern const Command kInfoCommand;
extern const Command kImportCommand;
extern const Command kRunsCommand;
extern const Command kStatsCommand;
extern const Command kTreeCommand;
extern const Command kAnalyzeCommand;
extern const Command kLevelCommand;
extern const Command kGraphCommand;
extern const Command kCriticalPathCommand;
extern const Command kIdleCommand;
extern const Command kLeverageCommand;
extern const Command kWhatIfCommand;
extern const Command kAdviseCommand;
extern const Command kValidateCommand;
extern const Command kDiffCommand;
extern const Command kBaselineCommand;
extern const Command kRanksCommand;
extern const Command kTrendCommand;
extern const Command kLiveCommand;
extern const Command kExportCommand;
extern const Command kReportCommand;

namespace {

constexpr std::array kCommands = {
    &kSummaryCommand, &kInfoCommand,     &kImportCommand, &kLiveCommand,   &kStatsCommand,
    &kTreeCommand,    &kAnalyzeCommand,  &kLevelCommand,  &kGraphCommand,  &kCriticalPathCommand,
    &kIdleCommand,    &kLeverageCommand, &kWhatIfCommand, &kAdviseCommand, &kValidateCommand,
    &kDiffCommand,    &kBaselineCommand, &kRunsCommand,   &kRanksCommand,  &kTrendCommand,
    &kExportCommand,  &kReportCommand};

}  // namespace

std::span<const Command* const> AllCommands() { return kCommands; }

const Command* FindCommand(std::string_view name) {
  const auto it = std::find_if(kCommands.begin(), kCommands.end(),
                               [&](const Command* command) { return command->name == name; });
  return it == kCommands.end() ? nullptr : *it;
}

}  // namespace xsp
