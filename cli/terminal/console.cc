#include "cli/terminal/console.h"

#include <unistd.h>

#include "base/suggest.h"
#include "cli/terminal/terminal.h"
#include "report/tables/color.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

void Say(const std::string& text) {
  // If stderr is gone there is nobody to tell.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

void SayError(std::string_view message, std::string_view hint) {
  const bool color = UseColor(ColorMode::kAuto, STDERR_FILENO);
  std::string text = Painted("xsp:", Look::kError, color) + " " + SafeText(message);
  if (!hint.empty()) text += "; " + SafeText(hint);
  Say(text + "\n");
}

void SayGrammarError(const GrammarError& error) {
  SayError(error.what(), DidYouMean(error.word(), error.candidates()));
  // The caret counts characters; escapes would move what it points at.
  if (SafeText(error.text()) != error.text()) return;
  Say("  " + error.text() + "\n  " + error.Caret() + "\n");
}

void SayNote(std::string_view message) {
  const bool color = UseColor(ColorMode::kAuto, STDERR_FILENO);
  Say(Painted("xsp: note:", Look::kDim, color) + " " + SafeText(message) + "\n");
}

NoteSink Notes(bool quiet) {
  if (quiet) return [](const std::string&) {};
  return [](const std::string& message) { SayNote(message); };
}

}  // namespace xsp
