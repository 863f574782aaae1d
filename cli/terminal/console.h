#pragma once

#include <string>
#include <string_view>

#include "cli/inputs/nsys_report.h"
#include "diff/gates/grammar_error.h"

// What the program says beside its result, on stderr. Names in it may come from anywhere, so all
// of it is made safe for a terminal.
namespace xsp {

// One line: "xsp: cannot read x; did you mean y?".
void SayError(std::string_view message, std::string_view hint);

// "xsp: note: ...".
void SayNote(std::string_view message);

// Notes go to stderr, or nowhere if `quiet`.
NoteSink Notes(bool quiet);

// The same, with the text that is wrong below it and a caret that points at the place.
void SayGrammarError(const GrammarError& error);

}  // namespace xsp
