#include "cli/generate.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "cli/help.h"

namespace xsp {
namespace {

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string CommandNames() {
  std::string names;
  for (const Command* command : AllCommands()) names += std::string(command->name) + " ";
  return names + "help";
}

// "-h --help" of "-h, --help".
std::string FlagWords(const DeclaredOption& option) { return Replaced(option.flags, ",", ""); }

// Each flag of an option by itself.
std::vector<std::string> FlagList(const DeclaredOption& option) {
  std::vector<std::string> flags;
  const std::string words = FlagWords(option);
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t space = std::min(words.find(' ', at), words.size());
    flags.push_back(words.substr(at, space - at));
    at = space + 1;
  }
  return flags;
}

// After which words of a command line a value of the option comes: its flags; an argument follows
// the command itself.
std::vector<std::string> WordsBefore(const DeclaredOption& option, const std::string& command) {
  return option.flags.empty() ? std::vector{command} : FlagList(option);
}

std::string BashCompletion() {
  std::string options, values;
  for (const Command* command : AllCommands()) {
    const PreparedCommand prepared(*command);
    const std::string name(command->name);
    std::string flags;
    for (const DeclaredOption& option : prepared.options.Declared()) {
      if (!option.flags.empty()) flags += (flags.empty() ? "" : " ") + FlagWords(option);
      if (option.words.empty()) continue;
      for (const std::string& before : WordsBefore(option, name)) {
        values += "    " + name + ":" + before + ") words='" + Joined(option.words, " ") + "' ;;\n";
      }
    }
    options += "    " + name + ") options='" + flags + "' ;;\n";
  }
  return "# Completion of xsp for bash, made by xsp --generate bash.\n"
         "_xsp() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=${COMP_WORDS[1]} options= words=\n"
         "  COMPREPLY=()\n"
         "  if (( COMP_CWORD == 1 )); then\n"
         "    COMPREPLY=($(compgen -W '" +
         CommandNames() +
         " --help --version' -- \"$word\"))\n"
         "    COMPREPLY+=($(compgen -f -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  if [[ $command == help ]]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         CommandNames() +
         "' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case $command in\n" +
         options +
         "    *) command=summary ;;\n"
         "  esac\n"
         // Bash takes '=' for a word of its own: --format=json is three.
         "  if [[ $word == = ]]; then word=\n"
         "  elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  case $command:$before in\n" +
         values +
         "  esac\n"
         // Of a list, a,b,c, the last one is completed.
         "  if [[ -n $words ]]; then\n"
         "    local last=${word##*,}\n"
         "    COMPREPLY=($(compgen -P \"${word%\"$last\"}\" -W \"$words\" -- \"$last\"))\n"
         "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2> /dev/null\n"
         "    return\n"
         "  fi\n"
         "  if [[ $word == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _xsp xsp\n";
}

// Text inside '...[...]' of zsh's _arguments.
std::string ZshText(const std::string& text) {
  std::string escaped = Replaced(Replaced(text, "[", "("), "]", ")");
  return Replaced(Replaced(escaped, "'", "'\\''"), ":", "\\:");
}

std::string ZshOption(const DeclaredOption& option, const std::string& flag) {
  std::string spec = "'" + std::string(option.value.empty() ? "" : "*") + flag + "[" +
                     ZshText(option.description) + "]";
  if (!option.words.empty()) {
    spec += ":value:(" + Joined(option.words, " ") + ")";
  } else if (!option.value.empty()) {
    spec += ":" + ZshText(option.value) + ":_files";
  }
  return spec + "'";
}

std::string ZshCompletion() {
  std::string commands, cases;
  for (const Command* command : AllCommands()) {
    const std::string name(command->name);
    commands += "    '" + name + ":" + ZshText(std::string(command->one_line)) + "'\n";
    cases += "    " + name + ") _arguments";
    for (const DeclaredOption& option : PreparedCommand(*command).options.Declared()) {
      if (option.flags.empty()) {
        if (!option.words.empty()) {
          cases +=
              " \\\n      '1:" + ZshText(option.name) + ":(" + Joined(option.words, " ") + ")'";
        }
        continue;
      }
      for (const std::string& flag : FlagList(option)) {
        cases += " \\\n      " + ZshOption(option, flag);
      }
    }
    cases += " \\\n      '*:trace:_files' ;;\n";
  }
  return "#compdef xsp\n"
         "# Completion of xsp for zsh, made by xsp --generate zsh.\n"
         "local -a commands=(\n" +
         commands +
         "    'help:explain a command'\n"
         ")\n"
         "if (( CURRENT == 2 )); then\n"
         "  _describe command commands\n"
         "  _files\n"
         "  return\n"
         "fi\n"
         "local command=$words[2]\n"
         "shift words\n"
         "(( CURRENT-- ))\n"
         "case $command in\n" +
         cases +
         "    help) _describe command commands ;;\n"
         "    *) _files ;;\n"
         "esac\n";
}

// Text that troff takes as it is.
std::string Troff(std::string text) {
  text = Replaced(Replaced(std::move(text), "\\", "\\e"), "-", "\\-");
  text = Replaced(std::move(text), "\n.", "\n\\&.");
  return Replaced(std::move(text), "\n'", "\n\\&'");
}

std::string ManCommand(const Command& command) {
  const PreparedCommand prepared(command);
  std::string text =
      ".SS " + Troff(UsageOf(prepared)) + "\n" + Troff(std::string(command.details)) + "\n";
  for (const DeclaredOption& option : prepared.options.Declared()) {
    if (option.flags.empty()) continue;
    text += ".TP\n\\fB" + Troff(option.flags) + "\\fR";
    if (!option.value.empty()) text += " \\fI" + Troff(option.value) + "\\fR";
    text += "\n" + Troff(option.description) + "\n";
  }
  text += ".PP\nExamples:\n";
  for (const Example& example : command.examples) {
    text += ".TP\n" + Troff(std::string(example.command)) + "\n" +
            Troff(std::string(example.what)) + "\n";
  }
  return text;
}

std::string ManPage() {
  std::string text =
      ".TH XSP 1 \"\" \"xsp " XSP_VERSION
      "\"\n"
      ".SH NAME\n"
      "xsp \\- where the time of a GPU program went, and what would change if\n"
      ".SH SYNOPSIS\n"
      ".B xsp\nTRACE [options]\n.br\n.B xsp\nCOMMAND TRACE [options]\n"
      ".SH DESCRIPTION\n"
      "xsp reads traces of GPU programs: exports and reports of Nsight Systems, and stored traces\n"
      "that it made of them. Without a command it prints a summary.\n"
      ".SH COMMANDS\n";
  for (const Command* command : AllCommands()) text += ManCommand(*command);
  return text +
         ".SH EXIT STATUS\n"
         "0: fine. 1: a limit is exceeded. 2: trouble (usage, unreadable input, failed output). "
         "3: a limit is undecided, or its data was not recorded. 4: the runs are not comparable. "
         "130: interrupted.\n"
         ".SH ENVIRONMENT\n"
         ".TP\nNO_COLOR\nIf set, no colours.\n"
         ".TP\nPAGER\nShows what is longer than the terminal; less \\-FRX by default, empty for "
         "none. "
         "Not used where CI is set, where standard input or output is no terminal, where TERM is "
         "dumb, and with \\-\\-no\\-pager.\n"
         ".TP\nXDG_CACHE_HOME\nWhere exports of .nsys\\-rep files go if their own folder is "
         "read\\-only.\n";
}

}  // namespace

std::string Generate(const std::string& what) {
  if (what == "bash") return BashCompletion();
  if (what == "zsh") return ZshCompletion();
  if (what == "man") return ManPage();
  throw Error("--generate takes bash, zsh or man");
}

}  // namespace xsp
